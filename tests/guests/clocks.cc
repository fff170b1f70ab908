// Trait: readings of the clocks, in two threads.
// Label: outside
#include <reprise/reprise.h>

#include <vector>

int main() {
  auto read = [](int times) {
    for (int i = 0; i < times; ++i) {
      reprise::out << reprise::system_clock::now().time_since_epoch().count() << ' '
                   << reprise::steady_clock::now().time_since_epoch().count() << '\n';
    }
  };
  reprise::thread other(read, 20);
  read(20);
  other.join();
  const auto then = reprise::system_clock::now();
  reprise::out << reprise::system_clock::to_time_t(then) << '\n';
}
