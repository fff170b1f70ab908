// Trait: notify_all wakes four waiters; the order in which they get the mutex again is a race.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  reprise::condition_variable opened{"opened"};
  int waiting = 0;
  int round = 0;
  std::string seen;
  Together start(4);
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 4; ++who) {
    threads.emplace_back([&, who] {
      start.arrive();
      for (int i = 0; i < 5; ++i) {
        std::unique_lock lock(guard);
        seen += static_cast<char>('a' + who);
        if (++waiting == 4) {
          waiting = 0;
          ++round;
          opened.notify_all();
        } else {
          opened.wait(lock, [&] { return round > i; });
        }
        seen += static_cast<char>('A' + who);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  reprise::out << seen << '\n';
}
