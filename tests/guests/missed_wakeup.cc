// Trait: a notification comes before the wait that needs it, if the notifier is first: then the waiter waits for ever.
// Label: hangs
#include <reprise/reprise.h>

#include <mutex>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  reprise::condition_variable ready{"ready"};
  Together start(2);
  reprise::thread waiter([&] {
    start.arrive();
    std::unique_lock lock(guard);
    reprise::out << "waits\n";
    ready.wait(lock);  // without asking what it waits for
    reprise::out << "woken\n";
  });
  reprise::thread notifier([&] {
    start.arrive();
    reprise::out << "notifies\n";
    ready.notify_one();
  });
  notifier.join();
  waiter.join();
  std::unique_lock lock(guard);
  ready.wait(lock);  // hangs for certain
}
