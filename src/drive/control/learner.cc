#include "drive/control/learner.h"

#include <cstdlib>

namespace reprise::drive {

namespace sequence = analyse::sequence;
using sequence::Event;
using sequence::Type;

void Learner::learn(const ForcedRun& run) {
  paths_ = run.paths;
  for (const Event& event : run.happened.events) {
    if (is_mailbox_type(event.type) && event.number > 0) what(event.thread, event.number) = {event.type, event.object};
    if (is_mailbox_type(event.type) && event.called_number > 0)
      what(event.called, event.called_number) = {event.type, event.object};
    if (event.type == Type::entry || event.type == Type::reentry) monitors_[event.thread].push_back(event.object);
  }
}

std::string Learner::path_of(const std::string& thread) const {
  const auto found = paths_.find(thread);
  return found == paths_.end() ? thread : found->second;
}

Learner::What& Learner::what(const std::string& thread, std::uint64_t number) {
  std::vector<What>& list = events_[thread];
  if (list.size() < number) list.resize(number);
  return list[number - 1];
}

Listed Learner::resolve(const Listed& listed) {
  Listed resolved = listed;
  if (listed.is_simple) resolve_mailboxes(resolved);
  resolve_entries(resolved);
  return resolved;
}

// (S,T) is a synchronisation, (-1,T) an elseDelay, (S) or (S,-1) anything else: what is not of that shape stays
// unknown, and the thread deviates there.
void Learner::resolve_mailboxes(Listed& listed) {
  std::map<std::string, std::uint64_t> orders;
  for (Event& event : listed.mailboxes) {
    if (event.type == Type::else_delay) continue;
    const What& known = what(path_of(event.thread), event.number);
    const bool is_synchronization = known.type == Type::synchronization;
    const bool fits = is_synchronization == !event.called.empty() && known.type != Type::else_delay;
    event.type = fits ? known.type : Type::unknown;
    event.object = fits ? known.object : "?";
    event.object_number = ++orders[event.object];
  }
}

void Learner::resolve_entries(Listed& listed) {
  std::map<std::string, std::size_t> counts;
  for (Event& event : listed.entries) {
    const std::vector<std::string>& monitors = monitors_[path_of(event.thread)];
    const std::size_t next = counts[event.thread]++;
    event.object = next < monitors.size() ? monitors[next] : "?";
  }
}

bool Learner::learn_event(const std::string& thread, const std::string& did, std::uint64_t number) {
  const std::size_t blank = did.find(' ');
  const auto type = sequence::type_named(did.substr(0, blank));
  if (!type || number == 0 || number > events_[thread].size()) return false;
  const What now{*type, blank == std::string::npos ? "" : did.substr(blank + 1)};
  if (what(thread, number) == now) return false;
  events_[thread].resize(number);
  what(thread, number) = now;
  return true;
}

bool Learner::learn_entry(const std::string& thread, const std::string& monitor, std::uint64_t number) {
  std::vector<std::string>& monitors = monitors_[thread];
  if (number == 0 || number > monitors.size() + 1) return false;
  if (number <= monitors.size() && monitors[number - 1] == monitor) return false;
  monitors.resize(number);
  monitors[number - 1] = monitor;
  return true;
}

bool Learner::learn_from(const std::map<std::string, std::string>& deviating) {
  constexpr std::string_view event_mark = " as its number ";
  constexpr std::string_view entry_mark = " as its entry ";
  constexpr std::string_view enters = "enter ";
  bool is_new = false;
  for (const auto& [thread, what] : deviating) {
    const std::string& text = what;  // a lambda cannot have what is bound
    const auto number_after = [&](std::size_t at) { return std::strtoull(text.c_str() + at, nullptr, 10); };
    if (const std::size_t at = text.find(event_mark); at != std::string::npos)
      is_new |= learn_event(thread, text.substr(0, at), number_after(at + event_mark.size()));
    if (const std::size_t at = text.find(entry_mark); at != std::string::npos && text.starts_with(enters))
      is_new |=
          learn_entry(thread, text.substr(enters.size(), at - enters.size()), number_after(at + entry_mark.size()));
  }
  return is_new;
}

}  // namespace reprise::drive
