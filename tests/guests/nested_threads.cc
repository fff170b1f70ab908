// Trait: threads that make threads that make threads; the order of creation is a race, the ids replay.
// Label: racing
#include <reprise/reprise.h>

#include <vector>

#include "guests/together.h"

namespace {

void grow(int depth) {
  reprise::out << "thread " << reprise::this_thread::get_id() << " depth " << depth << '\n';
  if (depth == 0) return;
  reprise::thread left(grow, depth - 1);
  reprise::thread right(grow, depth - 1);
  reprise::out << reprise::this_thread::get_id() << " made " << left.get_id() << " and " << right.get_id() << '\n';
  left.join();
  right.join();
}

}  // namespace

int main() {
  Together start(2);
  auto work = [&] {
    start.arrive();
    grow(2);
  };
  reprise::thread a(work);
  reprise::thread b(work);
  a.join();
  b.join();
  reprise::out << (reprise::thread().get_id() == reprise::thread::id()) << '\n';
}
