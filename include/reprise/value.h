// Values from outside: recorded once, given back on replay.
//
//   int seed = reprise::value("seed", [] { return read_seed_from_hardware(); });     // any trivially copyable type, or
//   std::string std::string text = reprise::read_file("config.txt");
//
// Threads   Any.
// Errors    read_file throws std::system_error as recorded; the outcome is part of the value.
// Cost      Off: nothing but the call itself. Recording: the bytes of the value.
#pragma once

#include <reprise/detail/gate.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace reprise {

namespace detail {

template <typename T>
struct ValueBytes {
  static_assert(std::is_trivially_copyable_v<T>, "reprise::value keeps trivially copyable types and std::string");
  static std::string_view view(const T& value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }
  static void take(void* out, const void* bytes, std::size_t size) {
    std::memcpy(out, bytes, size < sizeof(T) ? size : sizeof(T));
  }
};

template <>
struct ValueBytes<std::string> {
  static std::string_view view(const std::string& value) { return value; }
  static void take(void* out, const void* bytes, std::size_t size) {
    static_cast<std::string*>(out)->assign(static_cast<const char*>(bytes), size);
  }
};

}  // namespace detail

// What `source()` returned when recorded; `name` says what it is and must be the same on replay.
template <typename Source>
auto value(std::string_view name, Source&& source) -> std::decay_t<decltype(source())> {
  using T = std::decay_t<decltype(source())>;
  gate::Thread* thread = gate::current;
  if (thread == nullptr) [[likely]]
    return std::forward<Source>(source)();
  T result{};
  if (thread->gate->given(*thread, Kind::value, name, &detail::ValueBytes<T>::take, &result)) return result;
  try {
    result = std::forward<Source>(source)();
  } catch (...) {
    thread->gate->refuse("the function given to reprise::value threw an exception, which cannot be replayed");
    throw;
  }
  const std::string_view bytes = detail::ValueBytes<T>::view(result);
  thread->gate->keep(*thread, Kind::value, name, bytes.data(), bytes.size());
  return result;
}

// The environment as it was when recorded. Null when the variable is not set; the text stays valid.
REPRISE_API const char* getenv(const char* name);

// The whole file. Throws std::system_error when it cannot be read.
REPRISE_API std::string read_file(const std::filesystem::path& path);

class random_device {
 public:
  using result_type = std::random_device::result_type;
  random_device() = default;
  explicit random_device(const std::string& token) : native_(token) {}
  static constexpr result_type min() { return std::random_device::min(); }
  static constexpr result_type max() { return std::random_device::max(); }
  result_type operator()() {
    return value("random_device", [this] { return native_(); });
  }
  double entropy() const noexcept { return native_.entropy(); }

 private:
  std::random_device native_;
};

}  // namespace reprise
