// Trait: two threads race for a mutex; who comes first sends to one mailbox, who comes second to another.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <mutex>

int main() {
  reprise::mailbox<int> first("first");
  reprise::mailbox<int> second("second");
  reprise::mutex door{"door"};
  int entered = 0;
  auto enter = [&](int who) {
    reprise::sender<int> to_first("first");
    reprise::sender<int> to_second("second");
    to_first.connect();
    to_second.connect();
    int place = 0;
    {
      const std::lock_guard lock(door);
      place = ++entered;
    }
    (place == 1 ? to_first : to_second).send(who);
    to_first.close();
    to_second.close();
  };
  reprise::thread a(enter, 1);
  reprise::thread b(enter, 2);
  reprise::out << first.receive() << " came first, " << second.receive() << " second\n";
  a.join();
  b.join();
  first.close();
  second.close();
}
