// Trait: producers and consumers meet at counting semaphores, some of which release several at once.
// Label: racing
#include <reprise/reprise.h>

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  constexpr int each = 12;
  reprise::counting_semaphore<4> room(4, "room");
  reprise::counting_semaphore<> filled(0, "filled");
  reprise::mutex guard;
  std::deque<std::string> queue;
  std::string taken[2];
  std::string turns;
  Together start(4);
  auto produce = [&](char who) {
    start.arrive();
    for (int i = 0; i < each; i += 2) {
      room.acquire();
      room.acquire();
      {
        const std::lock_guard lock(guard);
        turns += who;
        queue.push_back(who + std::to_string(i));
        queue.push_back(who + std::to_string(i + 1));
      }
      filled.release(2);
    }
  };
  auto consume = [&](int who) {
    start.arrive();
    for (int i = 0; i < each; ++i) {
      filled.acquire();
      {
        const std::lock_guard lock(guard);
        taken[who] += queue.front() + ' ';
        queue.pop_front();
        turns += static_cast<char>('0' + who);
      }
      room.release();
    }
  };
  {
    // Two producers that each take two places of four can never starve each other: consumers give back one by one, but
    // a producer that holds one place waits for one more.
    reprise::jthread a(produce, 'a');
    reprise::jthread c(consume, 0);
    reprise::jthread b(produce, 'b');
    reprise::jthread d(consume, 1);
  }
  reprise::out << taken[0] << "| " << taken[1] << turns << '\n';
}
