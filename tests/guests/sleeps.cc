// Trait: sleep_for and sleep_until by each clock, between races for a mutex.
// Label: racing
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::mutex guard{"guard"};
  std::string seen;
  Together start(2);
  auto work = [&](char who) {
    start.arrive();
    for (int i = 0; i < 12; ++i) {
      {
        const std::lock_guard lock(guard);
        seen += who;
      }
      if (i == 4) reprise::this_thread::sleep_for(200us);
      if (i == 6) reprise::this_thread::sleep_until(reprise::steady_clock::now() + 200us);
      if (i == 8) reprise::this_thread::sleep_until(reprise::system_clock::now() - 1s);
      if (i == 9) reprise::this_thread::yield();
    }
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  a.join();
  b.join();
  reprise::out << seen << '\n';
}
