// Something kept for each sender, found by the thread that sent.
//
//   BySender<Line> lines;  Line& line = lines[lines.find_or_add(id)];
//
// Entry   has `node` and `thread`.
// Cost    A look at one place where the sender was found last; entries are few.
#pragma once

#include <vector>

#include "program/adapters/mcapi/shared.h"

namespace reprise::mcapi {

template <typename Entry>
class BySender {
 public:
  // Where this sender stands; size() if it is new.
  std::size_t find(const MessageId& id) {
    std::uint8_t& guess = guesses_[(id.node + id.thread) % guesses_max];
    if (guess < entries_.size() && is(entries_[guess], id)) return guess;
    std::size_t index = 0;
    while (index < entries_.size() && !is(entries_[index], id)) ++index;
    guess = static_cast<std::uint8_t>(index);
    return index;
  }
  std::size_t size() const { return entries_.size(); }
  Entry& operator[](std::size_t index) { return entries_[index]; }
  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  static constexpr std::size_t guesses_max = 16;
  static bool is(const Entry& entry, const MessageId& id) { return entry.node == id.node && entry.thread == id.thread; }

  std::vector<Entry> entries_;
  std::uint8_t guesses_[guesses_max]{};
};

}  // namespace reprise::mcapi
