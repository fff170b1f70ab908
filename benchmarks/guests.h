// The programs that are recorded and replayed as whole processes: modes of the benchmark itself (`gate guest NAME
// SIZE`).
//
// Each takes its time by itself, from when its threads start working until the last one is done, and tells it by the
// plain system: neither the clock nor the output passes a gate, so both tell the truth in every mode.
#pragma once

#include <reprise/reprise.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "measure.h"

namespace bench {

struct Std {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Thread = std::thread;
};
struct Gated {
  using Mutex = reprise::mutex;
  using Condition = reprise::condition_variable;
  using Thread = reprise::thread;
};

// Two threads that start working at the same time. Returns nanoseconds until both are done.
template <typename With, typename Work>
double in_two_threads(Work work) {
  std::atomic<int> ready{0};
  double starts[2];
  double ends[2];
  const auto run = [&](int who) {
    ready.fetch_add(1);
    while (ready.load() < 2) std::this_thread::yield();
    starts[who] = wall_ns();
    work(who);
    ends[who] = wall_ns();
  };
  typename With::Thread first(run, 0);
  typename With::Thread second(run, 1);
  first.join();
  second.join();
  return std::max(ends[0], ends[1]) - std::min(starts[0], starts[1]);
}

inline int tell(double elapsed_ns, std::uint64_t count) {
  std::printf("elapsed_ns %.0f count %llu\n", elapsed_ns, static_cast<unsigned long long>(count));
  return 0;
}

inline int mutex_alone(std::uint64_t size) {
  reprise::mutex mutex;
  std::uint64_t counter = 0;
  const double start = wall_ns();
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::lock_guard lock(mutex);
    ++counter;
  }
  return tell(wall_ns() - start, counter);
}

inline int mutex_contended(std::uint64_t size) {
  reprise::mutex mutex;
  std::uint64_t counter = 0;
  const double elapsed = in_two_threads<Gated>([&](int) {
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::lock_guard lock(mutex);
      ++counter;
    }
  });
  return tell(elapsed, counter);
}

// Until the mutex has changed hands `size` times: how often it does so per passage differs tenfold between runs, and
// what a recording holds once (program and manifest) should weigh the same in each.
inline int mutex_changes(std::uint64_t size) {
  reprise::mutex mutex;
  int owner = -1;
  std::uint64_t changes = 0;
  const double elapsed = in_two_threads<Gated>([&](int who) {
    for (bool more = true; more;) {
      const std::lock_guard lock(mutex);
      if (owner != who) ++changes;
      owner = who;
      more = changes < size;
    }
  });
  return tell(elapsed, changes);
}

// One thread hands numbers to the other through a queue of bounded length.
inline int producer_consumer(std::uint64_t size) {
  constexpr std::size_t room = 64;
  reprise::mutex mutex;
  reprise::condition_variable changed;
  std::deque<std::uint64_t> queue;
  std::uint64_t sum = 0;
  const auto produce = [&] {
    for (std::uint64_t i = 0; i < size; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return queue.size() < room; });
      queue.push_back(i);
      changed.notify_one();
    }
  };
  const auto consume = [&] {
    for (std::uint64_t i = 0; i < size; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !queue.empty(); });
      sum += queue.front();
      queue.pop_front();
      changed.notify_one();
    }
  };
  const double elapsed = in_two_threads<Gated>([&](int who) { who == 0 ? produce() : consume(); });
  return tell(elapsed, sum);
}

inline int threads(std::uint64_t size) {
  std::uint64_t counter = 0;
  const double start = wall_ns();
  for (std::uint64_t i = 0; i < size; ++i) reprise::thread([&] { ++counter; }).join();
  return tell(wall_ns() - start, counter);
}

// Ranges that are still to be sorted. pop() waits for one, and returns nothing when all is done.
template <typename With>
class WorkQueue {
 public:
  using Range = std::pair<std::uint32_t*, std::uint32_t*>;

  void push(Range range) {
    const std::lock_guard lock(mutex_);
    ranges_.push_back(range);
    changed_.notify_one();
  }
  std::optional<Range> pop() {
    std::unique_lock lock(mutex_);
    ++idle_;
    changed_.wait(lock, [&] { return !ranges_.empty() || idle_ == 2; });
    if (ranges_.empty()) {
      changed_.notify_all();
      return std::nullopt;
    }
    --idle_;
    const Range range = ranges_.back();
    ranges_.pop_back();
    return range;
  }

 private:
  typename With::Mutex mutex_;
  typename With::Condition changed_;
  std::vector<Range> ranges_;
  int idle_{0};
};

// A quicksort whose parts go through a work queue.
template <typename With>
int parallel_sort(std::uint64_t size) {
  constexpr std::ptrdiff_t small = 4096;
  std::vector<std::uint32_t> numbers(size);
  std::uint32_t random = 1;
  for (std::uint32_t& number : numbers) number = random = random * 1664525 + 1013904223;
  WorkQueue<With> queue;
  queue.push({numbers.data(), numbers.data() + numbers.size()});
  const double elapsed = in_two_threads<With>([&](int) {
    while (auto range = queue.pop()) {
      auto [first, last] = *range;
      while (last - first > small) {
        std::uint32_t* middle = first + (last - first) / 2;
        std::nth_element(first, middle, last);
        queue.push({middle, last});
        last = middle;
      }
      std::sort(first, last);
    }
  });
  return tell(elapsed, std::is_sorted(numbers.begin(), numbers.end()) ? 1 : 0);
}

inline int run_guest(const std::string& name, std::uint64_t size) {
  if (name == "mutex_alone") return mutex_alone(size);
  if (name == "mutex_contended") return mutex_contended(size);
  if (name == "mutex_changes") return mutex_changes(size);
  if (name == "producer_consumer") return producer_consumer(size);
  if (name == "threads") return threads(size);
  if (name == "sort_std") return parallel_sort<Std>(size);
  if (name == "sort") return parallel_sort<Gated>(size);
  std::fprintf(stderr, "gate: no guest named %s\n", name.c_str());
  return 2;
}

}  // namespace bench
