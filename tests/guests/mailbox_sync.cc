// Trait: two threads send to one synchronous mailbox, a third to another; the receivers tell in which order they came.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include "guests/together.h"

int main() {
  constexpr int count = 6;
  reprise::sync_mailbox<int> offers("offers");
  reprise::sync_mailbox<int> answers("answers");
  Together start(2);
  auto offer = [&](int who) {
    reprise::sender<int> to_offers("offers");
    to_offers.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to_offers.send(who * 100 + i);
    to_offers.close();
  };
  reprise::thread a(offer, 1);
  reprise::thread b(offer, 2);
  reprise::thread c([&] {
    reprise::sender<int> to_answers("answers");
    to_answers.connect();
    for (int i = 0; i < 2 * count; ++i) to_answers.send(offers.receive());
    to_answers.close();
  });
  for (int i = 0; i < 2 * count; ++i) reprise::out << answers.receive() << '\n';
  for (reprise::thread* thread : {&a, &b, &c}) thread->join();
  offers.close();
  answers.close();
}
