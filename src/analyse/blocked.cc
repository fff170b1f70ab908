#include "analyse/blocked.h"

#include <algorithm>
#include <unordered_map>

namespace reprise::analyse {
namespace {

using recording::Class;
using recording::Event;
using recording::Log;
using recording::ThreadInfo;

// The last passage at an object that somebody waits for.
struct Last {
  ThreadIndex thread{no_thread};
  std::uint64_t order{0};
  std::uint64_t step{0};
  bool left{false};  // full logs: the thread has left it since
  std::uint64_t notified{0};
};

using LastPassages = std::unordered_map<ObjectId, Last>;

bool is_notify(Kind kind) { return kind == Kind::notify_one || kind == Kind::notify_all; }

void note(LastPassages& passages, ThreadIndex thread, const Event& event) {
  const auto found = passages.find(event.object);
  if (found == passages.end()) return;
  Last& last = found->second;
  const Class treated = recording::info(event.kind).treated;
  if (treated == Class::release && last.thread == thread) last.left = true;
  if (!recording::raises_order(treated)) return;
  if (is_notify(event.kind)) ++last.notified;
  if (event.order < last.order) return;
  last.thread = thread;
  last.order = event.order;
  last.step = event.step;
  last.left = false;
}

LastPassages find_last_passages(const Log& log) {
  LastPassages passages;
  for (const ThreadInfo& thread : log.threads()) {
    if (thread.pending_kind != Kind::none && thread.pending_kind != Kind::join)
      passages.try_emplace(thread.pending_object);
  }
  passages.erase(0);
  if (passages.empty()) return passages;
  for (const ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      note(passages, thread.index, **event);
    }
  }
  return passages;
}

void add_holder(const Log& log, const LastPassages& passages, Waiter& waiter) {
  const auto found = passages.find(waiter.object);
  if (found == passages.end()) return;
  const Last& last = found->second;
  if (family_of(waiter.kind) == Family::condition) {
    waiter.notified = last.notified;
    return;
  }
  if (family_of(waiter.kind) == Family::semaphore || family_of(waiter.kind) == Family::latch)
    return;  // nobody holds one
  if (last.left) return;
  const ThreadInfo* holder = log.thread(last.thread);
  if (holder == nullptr) return;
  waiter.holder = last.thread;
  waiter.holder_path = holder->path;
  waiter.holder_step = last.step;
}

Waiter describe(const Log& log, const Names& names, const LastPassages& passages, const ThreadInfo& thread) {
  Waiter waiter;
  waiter.thread = thread.index;
  waiter.path = thread.path;
  waiter.step = thread.steps;
  waiter.kind = thread.pending_kind;
  if (thread.pending_kind == Kind::join) {
    const ThreadInfo* child =
        thread.pending_object <= max_threads ? log.thread(static_cast<ThreadIndex>(thread.pending_object)) : nullptr;
    if (child == nullptr) return waiter;
    waiter.object_name = waiter.holder_path = child->path;
    waiter.holder = child->index;
    waiter.holder_step = child->steps;
    return waiter;
  }
  waiter.object = thread.pending_object;
  if (waiter.object == 0) return waiter;
  waiter.object_name = names.object(waiter.object);
  add_holder(log, passages, waiter);
  return waiter;
}

// Each thread waits for at most one other, so following the holders ends or comes round.
void find_deadlocks(Blocked& blocked) {
  std::unordered_map<ThreadIndex, ThreadIndex> waits_for;
  for (const Waiter& waiter : blocked.waiters) {
    if (waiter.holder != no_thread) waits_for[waiter.thread] = waiter.holder;
  }
  std::unordered_map<ThreadIndex, std::size_t> seen_in;  // in which walk
  for (std::size_t walk = 0; walk < blocked.waiters.size(); ++walk) {
    ThreadIndex at = blocked.waiters[walk].thread;
    while (waits_for.contains(at) && seen_in.emplace(at, walk).second) at = waits_for[at];
    const auto seen = seen_in.find(at);
    if (seen == seen_in.end() || seen->second != walk) continue;
    std::vector<ThreadIndex> cycle;
    for (ThreadIndex member = at; cycle.empty() || member != at; member = waits_for[member]) cycle.push_back(member);
    // Alone with an object it has passed before: only a full log shows that it never left.
    if (cycle.size() > 1 || blocked.proven) blocked.deadlocks.push_back(std::move(cycle));
  }
}

}  // namespace

Blocked explain_blocked(const Log& log, const Names& names) {
  Blocked blocked;
  blocked.proven = log.info().full;
  const LastPassages passages = find_last_passages(log);
  for (const ThreadInfo& thread : log.threads()) {
    if (thread.ended || thread.pending_kind == Kind::none) continue;
    blocked.waiters.push_back(describe(log, names, passages, thread));
  }
  find_deadlocks(blocked);
  return blocked;
}

}  // namespace reprise::analyse
