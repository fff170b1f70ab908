// Damage, by chance: bits, cuts, repeats, swapped blocks, hostile lengths.
//
//   Mutator chance(seed);
//   const Mutated mutated = chance.bytes(original);     // as a disk or a transfer would
//   const Mutated mutated = chance.sealed(forgery);     // as a forger would, with checksums that are right
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>

#include "drivers/forge.h"

namespace reprise::test {

struct Mutated {
  Bytes bytes;
  std::string what;
  bool is_cut{false};      // nothing but the end is missing
  bool recomputed{false};  // checksums are right again
};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }

  // One mutation of anything.
  Mutated bytes(const Bytes& original) {
    Mutated mutated{original, "", false, false};
    mutated.what = change(mutated.bytes, mutated.is_cut);
    return mutated;
  }

  // One mutation of what the checksums of a sealed log cover.
  Mutated sealed(Forgery forgery) {
    Mutated mutated{{}, "", false, true};
    bool is_cut = false;
    forgery.packs = below(2) == 0;
    switch (forgery.chunks.empty() ? 0 : below(8)) {
      case 0:
        mutated.what = "table: " + change(forgery.table, is_cut);
        break;
      case 1:
        mutated.what = "table: a number, " + number(forgery.table);
        break;
      case 2:
        mutated.what = reorder(forgery);
        break;
      case 3:
        mutated.what = lie(forgery);
        break;
      case 4:
      case 5: {
        ForgedChunk& chunk = forgery.chunks[below(forgery.chunks.size())];
        mutated.what = "records of thread " + std::to_string(chunk.thread) + ": a number, " + number(chunk.raw);
        break;
      }
      default: {
        ForgedChunk& chunk = forgery.chunks[below(forgery.chunks.size())];
        mutated.what = "records of thread " + std::to_string(chunk.thread) + ": " + change(chunk.raw, is_cut);
      }
    }
    mutated.bytes = forgery.bytes();
    return mutated;
  }

 private:
  static constexpr std::array<std::uint64_t, 14> hostile{0,
                                                         1,
                                                         0x7F,
                                                         0x80,
                                                         0xFFFF,
                                                         std::uint64_t{1} << 24,
                                                         std::uint64_t{1} << 30,
                                                         0x7FFFFFFF,
                                                         0xFFFFFFFF,
                                                         std::uint64_t{1} << 40,
                                                         std::uint64_t{1} << 62,
                                                         (std::uint64_t{1} << 63) - 1,
                                                         std::uint64_t{1} << 63,
                                                         ~std::uint64_t{0}};

  struct Range {
    std::size_t at, size;
  };
  Range range(const Bytes& bytes) {
    const std::size_t size = 1 + below(std::min<std::size_t>(bytes.size(), std::size_t{1} << below(13)));
    return {below(bytes.size() - size + 1), size};
  }
  static auto place(Bytes& bytes, std::size_t at) { return bytes.begin() + static_cast<std::ptrdiff_t>(at); }
  static std::string text(const char* what, const Range& range) {
    return std::string(what) + " of " + std::to_string(range.size) + " bytes at " + std::to_string(range.at);
  }

  // A number in place of what stands there: fixed, or a varint that pushes the rest on.
  std::string number(Bytes& bytes) {
    if (bytes.empty()) bytes.push_back(0);
    const std::uint64_t value = hostile[below(hostile.size())];
    const std::size_t at = below(bytes.size());
    Bytes written;
    const std::uint64_t form = below(3);
    if (form == 0) add_varint(written, value);
    if (form == 1) add_u32(written, static_cast<std::uint32_t>(value));
    if (form == 2) add_u64(written, value);
    const std::size_t replaced = std::min(form == 0 ? 1 : written.size(), bytes.size() - at);
    bytes.erase(place(bytes, at), place(bytes, at + replaced));
    bytes.insert(place(bytes, at), written.begin(), written.end());
    return std::to_string(value) + " in form " + std::to_string(form) + " at " + std::to_string(at);
  }

  std::string change(Bytes& bytes, bool& is_cut) {
    if (bytes.empty()) return number(bytes);
    const Range one = range(bytes);
    switch (below(9)) {
      case 0:
      case 1: {
        const std::uint64_t bit = below(bytes.size() * 8);
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
        return "bit " + std::to_string(bit);
      }
      case 2:
        for (std::size_t i = 0; i < 1 + one.size % 16; ++i)
          bytes[below(bytes.size())] = static_cast<std::uint8_t>(random_());
        return "some bytes";
      case 3:
        is_cut = true;
        bytes.resize(below(bytes.size()));
        return "a cut at " + std::to_string(bytes.size());
      case 4:
        bytes.erase(place(bytes, one.at), place(bytes, one.at + one.size));
        return text("a hole", one);
      case 5: {
        const Bytes copy(place(bytes, one.at), place(bytes, one.at + one.size));
        bytes.insert(place(bytes, one.at), copy.begin(), copy.end());
        return text("a repetition", one);
      }
      case 6: {
        const std::size_t to = below(bytes.size() - one.size + 1);
        std::swap_ranges(place(bytes, one.at), place(bytes, one.at + one.size), place(bytes, to));
        return text("a swap", one) + " with " + std::to_string(to);
      }
      case 7:
        std::fill_n(place(bytes, one.at), one.size, 0);
        return text("zeros", one);
      default:
        return "a number, " + number(bytes);
    }
  }

  std::string reorder(Forgery& forgery) {
    const std::size_t one = below(forgery.chunks.size());
    const std::size_t other = below(forgery.chunks.size());
    const auto at = [&](std::size_t i) { return forgery.chunks.begin() + static_cast<std::ptrdiff_t>(i); };
    switch (below(4)) {
      case 0:
        std::swap(forgery.chunks[one], forgery.chunks[other]);
        return "chunks swapped";
      case 1:
        forgery.chunks.insert(at(other), ForgedChunk(forgery.chunks[one]));
        return "a chunk twice";
      case 2:
        forgery.chunks.erase(at(one));
        return "a chunk is missing";
      default:
        std::swap(forgery.chunks[one].raw, forgery.chunks[other].raw);
        return "records of another chunk";
    }
  }

  std::string lie(Forgery& forgery) {
    ForgedChunk& chunk = forgery.chunks[below(forgery.chunks.size())];
    const std::uint64_t value = below(3) == 0 ? chunk.raw.size() + 1 : hostile[below(hostile.size())];
    const std::string said = " says " + std::to_string(value);
    switch (below(6)) {
      case 0:
        chunk.said_raw = value;
        return "raw_length" + said;
      case 1:
        chunk.said_stored = value;
        return "stored_length" + said;
      case 2:
        chunk.thread = value;
        return "a chunk's thread" + said;
      case 3:
        chunk.parent = value;
        return "a chunk's parent" + said;
      case 4:
        chunk.ordinal = value;
        return "a chunk's ordinal" + said;
      default:
        forgery.said_table = static_cast<std::uint32_t>(value);
        return "the table's length" + said;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace reprise::test
