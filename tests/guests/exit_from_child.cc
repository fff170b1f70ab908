// Trait: std::exit is called by a child, with main and another thread running; static destructors run there.
// Label: racing
#include <reprise/reprise.h>

#include <cstdlib>
#include <mutex>

#include "guests/together.h"

namespace {

reprise::mutex guard{"guard"};
Together start(3);

struct Last {
  ~Last() {
    const std::lock_guard lock(guard);
    reprise::out << "destroyed\n";
  }
} last;

void work(int who) {
  start.arrive();
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard lock(guard);
    reprise::out << who << '\n';
  }
  static reprise::atomic<int> first{0};
  int expected = 0;
  if (first.compare_exchange_strong(expected, who)) std::exit(20 + who);
  for (;;) reprise::this_thread::yield();
}

}  // namespace

int main() {
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  start.arrive();
  a.join();
  b.join();
}
