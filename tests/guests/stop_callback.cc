// Trait: a stop callback runs in the thread that asks for the stop, or in the one that registers too late.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  std::string seen;
  for (int i = 0; i < 5; ++i) {
    reprise::stop_source source;
    reprise::atomic<int> ran_in{0};
    Together start(2);
    int asker = 0;
    reprise::thread a([&] {
      start.arrive();
      asker = 1;
      source.request_stop();
    });
    int here = 0;
    reprise::thread b([&] {
      start.arrive();
      thread_local int me = 0;
      me = 2;
      const reprise::stop_callback late(source.get_token(), [&] { ran_in.store(me == 2 ? 2 : 1); });
      here = source.stop_requested() ? 1 : 0;
    });
    a.join();
    b.join();
    seen += std::to_string(asker) + std::to_string(ran_in.load()) + std::to_string(here) + ' ';
  }
  reprise::out << seen << '\n';
}
