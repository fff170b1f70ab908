// Trait: ten thousand mutexes and atomics, named by whoever comes first, visited by two threads in opposite directions.
// Label: racing
#include <reprise/reprise.h>

#include <deque>
#include <mutex>

#include "guests/together.h"

int main() {
  constexpr int count = 10'000;
  struct Place {
    reprise::mutex mutex;
    int visits{0};
  };
  std::deque<Place> places(count);
  std::deque<reprise::atomic<int>> numbers(200);
  unsigned met[2] = {0, 0};
  unsigned sum[2] = {0, 0};
  Together start(2);
  auto work = [&](unsigned who) {
    start.arrive();
    for (unsigned i = 0; i < count; ++i) {
      const unsigned where = who == 0 ? i : count - 1 - i;
      {
        const std::lock_guard lock(places[where].mutex);
        if (places[where].visits++ > 0) ++met[who];
      }
      if (i % 50 == 0)
        sum[who] = sum[who] * 7 + static_cast<unsigned>(numbers[where / 50].fetch_add(1 + static_cast<int>(who)));
    }
  };
  reprise::thread a(work, 0u);
  reprise::thread b(work, 1u);
  a.join();
  b.join();
  reprise::out << met[0] << ' ' << met[1] << ' ' << sum[0] << ' ' << sum[1] << '\n';
}
