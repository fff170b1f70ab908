// Trait: two threads take turns by a condition_variable (wait with and without predicate, notify_one).
#include <reprise/reprise.h>

#include <mutex>
#include <string>

int main() {
  reprise::mutex guard{"guard"};
  reprise::condition_variable changed{"changed"};
  int turn = 0;
  std::string seen;
  int woken = 0;
  auto play = [&](int me) {
    for (int i = 0; i < 30; ++i) {
      std::unique_lock lock(guard);
      if (me == 0) {
        changed.wait(lock, [&] { return turn == me; });
      } else {
        while (turn != me) {
          changed.wait(lock);
          ++woken;
        }
      }
      seen += static_cast<char>('a' + me);
      turn = 1 - me;
      changed.notify_one();
    }
  };
  reprise::thread a(play, 0);
  reprise::thread b(play, 1);
  a.join();
  b.join();
  reprise::out << seen << ' ' << woken << '\n';
}
