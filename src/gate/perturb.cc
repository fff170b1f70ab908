#include "gate/perturb.h"

#include <sched.h>
#include <time.h>

#include <array>
#include <atomic>
#include <mutex>

namespace reprise::gate::perturb {
namespace {

// The adversary gives up after this many yields at one gate: a favoured thread may be computing, or blocked where no
// gate sees it.
constexpr int patience = 1000;
constexpr std::size_t enrolled_max = 4096;

Options options;
std::mutex roll_mutex;
std::array<std::atomic<const Slot*>, enrolled_max> roll;
std::atomic<std::size_t> roll_size{0};

bool runnable(const Slot& slot) {
  return __atomic_load_n(&slot.state, __ATOMIC_RELAXED) == 1 &&
         __atomic_load_n(&slot.pending_kind, __ATOMIC_RELAXED) == 0;
}

bool favoured(const Slot& other, const Slot& me) {
  return options.favour == Favour::first ? other.index < me.index : other.index > me.index;
}

bool favoured_thread_can_run(const Slot& me) {
  const std::size_t size = roll_size.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < size; ++i) {
    const Slot* other = roll[i].load(std::memory_order_acquire);
    if (other != nullptr && other != &me && favoured(*other, me) && runnable(*other)) return true;
  }
  return false;
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
    if (roll[i].load(std::memory_order_relaxed) == nullptr) {
      roll[i].store(thread.slot, std::memory_order_release);
      return;
    }
  }
  if (size == enrolled_max) return;
  roll[size].store(thread.slot, std::memory_order_release);
  roll_size.store(size + 1, std::memory_order_release);
}

void dismiss(Thread& thread) {
  if (options.favour == Favour::none) return;
  const std::lock_guard lock(roll_mutex);
  for (auto& entry : roll) {
    if (entry.load(std::memory_order_relaxed) == thread.slot) entry.store(nullptr, std::memory_order_release);
  }
}

void before_slow(Thread& thread) {
  if (options.chaos_seed) chaos(thread);
  if (options.favour == Favour::none) return;
  for (int i = 0; i < patience && favoured_thread_can_run(*thread.slot); ++i) sched_yield();
}

}  // namespace reprise::gate::perturb
