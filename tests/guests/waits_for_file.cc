// Trait: it waits, where no gate sees it, for a file to be there, and then goes on.
// Label: helper
//
// Use: waits_for_file FILE
#include <reprise/reprise.h>
#include <unistd.h>

#include <mutex>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  reprise::mutex guard{"guard"};
  reprise::condition_variable ready{"ready"};
  reprise::atomic<int> number{0, "number"};
  int arrived = 0;
  const auto arrive = [&] {
    std::unique_lock lock(guard);
    ++arrived;
    ready.notify_all();
    ready.wait(lock, [&] { return arrived >= 3; });
    number.fetch_add(1);
  };
  reprise::thread a(arrive);
  reprise::thread b(arrive);
  reprise::out << "before\n";
  while (access(argv[1], F_OK) != 0) usleep(1000);
  arrive();
  a.join();
  b.join();
  reprise::out << "after " << number.load() << '\n';
  return 3;
}
