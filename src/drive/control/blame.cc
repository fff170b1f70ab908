#include "drive/control/blame.h"

#include <algorithm>

#include "recording/searched.h"

namespace reprise::drive {

using analyse::sequence::Event;

Blame::Blame(const Listed& listed, const ForcedRun& run, const std::set<std::string>& sleepers)
    : run_(run), sleepers_(sleepers) {
  for (const Event& event : run.happened.events) {
    if (!is_mailbox_type(event.type)) continue;
    std::uint64_t& last = happened_[event.object];
    last = std::max(last, event.object_number);
  }
  for (const Event& event : listed.mailboxes) {
    const std::string thread = run.path_of(event.thread);
    const std::string called = event.called.empty() ? "" : run.path_of(event.called);
    mailboxes_[event.object][event.object_number] = {event.number, thread, called};
    const auto last = happened_.find(event.object);
    if (last != happened_.end() && event.object_number <= last->second) continue;
    late_.insert(thread);
    if (!called.empty()) late_.insert(called);
  }
}

const Blame::Planned* Blame::next_at(const std::string& mailbox) const {
  const auto list = mailboxes_.find(mailbox);
  if (list == mailboxes_.end()) return nullptr;
  const auto last = happened_.find(mailbox);
  const auto next = list->second.upper_bound(last == happened_.end() ? 0 : last->second);
  return next == list->second.end() ? nullptr : &next->second;
}

Blamed Blame::for_thread(const std::string& thread) const {
  Blamed blamed;
  visit(thread, blamed);
  return blamed;
}

void Blame::visit_process_of(const std::string& thread, Blamed& blamed) const {
  const std::string process = thread.substr(0, thread.find('/') + 1);
  for (const auto& [other, has_ended] : run_.ended) {
    if (other.starts_with(process)) visit(other, blamed);
  }
}

void Blame::visit_all(Blamed& blamed) const {
  if (!sleepers_.empty()) blamed.is_by_past = false;
  for (const auto& [other, has_ended] : run_.ended) blamed.threads.insert(other);
}

void Blame::visit_standing(const std::string& thread, const Standing& standing, Blamed& blamed) const {
  if (sleepers_.contains(thread)) {
    blamed.is_by_past = false;
    return visit_process_of(thread, blamed);
  }
  if (standing.kind == Kind::join) return visit(standing.child, blamed);
  if (standing.kind == Kind::lock) {
    const auto holder = run_.causes.holder_of(standing.object);
    return holder ? visit(*holder, blamed) : visit_process_of(thread, blamed);
  }
  const bool is_own = run_.causes.is_own(standing.object);  // where events of mailboxes of any process are awaited
  return recording::is_passage(standing.kind) && !is_own ? visit_process_of(thread, blamed) : visit_all(blamed);
}

void Blame::visit(const std::string& thread, Blamed& blamed) const {
  if (!blamed.threads.insert(thread).second) return;
  if (!run_.ended.contains(thread)) {  // nobody has started it: who could have, of its process?
    return visit_process_of(thread, blamed);
  }
  if (const auto cut = run_.cut_off.find(thread); cut != run_.cut_off.end()) {
    blamed.is_by_past = false;
    return visit(cut->second, blamed);
  }
  const auto standing = run_.standing.find(thread);
  if (standing == run_.standing.end() || run_.deviating.contains(thread) || run_.causes.is_server(thread)) return;
  const auto step = run_.causes.awaited_by(thread);
  if (!step || step->empty()) return visit_standing(thread, standing->second, blamed);
  const Planned* next = next_at(*step);
  if (next == nullptr) return;  // nothing more comes there
  visit(next->thread, blamed);
  if (!next->called.empty()) visit(next->called, blamed);
}

}  // namespace reprise::drive
