// An arrival at a mailbox, or a receive there, in its parts: what comes often is written in a few bytes, not as text.
#pragma once

#include <cstdint>
#include <string_view>

namespace reprise::gate {

struct Mailed {
  std::string_view mailbox{};
  std::string_view sender{};  // of an arrival: process and thread, as "producer 0.1"; a receive has none
  std::uint64_t key{0};       // mailed_key() of both
  std::uint64_t order{0};
  std::uint64_t number{0};
  std::uint64_t all{0};
  std::uint64_t selection{0};  // 0: no selective wait sees it
};

// FNV-1a over the mailbox, a zero byte and the sender.
constexpr std::uint64_t mailed_key(std::string_view mailbox, std::string_view sender) {
  constexpr std::uint64_t prime = 0x100000001B3u;
  std::uint64_t key = 0xCBF29CE484222325u;
  for (const char byte : mailbox) key = (key ^ static_cast<unsigned char>(byte)) * prime;
  key *= prime;
  for (const char byte : sender) key = (key ^ static_cast<unsigned char>(byte)) * prime;
  return key;
}

}  // namespace reprise::gate
