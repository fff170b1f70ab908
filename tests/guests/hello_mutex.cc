// Trait: two threads race for one mutex; the order of ownership is printed.
#include <reprise/reprise.h>

#include <mutex>
#include <string>

int main() {
  reprise::mutex turn{"turn"};
  std::string seen;
  auto work = [&](char who) {
    for (int i = 0; i < 50; ++i) {
      const std::lock_guard lock(turn);
      seen += who;
    }
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  a.join();
  b.join();
  reprise::out << seen << '\n';
}
