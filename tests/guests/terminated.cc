// Trait: the process ends by a signal that says stop (SIGTERM), sent by itself, with threads running and waiting.
// Label: racing
#include <reprise/reprise.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  reprise::condition_variable never{"never"};
  Together start(2);
  reprise::thread waiter([&] {
    std::unique_lock lock(guard);
    never.wait(lock, [] { return false; });
  });
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard lock(guard);
      reprise::out << who << '\n';
    }
    kill(getpid(), SIGTERM);
    for (;;) reprise::this_thread::yield();
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
  waiter.join();
}
