#include "record/steer.h"

#include <algorithm>
#include <fstream>

#include "recording/searched.h"

namespace reprise::record {
namespace {

constexpr std::uint64_t loads_max = 100;

}  // namespace

Steer::Steer(const std::string& path, const std::string& process) {
  std::ifstream file(path);
  std::string line;
  bool is_here = false;
  while (std::getline(file, line)) {
    const std::size_t tab = line.find('\t');
    const std::string word = line.substr(0, tab);
    const std::string name = tab == std::string::npos ? "" : line.substr(tab + 1);
    if (word == "process") is_here = name == process;
    if (!is_here) continue;
    if (word == "turn") turns_.push_back(name);
    if (word != "asleep") continue;
    const std::size_t more = name.find('\t');
    const bool is_load = more != std::string::npos;
    asleep_[name.substr(0, more)] = is_load;
  }
}

bool Steer::spins(const Steered& self, const gate::Object& object, Kind kind) {
  const bool is_read = kind == Kind::load || kind == Kind::modify;  // a compare-exchange that failed comes again
  return is_read && self.loaded == &object && self.loads >= loads_max && self.loaded_order == object.order();
}

// REQUIRES the mutex, as all below.
bool Steer::is_woken(const Steered& self) {
  Condition& condition = conditions_[self.waits_at];
  for (const Waiter& waiter : condition.waiters) {
    if (waiter.thread != &self) continue;
    return waiter.granted_by != 0 ||
           std::any_of(condition.permits.begin(), condition.permits.end(),
                       [&](const Condition::Permit& permit) { return permit.event > waiter.since; });
  }
  return true;
}

void Steer::take_permit(Steered& self) {
  Condition& condition = conditions_[self.waits_at];
  const auto waiter = std::find_if(condition.waiters.begin(), condition.waiters.end(),
                                   [&](const Waiter& one) { return one.thread == &self; });
  self.woken_by_condition = self.waits_at->known_id();
  self.waits_at = nullptr;
  if (waiter == condition.waiters.end()) return;
  self.woken_by_order = waiter->granted_by;
  if (waiter->granted_by == 0) {
    const auto permit = std::find_if(condition.permits.begin(), condition.permits.end(),
                                     [&](const Condition::Permit& one) { return one.event > waiter->since; });
    self.woken_by_order = permit->order;
    condition.permits.erase(permit);
  }
  condition.waiters.erase(waiter);
}

// Somebody who passed here meanwhile may have done so before this thread came: then its turn was not taken away.
bool Steer::is_asleep(const Steered& self, const gate::Object& object) {
  const auto found = asleep_.find(self.path);
  if (found == asleep_.end()) return false;
  const bool was_touched = std::any_of(touched_.begin(), touched_.end(), [&](const Touched& touch) {
    return touch.object == &object && touch.by != &self && !(touch.is_load && found->second);
  });
  if (!was_touched) return true;
  asleep_.erase(found);
  return false;
}

bool Steer::may_pass(Steered& self, const gate::Object& object, Kind kind) {
  if (kind == Kind::relock && self.waits_at != nullptr && !is_woken(self)) return false;
  if (next_ < turns_.size()) return turns_[next_] == self.path;
  return !is_asleep(self, object) && !spins(self, object, kind);
}

void Steer::arrive(gate::Thread& thread, Steered& self, gate::Object& object, Kind kind) {
  if (!recording::is_passage(kind) || object.is_own() || self.has_begun) return;
  if (self.path.empty()) self.path = gate::thread_path();
  std::unique_lock lock(mutex_);
  bool has_waited = false;
  while (!may_pass(self, object, kind)) {
    has_waited = true;
    const bool is_waiting = kind == Kind::relock && self.waits_at != nullptr && !is_woken(self);
    if (!is_waiting) thread.about_to(kind, object);  // else it still stands at the condition
    changed_.wait(lock);
  }
  if (kind == Kind::relock && self.waits_at != nullptr) take_permit(self);
  if (has_waited) thread.about_to(kind, object);  // it may have got its name meanwhile
  self.has_begun = true;
}

void Steer::note_condition(Steered& self, gate::Object& object, Kind kind) {
  if (kind != Kind::wait && kind != Kind::notify_one && kind != Kind::notify_all) return;
  Condition& condition = conditions_[&object];
  ++condition.events;
  const std::uint64_t order = object.order();
  if (kind == Kind::wait) {
    self.waits_at = &object;
    condition.waiters.push_back({&self, condition.events, 0});
    return;
  }
  std::uint64_t waiting = 0;
  for (Waiter& waiter : condition.waiters) {
    if (kind == Kind::notify_all && waiter.granted_by == 0) waiter.granted_by = order;
    if (waiter.granted_by == 0) ++waiting;
  }
  if (kind == Kind::notify_all) condition.permits.clear();
  if (waiting > condition.permits.size()) condition.permits.push_back({condition.events, order});
}

// A wait that ended by other means.
void Steer::forget_wait(Steered& self) {
  if (self.waits_at == nullptr) return;
  std::erase_if(conditions_[self.waits_at].waiters, [&](const Waiter& waiter) { return waiter.thread == &self; });
  self.waits_at = nullptr;
}

void Steer::passed(Steered& self, gate::Object& object, Kind kind) {
  if (object.is_own()) return;
  const bool is_load = kind == Kind::load || kind == Kind::compare_failed;
  const bool is_same = is_load && self.loaded == &object && self.loaded_order == object.order();
  self.loads = is_same ? self.loads + 1 : 0;
  self.loaded = is_load ? &object : nullptr;
  self.loaded_order = object.order();
  const std::lock_guard lock(mutex_);
  if (!self.has_begun) {
    if (kind != Kind::wait) forget_wait(self);
    return;
  }
  self.has_begun = false;
  note_condition(self, object, kind);
  if (next_ < turns_.size()) {
    ++next_;
  } else if (!asleep_.empty()) {
    touched_.push_back({&object, &self, is_load});
  }
  changed_.notify_all();
}

}  // namespace reprise::record
