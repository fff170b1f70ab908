// Trait: three threads write lines to standard output through reprise::out.
// Label: racing
#include <reprise/reprise.h>

#include <iomanip>
#include <ostream>
#include <vector>

#include "guests/together.h"

int main() {
  Together start(3);
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 3; ++who) {
    threads.emplace_back([&, who] {
      start.arrive();
      for (int i = 0; i < 20; ++i) {
        reprise::out << std::setw(3) << i << " from " << who << std::endl;
      }
      reprise::out.write("");
    });
  }
  for (auto& thread : threads) thread.join();
}
