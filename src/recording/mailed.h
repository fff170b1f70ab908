// The short form of arrivals and receives in a stream: what is the same as in an earlier note of the thread is not
// written again (format/recording.md, "Mailed in short").
//
//   writer: if (auto* end = cache.put(at, mailed)) at = end;     // else: cache.learn(name, text), once it is written
//   reader: cache.learn(name, text);  cache.take(cursor, false);  cache.name();  cache.text();
//
// Threads   As the stream's.
// Trust     take() believes no byte: false where no such note can be.
#pragma once

#include <reprise/detail/mailed.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace reprise::recording {

// "arrival 3 producer 0.1 1 1" or "receive 4 1 1", and " @5" where there is a selection.
std::string text_of(const gate::Mailed& mailed);

class MailedCache {
 public:
  MailedCache() = default;
  MailedCache(const MailedCache&) = delete;
  MailedCache& operator=(const MailedCache&) = delete;

  static constexpr std::size_t size = 64;

  // A note of this text was written or read. Any other text is none of ours and changes nothing.
  void learn(std::string_view mailbox, std::string_view text);

  // Writes `mailed` in short. Null: it must be written as text, and nothing was.
  std::uint8_t* put(std::uint8_t* at, const gate::Mailed& mailed);

  // Reads one. `skims`: what it is about need not be known.
  bool take(base::Cursor& cursor, bool skims);
  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }

 private:
  struct Entry {
    bool is_used{false};
    gate::Mailed last{};  // its views are of the two below
    std::string mailbox;
    std::string sender;
  };

  std::array<Entry, size> entries_;
  std::string_view name_;
  std::string text_;
};

}  // namespace reprise::recording
