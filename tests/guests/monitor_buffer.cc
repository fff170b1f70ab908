// Trait: producers and consumers meet in a monitor with two conditions, and count in a named semaphore.
// Label: racing
#include <reprise/monitor.h>
#include <reprise/reprise.h>

#include <deque>
#include <string>

#include "guests/together.h"

class Buffer : reprise::monitor {
 public:
  Buffer() : monitor("Buffer") {}

  void deposit(char item) {
    const entry inside(*this, "deposit");
    while (items_.size() == 2) not_full_.wait();
    items_.push_back(item);
    not_empty_.signal();
  }
  char withdraw() {
    const entry inside(*this, "withdraw");
    while (items_.empty()) not_empty_.wait();
    const char item = items_.front();
    items_.pop_front();
    not_full_.signal();
    return item;
  }

 private:
  std::deque<char> items_;
  condition not_full_{*this, "notFull"};
  condition not_empty_{*this, "notEmpty"};
};

int main() {
  constexpr int count = 20;
  Buffer buffer;
  reprise::semaphore done(0, "done");
  Together start(3);
  auto produce = [&](char who) {
    start.arrive();
    for (int i = 0; i < count; ++i) buffer.deposit(who);
    done.V();
  };
  std::string seen;
  reprise::thread a(produce, 'a');
  reprise::thread b(produce, 'b');
  reprise::thread c([&] {
    start.arrive();
    for (int i = 0; i < 2 * count; ++i) seen += buffer.withdraw();
    done.V();
  });
  for (int i = 0; i < 3; ++i) done.P();
  a.join();
  b.join();
  c.join();
  reprise::out << seen << '\n';
}
