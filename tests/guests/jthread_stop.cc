// Trait: a jthread works until it is asked to stop; how far it comes is a race.
// Label: racing
#include <reprise/reprise.h>

#include "guests/together.h"

int main() {
  int rounds[2] = {0, 0};
  Together start(3);
  {
    reprise::jthread polite([&](const reprise::stop_token& stop) {
      start.arrive();
      while (!stop.stop_requested() && rounds[0] < 3000) ++rounds[0];
    });
    reprise::jthread busy(
        [&](const reprise::stop_token& stop, int step) {
          start.arrive();
          while (!stop.stop_requested() && rounds[1] < 3000) rounds[1] += step;
        },
        2);
    start.arrive();
    const bool first = polite.request_stop();
    reprise::out << first << polite.request_stop() << busy.get_stop_token().stop_requested() << '\n';
  }
  reprise::out << rounds[0] << ' ' << rounds[1] << '\n';
}
