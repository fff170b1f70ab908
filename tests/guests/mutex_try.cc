// Trait: try_lock fails while another thread holds the mutex, and succeeds later; how often it fails is a race.
// Label: racing
#include <reprise/reprise.h>

#include "guests/together.h"

int main() {
  reprise::mutex door{"door"};
  reprise::atomic<int> opened{0};
  std::atomic<bool> held{false};
  Together start(2);
  int failures = 0;
  reprise::thread holder([&] {
    door.lock();
    held = true;
    start.arrive();
    for (int i = 0; i < 10; ++i) opened.fetch_add(1);
    door.unlock();
  });
  reprise::thread visitor([&] {
    while (!held) sched_yield();
    if (door.try_lock()) return;  // never: it is held, and its holder waits for us
    start.arrive();
    while (!door.try_lock()) ++failures;
    door.unlock();
  });
  holder.join();
  visitor.join();
  reprise::out << "failed " << failures << " times, opened " << opened.load() << '\n';
}
