// Trait: it makes more events than a small disk can hold, and then ends as it should.
// Label: helper
#include <reprise/reprise.h>

#include <mutex>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  reprise::atomic<long> sum{0, "sum"};
  long locked = 0;
  Together start(3);
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 3; ++who) {
    threads.emplace_back([&] {
      start.arrive();
      for (int i = 0; i < 20'000; ++i) {
        {
          const std::lock_guard lock(guard);
          ++locked;
        }
        sum.fetch_add(1);
        const auto text = reprise::value("text", [] { return std::string(100, 'v'); });
        sum.fetch_add(static_cast<long>(text.size()));
        if (i % 5000 == 0) reprise::this_thread::sleep_for(std::chrono::microseconds(1));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  reprise::out << locked << ' ' << sum.load() << '\n';
  return 9;
}
