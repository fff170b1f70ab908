// Trait: four threads pass gates for ever and count, each in shared memory of its own, the steps that have returned.
// Label: helper
//
// Use: counted_steps COUNTS   The file holds, each on a cache line, the pid and the steps of threads 0.0 to 0.3.
#include <fcntl.h>
#include <reprise/reprise.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "guests/together.h"

namespace {

constexpr int thread_count = 4;

struct alignas(64) Count {
  std::atomic<std::uint64_t> value;
};

Count* map_counts(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(Count) * (thread_count + 1)) != 0) return nullptr;
  void* at = mmap(nullptr, sizeof(Count) * (thread_count + 1), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<Count*>(at);
}

struct Shared {
  reprise::mutex guard{"guard"};
  reprise::recursive_mutex nested{"nested"};
  reprise::condition_variable changed{"changed"};
  reprise::atomic<int> tickets{0, "tickets"};
  reprise::atomic<const Count*> pointer{nullptr, "pointer"};
};

// One round of every sort of step. `passed(n)` is called after n of them have returned.
template <typename Passed>
void round(Shared& shared, unsigned number, Passed passed) {
  shared.guard.lock();
  passed(1);
  if (number % 3 == 0) {
    shared.changed.notify_one();
    passed(1);
  }
  shared.guard.unlock();
  passed(1);
  shared.tickets.fetch_add(1);
  passed(1);
  shared.pointer.load();
  passed(1);
  if (number % 5 == 0) {
    shared.pointer.store(nullptr);
    passed(1);
  }
  if (shared.nested.try_lock()) shared.nested.unlock(), passed(1);
  passed(1);
  int expected = shared.tickets.load();
  shared.tickets.compare_exchange_strong(expected, expected + 1);
  passed(2);
  if (number % 7 == 0) {
    reprise::steady_clock::now();
    reprise::value("number", [&] { return number; });
    passed(2);
  }
  if (number % 11 == 0) {
    reprise::out << "round " << number << '\n';
    passed(1);
  }
  if (number % 13 == 0) {
    std::unique_lock lock(shared.guard);
    shared.changed.wait_for(lock, std::chrono::microseconds(50));
    lock.unlock();
    passed(5);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Count* counts = argc > 1 ? map_counts(argv[1]) : nullptr;
  if (counts == nullptr) return 2;
  Shared shared;
  std::vector<reprise::thread> threads;
  for (int who = 0; who < thread_count; ++who) {
    threads.emplace_back([&, who] {
      std::atomic<std::uint64_t>& mine = counts[who + 1].value;
      for (unsigned number = 0;; ++number) {
        round(shared, number, [&](std::uint64_t steps) { mine.store(mine.load() + steps); });
        compute(20'000);  // so that a replay takes no minutes
      }
    });
  }
  counts[0].value = static_cast<std::uint64_t>(getpid());
  for (auto& thread : threads) thread.join();
}
