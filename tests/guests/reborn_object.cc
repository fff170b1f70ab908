// Trait: a mutex is destroyed and another one made at the same address, again and again.
// Label: racing
#include <reprise/reprise.h>

#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "guests/together.h"

int main() {
  std::string seen;
  alignas(reprise::mutex) unsigned char place[sizeof(reprise::mutex)];
  for (int life = 0; life < 10; ++life) {
    auto* guard = new (place) reprise::mutex;
    auto counter = std::make_unique<reprise::atomic<int>>(life);
    Together start(2);
    auto work = [&](char who) {
      start.arrive();
      for (int i = 0; i < 4; ++i) {
        const std::lock_guard lock(*guard);
        seen += who + std::to_string(counter->fetch_add(1));
      }
    };
    reprise::thread a(work, 'a');
    reprise::thread b(work, 'b');
    a.join();
    b.join();
    guard->~mutex();
  }
  reprise::out << seen << '\n';
}
