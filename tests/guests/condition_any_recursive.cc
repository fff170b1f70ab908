// Trait: condition_variable_any with a recursive_mutex, and with a lock type of the program's own.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

// The least that condition_variable_any asks of a lock.
struct Latch {
  reprise::recursive_mutex& inner;
  void lock() { inner.lock(); }
  void unlock() { inner.unlock(); }
};

}  // namespace

int main() {
  reprise::recursive_mutex guard{"guard"};
  reprise::condition_variable_any changed{"changed"};
  std::string seen;
  int turn = 0;
  Together start(2);
  reprise::thread a([&] {
    start.arrive();
    for (int i = 0; i < 15; ++i) {
      std::unique_lock lock(guard);
      seen += 'a';
      changed.wait(lock, [&] { return turn == 0; });
      turn = 1;
      changed.notify_all();
    }
  });
  reprise::thread b([&] {
    start.arrive();
    for (int i = 0; i < 15; ++i) {
      Latch latch{guard};
      latch.lock();
      seen += 'b';
      while (turn != 1) changed.wait(latch);
      turn = 0;
      changed.notify_one();
      latch.unlock();
    }
  });
  a.join();
  b.join();
  reprise::out << seen << '\n';
}
