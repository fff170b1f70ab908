// Trait: a selective wait over three mailboxes, synchronous ones too, with guards, otherwise and after.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <chrono>
#include <string>

#include "guests/together.h"

int main() {
  constexpr int count = 10;
  using namespace std::chrono_literals;
  reprise::selectable_mailbox<int> numbers("numbers");
  reprise::selectable_mailbox<std::string> texts("texts");
  reprise::selectable_sync_mailbox<int> both("both");
  Together start(4);
  reprise::thread a([&] {
    reprise::sender<int> to("numbers");
    to.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to.send(i);
    to.close();
  });
  reprise::thread b([&] {
    reprise::sender<std::string> to("texts");
    to.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to.send(std::string(1, static_cast<char>('a' + i)));
    to.close();
  });
  reprise::thread c([&] {
    reprise::sender<int> to("both");
    to.connect();
    start.arrive();
    for (int i = 0; i < count; ++i) to.send(100 + i);
    to.close();
  });
  start.arrive();
  int got = 0;
  int texts_open = 0;
  while (got < 3 * count) {
    std::string line;
    const auto take = [&](auto what) {
      ++got;
      if constexpr (std::is_same_v<decltype(what), std::string>) {
        line.append(what);
      } else {
        line.append(std::to_string(what));
      }
    };
    auto nothing = [&] { line.assign(1, '.'); };
    ++texts_open;
    reprise::select(reprise::from(numbers, take), reprise::from(texts, take).when(texts_open % 3 != 0),
                    reprise::from(both, take),
                    texts_open % 2 == 0 ? reprise::otherwise(nothing) : reprise::after(1ms, nothing));
    reprise::out << line << '\n';
  }
  a.join();
  b.join();
  c.join();
  numbers.close();
  texts.close();
  both.close();
}
