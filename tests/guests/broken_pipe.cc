// Trait: the process ends by SIGPIPE, as one thread writes into a pipe that nobody reads while others pass gates.
// Label: racing
//
//   broken_pipe [FILE]     the thread whose number stands in FILE rests before it writes
#include <reprise/reprise.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>

#include "guests/together.h"

namespace {

void rest_if_late(const char* file, int who) {
  int late = 0;
  if (file != nullptr) std::ifstream(file) >> late;
  if (late == who) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

}  // namespace

int main(int count, char** words) {
  const char* file = count > 1 ? words[1] : nullptr;
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
    rest_if_late(file, who);
    if (write(ends[1], "x", 1) == 1) reprise::out << "never\n";
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
