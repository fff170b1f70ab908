// Trait: a null write, if one thread uses what the other has not yet made.
// Label: racing
#include <reprise/reprise.h>

#include "guests/together.h"

int main() {
  reprise::atomic<int*> shared{nullptr, "shared"};
  Together start(2);
  static int number = 0;
  reprise::thread maker([&] {
    start.arrive();
    shared.store(&number);
    reprise::out << "made\n";
  });
  reprise::thread user([&] {
    start.arrive();
    int volatile* found = shared.load();
    reprise::out << "used\n";
    *found = 7;
  });
  maker.join();
  user.join();
  reprise::out << "number " << number << '\n';
}
