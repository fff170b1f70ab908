// How a replay ends: at the recorded end, in a divergence, or in a stall.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "recording/kind.h"
#include "replay/backtrace.h"
#include "replay/replayed.h"
#include "replay/replayer.h"

namespace reprise::replay {

using recording::Event;

namespace {

// Past the gate: this end is reprise's own, not the program's.
[[noreturn]] void leave_process(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

}  // namespace

// The thread has done all that was recorded of it. It waits here for the end of the process, or for --then live.
void Replayer::hold(Replayed& self, Kind kind, ObjectId object) {
  if (self.info->pending_kind != Kind::none) {
    // What was noted when recorded says more: here an object may still lack its name, and a condition is not waited
    // for.
    kind = self.info->pending_kind;
    object = self.info->pending_object;
  }
  self.slot->pending_object = object;
  __atomic_store_n(&self.slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  if (is_detached_) finish_detached();
  if (released_.load() == 0) {
    falls_asleep(self);
    while (released_.load() == 0) released_.wait(0);
  }
  __atomic_store_n(&self.slot->pending_kind, 0, __ATOMIC_RELAXED);
  self.gate = &free_;
  self.keeps_contents = false;
}

void Replayer::reached_end() {
  if (remaining_.fetch_sub(1) != 1) return;
  remaining_.notify_all();
  all_reached_end();
}

// How the process ended, as far as the log goes: what it says of the end may be in the part that is lost.
recording::EndKind Replayer::recorded_end() const {
  return recording::ends_early(recorded_.info()) ? recording::EndKind::running : recorded_.info().end_kind;
}

void Replayer::all_reached_end() {
  if (is_detached_) {
    scratch_->header().flags.fetch_or(recording::live_identical);
    return;
  }
  if (recorded_end() != recording::EndKind::running) return;
  scratch_->header().flags.fetch_or(recording::live_identical);
  if (!options_.then_live) return;
  scratch_->header().flags.fetch_or(recording::live_released);
  gate::installed = &free_;
  released_.store(1);
  released_.notify_all();
}

// The recording ended because the process was killed from outside: it happens again when nobody can go on.
void Replayer::finish_killed() { syscall(SYS_kill, getpid(), SIGKILL); }  // past the gate, as in leave_process

// The one thread that is replayed has come to its end; how the process ended was for the others to decide.
void Replayer::finish_detached() {
  std::fflush(stdout);
  leave_process(0);
}

void Replayer::await_all(Replayed& self) {
  if (remaining_.load() == 0) return;
  falls_asleep(self);
  for (std::uint32_t left = remaining_.load(); left != 0; left = remaining_.load()) remaining_.wait(left);
  wakes(1);
}

void Replayer::exiting(gate::Thread& thread, int code) {
  Replayed& self = replayed(thread);
  if (at_end(self)) return hold(self, Kind::exit, 0);
  if (!is_written(self)) diverge(self, Kind::exit, 0, "the program exits, the recorded one went on", true);
  const auto recorded_code = static_cast<std::int64_t>(self.next->number);
  expect(self, Kind::exit, 0, self.next->kind == Kind::exit && recorded_code == code);
  passed(self, {.kind = Kind::exit, .number = static_cast<std::uint64_t>(static_cast<std::int64_t>(code))}, 0);
  await_all(self);
  recording::LiveHeader& header = scratch_->header();
  header.end_code = code;
  header.end_thread = self.index;
  header.end_kind.store(static_cast<std::uint32_t>(recording::EndKind::exited), std::memory_order_release);
}

void Replayer::crashing(gate::Thread& thread, int signal) {
  Replayed& self = replayed(thread);
  if (at_end(self)) return hold(self, Kind::crash, 0);
  if (!is_written(self)) diverge(self, Kind::crash, 0, "the program crashes, the recorded one went on", true);
  expect(self, Kind::crash, 0,
         self.next->kind == Kind::crash && self.next->number == static_cast<std::uint64_t>(signal));
  passed(self, {.kind = Kind::crash, .number = static_cast<std::uint64_t>(signal)}, 0);
  await_all(self);
  recording::LiveHeader& header = scratch_->header();
  header.end_code = signal;
  header.end_thread = self.index;
  header.end_kind.store(static_cast<std::uint32_t>(recording::EndKind::signalled), std::memory_order_release);
}

void Replayer::replacing(gate::Thread& thread, bool begins) {
  Replayed& self = replayed(thread);
  const Kind kind = begins ? Kind::exec : Kind::try_failed;
  if (at_end(self)) return hold(self, kind, 0);
  if (!is_written(self)) diverge(self, kind, 0, "nothing of the kind was recorded here", true);
  expect(self, kind, 0, self.next->kind == kind);
  passed(self, {.kind = kind, .number = begins ? 0u : 1u}, 0);
  const auto end = begins ? recording::EndKind::replaced : recording::EndKind::running;
  if (begins && recorded_.info().end_kind == end && at_end(self)) await_all(self);
  scratch_->header().end_kind.store(static_cast<std::uint32_t>(end), std::memory_order_release);
}

bool Replayer::other_threads() {
  const std::lock_guard lock(watch_mutex_);
  return living_ > 1;
}

// ---- who sleeps ----

void Replayer::falls_asleep(gate::Thread& thread) {
  __atomic_store_n(&thread.slot->asleep, 1, __ATOMIC_RELAXED);
  const std::lock_guard lock(watch_mutex_);
  ++asleep_;
  look_for_stall();
}

void Replayer::wakes(std::uint32_t sleepers) {
  const std::lock_guard lock(watch_mutex_);
  asleep_ -= sleepers;
}

// Nobody is awake and nobody outside can wake one: that is the end, or it is a stall.
void Replayer::look_for_stall() {
  if (living_ == 0 || asleep_ != living_ || released_.load() != 0 || diverged_.load()) return;
  if (remaining_.load() == 0) {
    if (recorded_end() == recording::EndKind::running && !options_.then_live) finish_killed();
    return;
  }
  if (recording::ends_early(recorded_.info())) {
    // A recording that ends early: where no thread can go on is where it ends.
    scratch_->header().flags.fetch_or(recording::live_identical);
    finish_killed();
    return;
  }
  scratch_->header().flags.fetch_or(recording::live_stalled);
  if (options_.launched) return;
  static constexpr char message[] =
      "reprise: replay stalled: every thread waits for another; run it under `reprise replay` for the reasons\n";
  [[maybe_unused]] const auto size = write(STDERR_FILENO, message, sizeof message - 1);
  leave_process(4);
}

// ---- the program is not the recorded one ----

void Replayer::differs(gate::Thread& thread, Kind kind, std::string_view what) {
  // The step was passed already: it is the last one, not the next.
  Replayed& self = replayed(thread);
  --self.slot->steps;
  diverge(self, kind, 0, std::string(what).c_str(), false);
}

void Replayer::park() {
  for (;;) pause();
}

// The step is the first one that is another, unless steps were left out before it: those have passed one check byte,
// and one in 256 passes by chance. So a bracket begins where two of them would have been deceived.
std::uint64_t Replayer::certain_until(const Replayed& self, bool at_written) {
  if (recorded_.info().full) return self.slot->steps;
  if (!at_written) return self.doubtful_after;
  const bool left_out = is_written(self) && self.next->checked && self.run_used == 0;
  return left_out ? self.last_written : self.slot->steps;
}

void Replayer::diverge(Replayed& self, Kind kind, ObjectId object, const char* detail, bool bracketed) {
  if (diverged_.exchange(true)) park();
  recording::LiveDivergence& found = scratch_->header().divergence;
  found.thread = self.index;
  found.step = self.slot->steps + 1;
  found.step_after = certain_until(self, !bracketed);
  found.bracketed = found.step > found.step_after + 1 ? 1 : 0;
  found.actual_kind = static_cast<std::uint32_t>(kind);
  found.actual_object = object;
  if (self.next && is_written(self)) {
    found.expected_kind = static_cast<std::uint32_t>(self.next->kind);
    found.expected_object = self.next->object;
    found.expected_order = self.next->order;
  }
  std::strncpy(found.detail, detail, sizeof found.detail - 1);
  found.stack_depth = capture_stack(found.stack, recording::stack_depth_max);
  scratch_->header().flags.fetch_or(recording::live_diverged);
  if (options_.launched) park();
  std::fprintf(stderr, "reprise: replay diverged in thread %u at step %llu: %s\n", found.thread,
               static_cast<unsigned long long>(found.step), detail);
  leave_process(3);
}

}  // namespace reprise::replay
