// Trait: the process is killed while one thread holds a lock and others wait for it, or sleep.
// Label: racing
#include <reprise/reprise.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <mutex>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    guard.lock();
    reprise::out << who << " holds it\n";
    kill(getpid(), SIGKILL);
  };
  reprise::thread sleeper([] { reprise::this_thread::sleep_for(std::chrono::hours(1)); });
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
  sleeper.join();
}
