// Trait: fetch_add, fetch_sub and the operators hand out tickets; who gets which is a race.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<int> tickets{0, "tickets"};
  reprise::atomic<unsigned char> small{250};
  reprise::atomic<long> down{0};
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 25; ++i) {
      seen[who] += std::to_string(tickets.fetch_add(1)) + ' ';
      seen[who] += std::to_string(small++) + ' ';
      seen[who] += std::to_string(down -= 3) + ' ';
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << "| " << seen[1] << "| " << tickets << ' ' << int{small} << ' ' << down.fetch_sub(1)
               << '\n';
}
