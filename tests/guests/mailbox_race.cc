// Trait: two threads send to one mailbox from which two others receive; a third mailbox takes what they got.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  constexpr int count = 12;
  reprise::mailbox<int> work("work");
  reprise::mailbox<std::string> results;
  Together start(4);
  auto produce = [&](int who) {
    reprise::sender<int> to_work("work");
    to_work.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to_work.send(who * 100 + i);
    to_work.close();
  };
  auto consume = [&](char who) {
    reprise::sender<std::string> to_results(results.name());
    to_results.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to_results.send(who + std::to_string(work.receive()));
    to_results.close();
  };
  reprise::thread a(produce, 1);
  reprise::thread b(produce, 2);
  reprise::thread c(consume, 'c');
  reprise::thread d(consume, 'd');
  for (int i = 0; i < 2 * count; ++i) reprise::out << results.receive() << '\n';
  for (reprise::thread* thread : {&a, &b, &c, &d}) thread->join();
  work.close();
  results.close();
}
