#include "analyse/sequence/stamps.h"

#include <algorithm>
#include <iterator>

namespace reprise::analyse::sequence {
namespace {

using Stamp = Stamps::Stamp;

void merge(Stamp& into, const Stamp& other) {
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

class Clocks {
 public:
  Clocks(const std::vector<std::string>& entries, const std::map<std::string, std::string>& mailboxes)
      : mailboxes_(mailboxes) {
    for (const std::string& entry : entries) places_.emplace(entry, places_.size());
  }

  Stamp pass(const Event& event) {
    Stamp stamp(places_.size());
    if (!event.thread.empty()) {
      merge(stamp, before(event.thread, event.number));
      set(stamp, event.thread, event.number);
    }
    if (!event.called.empty()) {
      merge(stamp, before(event.called, event.called_number));
      set(stamp, event.called, event.called_number);
    }
    if (!event.object.empty()) {
      Stamp& mailbox = objects_[event.object];
      merge(stamp, mailbox);
      const auto name = mailboxes_.find(event.object);
      if (name != mailboxes_.end()) set(stamp, name->second, event.object_number);
      mailbox = stamp;
    }
    if (event.type != Type::arrival && !event.thread.empty()) threads_[event.thread][event.number] = stamp;
    if (!event.called.empty()) threads_[event.called][event.called_number] = stamp;
    return stamp;
  }

 private:
  // What the thread knew before its event of this number.
  Stamp before(const std::string& thread, std::uint64_t number) {
    const auto& known = threads_[thread];
    const auto next = known.lower_bound(number);
    return next == known.begin() ? Stamp() : std::prev(next)->second;
  }
  void set(Stamp& stamp, const std::string& entry, std::uint64_t number) const {
    const auto place = places_.find(entry);
    if (place != places_.end()) stamp[place->second] = std::max(stamp[place->second], number);
  }

  const std::map<std::string, std::string>& mailboxes_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::map<std::uint64_t, Stamp>> threads_;  // after each of its events, sends left out
  std::map<std::string, Stamp> objects_;
};

}  // namespace

Stamps::Stamps(const Execution& execution, const std::vector<std::string>& entries,
               const std::map<std::string, std::string>& mailboxes) {
  Clocks clocks(entries, mailboxes);
  for (const Event& event : execution.events)
    stamps_.push_back(is_mailbox_type(event.type) ? clocks.pass(event) : Stamp());
}

}  // namespace reprise::analyse::sequence
