// Trait: a thread locks a mutex that it holds already; main waits for the thread.
// Label: hangs
#include <reprise/reprise.h>

int main() {
  reprise::mutex guard{"guard"};
  reprise::thread a([&] {
    guard.lock();
    reprise::out << "once\n";
    guard.lock();
    reprise::out << "never\n";
  });
  a.join();
}
