#include "analyse/stall.h"

#include <fmt/format.h>

#include "analyse/events.h"
#include "analyse/text.h"

namespace reprise::analyse {
namespace {

using recording::Class;
using recording::Log;
using recording::ThreadInfo;

const ThreadInfo* find_path(const Log& log, const std::string& path) {
  for (const ThreadInfo& thread : log.threads()) {
    if (thread.path == path) return &thread;
  }
  return nullptr;
}

// The order that must be there before a thread that waits for `order` may go on.
std::uint64_t needed_order(Kind kind, std::uint64_t order) {
  if (recording::info(kind).treated == Class::read) return order;
  return order > 0 ? order - 1 : 0;
}

std::string state_of(const Log& replayed, const Names& names, const std::string& path) {
  const ThreadInfo* thread = find_path(replayed, path);
  if (thread == nullptr) return "has not been started";
  if (thread->ended) return fmt::format("has ended after {}", counted(thread->steps, "step"));
  if (thread->pending_kind == Kind::none) return fmt::format("is between gates after step {}", grouped(thread->steps));
  return fmt::format("waits itself to {} after step {}",
                     intent_text(names, thread->pending_kind, thread->pending_object), grouped(thread->steps));
}

StalledThread describe(const Log& recorded, const Log& replayed, const Names& names, const ThreadInfo& thread) {
  StalledThread stalled;
  stalled.path = thread.path;
  stalled.steps = thread.steps;
  if (const ThreadInfo* original = find_path(recorded, thread.path)) stalled.recorded_steps = original->steps;
  stalled.at_end = thread.steps >= stalled.recorded_steps;
  if (thread.pending_kind == Kind::none) return stalled;
  stalled.waits_for = intent_text(names, thread.pending_kind, thread.pending_object);
  stalled.order = thread.pending_order;
  if (thread.pending_order == 0 || stalled.at_end) return stalled;
  const auto supplier =
      find_supplier(recorded, thread.pending_object, needed_order(thread.pending_kind, thread.pending_order));
  if (!supplier) return stalled;
  stalled.supplier = names.thread(supplier->thread);
  stalled.supplier_step = supplier->step;
  stalled.supplier_state = state_of(replayed, names, stalled.supplier);
  return stalled;
}

std::string line_of(const StalledThread& thread) {
  std::string line =
      fmt::format("  {} after step {} of {}", thread.path, grouped(thread.steps), grouped(thread.recorded_steps));
  if (thread.waits_for.empty())
    return line + (thread.at_end ? ": at its recorded end" : ": not at a gate (computing, or blocked outside)");
  line += fmt::format(": waits to {}", thread.waits_for);
  if (thread.order != 0 && !thread.at_end) line += fmt::format(" for order {}", grouped(thread.order));
  if (!thread.supplier.empty()) {
    line += fmt::format("; {} should have supplied it at step {} or soon after, and {}", thread.supplier,
                        grouped(thread.supplier_step), thread.supplier_state);
  }
  return line;
}

}  // namespace

std::optional<Supplier> find_supplier(const Log& log, ObjectId object, std::uint64_t order) {
  std::optional<Supplier> best;
  if (order == 0) return best;
  for (const ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      if (!recording::raises_order(recording::info((*event)->kind).treated) || (*event)->object != object) continue;
      if ((*event)->order > order) break;
      if (!best || (*event)->order > best->order) best = Supplier{thread.index, (*event)->step, (*event)->order};
    }
  }
  return best;
}

std::vector<std::string> Stall::lines() const {
  std::vector<std::string> result;
  result.push_back(proven ? "stalled: proven, every thread waits at a gate"
                          : fmt::format("stalled: not proven: no progress for {:g} s", silent_s));
  for (const StalledThread& thread : threads) result.push_back(line_of(thread));
  for (const std::string& path : unborn)
    result.push_back(fmt::format("  {} was recorded, but has not been started", path));
  return result;
}

Stall explain_stall(const Log& recorded, const Names& names, const Log& replayed, bool proven, double silent_s) {
  Stall stall{proven, silent_s, {}, {}};
  for (const ThreadInfo& thread : replayed.threads()) {
    if (!thread.ended) stall.threads.push_back(describe(recorded, replayed, names, thread));
  }
  for (const ThreadInfo& thread : recorded.threads()) {
    if (find_path(replayed, thread.path) == nullptr) stall.unborn.push_back(thread.path);
  }
  return stall;
}

}  // namespace reprise::analyse
