// Little-endian numbers and varints in byte buffers (LEB128, at most 10 bytes; zigzag for signed ones).
//
// Trust     The reading half bounds every access: a Cursor that runs out, or meets an over-long varint, turns bad and
// stays bad.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace reprise::base {

constexpr std::size_t max_varint_bytes = 10;

inline std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

// memcpy for few bytes: pieces that overlap, and no call.
inline void copy_short(std::uint8_t* to, const void* bytes, std::size_t size) {
  const auto* const from = static_cast<const std::uint8_t*>(bytes);
  if (size > 64) {
    std::memcpy(to, from, size);
  } else if (size >= 32) {
    std::memcpy(to, from, 32);
    std::memcpy(to + size - 32, from + size - 32, 32);
  } else if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) std::memcpy(to + at, from + at, 8);
    std::memcpy(to + size - 8, from + size - 8, 8);
  } else {
    for (std::size_t at = 0; at < size; ++at) to[at] = from[at];
  }
}

inline std::uint8_t* put_u32(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
  return at;
}

inline std::uint8_t* put_u64(std::uint8_t* at, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
  return at;
}

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

class Cursor {
 public:
  Cursor(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

  bool good() const { return good_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* at() const { return at_; }

  std::uint8_t u8() {
    if (!need(1)) return 0;
    return *at_++;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (!need(1)) return 0;
      const std::uint8_t byte = *at_++;
      if (shift == 63 && byte > 1) return bad();
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return bad();
  }
  std::string_view bytes(std::uint64_t size) {
    if (size > left()) {
      bad();
      return {};
    }
    std::string_view view(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size));
    at_ += size;
    return view;
  }

 private:
  bool need(std::size_t size) {
    if (good_ && left() >= size) return true;
    good_ = false;
    return false;
  }
  std::uint64_t bad() {
    good_ = false;
    return 0;
  }
  std::uint64_t fixed(unsigned size) {
    if (!need(size)) return 0;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{at_[i]} << (8 * i);
    at_ += size;
    return value;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool good_{true};
};

}  // namespace reprise::base
