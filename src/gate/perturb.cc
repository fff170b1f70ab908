#include "gate/perturb.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace reprise::gate::perturb {
namespace {

// A favoured thread that does not come to a gate may be blocked where no gate sees it, or compute for a long time: then
// the adversary gives up. It may also be waiting for a processor: then it does not. The kernel is asked, now and then.
constexpr int yields_between_questions = 64;
constexpr std::int64_t patience_cpu_ns = 5'000'000;
constexpr std::int64_t patience_ns = 2'000'000'000;
constexpr std::size_t enrolled_max = 4096;

struct Enrolled {
  std::atomic<const Slot*> slot{nullptr};
  std::atomic<int> kernel_thread{0};
};

Options options;
std::mutex roll_mutex;
std::array<Enrolled, enrolled_max> roll;
std::atomic<std::size_t> roll_size{0};

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

bool runnable(const Slot& slot) {
  return __atomic_load_n(&slot.state, __ATOMIC_RELAXED) == 1 &&
         __atomic_load_n(&slot.pending_kind, __ATOMIC_RELAXED) == 0;
}

bool favoured(const Slot& other, const Slot& me) {
  return options.favour == Favour::first ? other.index < me.index : other.index > me.index;
}

// What the kernel says of a thread of this process, read from its file of that name.
bool read_status(int kernel_thread, const char* file_name, char (&text)[256]) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/%s", kernel_thread, file_name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  return size > 0;
}

bool runs_for_the_kernel(int kernel_thread) {
  char text[256];
  if (!read_status(kernel_thread, "stat", text)) return false;
  const char* name_end = std::strrchr(text, ')');
  return name_end != nullptr && std::strncmp(name_end, ") R", 3) == 0;
}

// Processor time a thread has had; where the kernel does not tell, the time that has passed.
std::int64_t cpu_ns(int kernel_thread) {
  char text[256];
  if (!read_status(kernel_thread, "schedstat", text)) return now_ns();
  return std::strtoll(text, nullptr, 10);
}

// A favoured thread that can run, as far as the gates know, or null.
const Enrolled* find_favoured(const Slot& me, bool ask_kernel) {
  const std::size_t size = roll_size.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < size; ++i) {
    const Slot* other = roll[i].slot.load(std::memory_order_acquire);
    if (other == nullptr || other == &me || !favoured(*other, me) || !runnable(*other)) continue;
    if (!ask_kernel || runs_for_the_kernel(roll[i].kernel_thread.load(std::memory_order_relaxed))) return &roll[i];
  }
  return nullptr;
}

// How long one favoured thread has been waited for, in its own time.
class Patience {
 public:
  bool is_over(const Enrolled& awaited) {
    const int thread = awaited.kernel_thread.load(std::memory_order_relaxed);
    const std::int64_t cpu = cpu_ns(thread);
    if (start_ns_ == 0) start_ns_ = now_ns();
    if (thread != thread_) cpu_start_ns_ = cpu;
    thread_ = thread;
    return cpu - cpu_start_ns_ > patience_cpu_ns || now_ns() - start_ns_ > patience_ns;
  }

 private:
  int thread_{0};
  std::int64_t cpu_start_ns_{0};
  std::int64_t start_ns_{0};
};

void give_way(const Slot& me) {
  const int errno_of_program = errno;
  Patience patience;
  for (int yields = 1; find_favoured(me, false) != nullptr; ++yields) {
    if (yields % yields_between_questions == 0) {
      const Enrolled* awaited = find_favoured(me, true);
      if (awaited == nullptr || patience.is_over(*awaited)) break;
    }
    sched_yield();
  }
  errno = errno_of_program;
}

std::uint64_t next_random(Thread& thread) {
  // splitmix64 over (seed, thread, step): reproducible whatever the other threads do.
  std::uint64_t x = *options.chaos_seed * 0x9E3779B97F4A7C15u + thread.index * 0xBF58476D1CE4E5B9u + thread.slot->steps;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void chaos(Thread& thread) {
  if (thread.frozen) return;  // it counts no steps any more: what chance says of one it would say of all
  const int errno_of_program = errno;
  const std::uint64_t random = next_random(thread);
  if (random % 8 == 0) {
    sched_yield();
  } else if (random % 64 == 1) {
    const timespec nap{0, static_cast<long>((random >> 32) % 100'000)};
    nanosleep(&nap, nullptr);
  }
  errno = errno_of_program;
}

void delay() {
  const int errno_of_program = errno;
  const timespec nap{options.delay_ns / 1'000'000'000, options.delay_ns % 1'000'000'000};
  nanosleep(&nap, nullptr);
  errno = errno_of_program;
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

void forget() {
  new (&roll_mutex) std::mutex;
  roll_size.store(0, std::memory_order_release);
}

void before_slow(Thread& thread) {
  if (options.chaos_seed) chaos(thread);
  if (options.delay_ns > 0) delay();
  if (options.favour != Favour::none) give_way(*thread.slot);
}

}  // namespace reprise::gate::perturb
