// Trait: the process ends by SIGPIPE, as one thread writes into a pipe that nobody reads while others pass gates.
// Label: racing
#include <reprise/reprise.h>
#include <unistd.h>

#include <mutex>

#include "guests/together.h"

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  close(ends[0]);
  reprise::mutex guard{"guard"};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard lock(guard);
      reprise::out << who << '\n';
    }
    if (write(ends[1], "x", 1) == 1) reprise::out << "never\n";
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
