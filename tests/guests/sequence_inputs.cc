// Trait: what arrives depends on a value from outside and on the clock.
// Label: outside
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <chrono>
#include <cstdlib>
#include <string>

int main() {
  reprise::mailbox<int> left("left");
  reprise::mailbox<int> right("right");
  const int pick = reprise::value("pick", [] {
    const char* text = std::getenv("PICK");
    return text == nullptr ? static_cast<int>(std::chrono::steady_clock::now().time_since_epoch().count() / 64 % 2)
                           : std::atoi(text);
  });
  reprise::sender<int> to(pick == 0 ? "left" : "right");
  to.connect();
  to.send(pick);
  to.close();
  reprise::out << "picked " << (pick == 0 ? left.receive() : right.receive()) << " at "
               << reprise::steady_clock::now().time_since_epoch().count() << '\n';
  left.close();
  right.close();
}
