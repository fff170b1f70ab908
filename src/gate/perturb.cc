#include "gate/perturb.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace reprise::gate::perturb {
namespace {

// A favoured thread that does not come to a gate may be blocked where no gate sees it (asked of the kernel, now and
// then), or it computes for a long time: then the adversary gives up.
constexpr int yields_between_questions = 64;
constexpr std::int64_t patience_ns = 20'000'000;
constexpr std::size_t enrolled_max = 4096;

struct Enrolled {
  std::atomic<const Slot*> slot{nullptr};
  std::atomic<int> kernel_thread{0};
};

Options options;
std::mutex roll_mutex;
std::array<Enrolled, enrolled_max> roll;
std::atomic<std::size_t> roll_size{0};

bool runnable(const Slot& slot) {
  return __atomic_load_n(&slot.state, __ATOMIC_RELAXED) == 1 &&
         __atomic_load_n(&slot.pending_kind, __ATOMIC_RELAXED) == 0;
}

bool favoured(const Slot& other, const Slot& me) {
  return options.favour == Favour::first ? other.index < me.index : other.index > me.index;
}

// The state letter of a thread of this process is that of a running or runnable one.
bool runs_for_the_kernel(int kernel_thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", kernel_thread);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[256];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char* name_end = std::strrchr(text, ')');
  return name_end != nullptr && std::strncmp(name_end, ") R", 3) == 0;
}

bool favoured_thread_can_run(const Slot& me, bool ask_kernel) {
  const std::size_t size = roll_size.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < size; ++i) {
    const Slot* other = roll[i].slot.load(std::memory_order_acquire);
    if (other == nullptr || other == &me || !favoured(*other, me) || !runnable(*other)) continue;
    if (!ask_kernel || runs_for_the_kernel(roll[i].kernel_thread.load(std::memory_order_relaxed))) return true;
  }
  return false;
}

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void give_way(const Slot& me) {
  std::int64_t start_ns = 0;
  for (int yields = 0; favoured_thread_can_run(me, false); ++yields) {
    if (yields % yields_between_questions == yields_between_questions - 1) {
      const int errno_of_program = errno;
      const bool can_run = favoured_thread_can_run(me, true);
      errno = errno_of_program;
      if (!can_run) return;
      if (start_ns == 0) start_ns = now_ns();
      if (now_ns() - start_ns > patience_ns) return;
    }
    sched_yield();
  }
}

std::uint64_t next_random(Thread& thread) {
  // splitmix64 over (seed, thread, step): reproducible whatever the other threads do.
  std::uint64_t x = *options.chaos_seed * 0x9E3779B97F4A7C15u + thread.index * 0xBF58476D1CE4E5B9u + thread.slot->steps;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void chaos(Thread& thread) {
  const std::uint64_t random = next_random(thread);
  if (random % 8 == 0) {
    sched_yield();
  } else if (random % 64 == 1) {
    const timespec nap{0, static_cast<long>((random >> 32) % 100'000)};
    nanosleep(&nap, nullptr);
  }
}

}  // namespace

bool is_active = false;

void configure(const Options& wanted) {
  options = wanted;
  is_active = wanted.any();
}

bool active() { return is_active; }

void enrol(Thread& thread) {
  if (options.favour == Favour::none) return;
  const std::lock_guard lock(roll_mutex);
  const std::size_t size = roll_size.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < size; ++i) {
    if (roll[i].slot.load(std::memory_order_relaxed) == nullptr) {
      roll[i].kernel_thread.store(gettid(), std::memory_order_relaxed);
      roll[i].slot.store(thread.slot, std::memory_order_release);
      return;
    }
  }
  if (size == enrolled_max) return;
  roll[size].kernel_thread.store(gettid(), std::memory_order_relaxed);
  roll[size].slot.store(thread.slot, std::memory_order_release);
  roll_size.store(size + 1, std::memory_order_release);
}

void dismiss(Thread& thread) {
  if (options.favour == Favour::none) return;
  const std::lock_guard lock(roll_mutex);
  for (Enrolled& entry : roll) {
    if (entry.slot.load(std::memory_order_relaxed) == thread.slot) entry.slot.store(nullptr, std::memory_order_release);
  }
}

void before_slow(Thread& thread) {
  if (options.chaos_seed) chaos(thread);
  if (options.favour != Favour::none) give_way(*thread.slot);
}

}  // namespace reprise::gate::perturb
