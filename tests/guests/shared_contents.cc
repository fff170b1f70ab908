// Trait: what readers of a shared object see depends on the writer's speed; at level data it is kept.
// Label: racing
#include <reprise/reprise.h>
#include <reprise/shared.h>

#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::shared<std::vector<int>> numbers{"numbers"};
  Together start(3);
  std::vector<std::string> seen(2);
  std::vector<reprise::thread> threads;
  threads.emplace_back([&] {
    start.arrive();
    for (int i = 0; i < 40; ++i) numbers.write()->push_back(i);
  });
  for (std::string& text : seen) {
    threads.emplace_back([&] {
      start.arrive();
      for (int i = 0; i < 40; ++i) text += static_cast<char>('0' + numbers.read()->size());
    });
  }
  for (auto& thread : threads) thread.join();
  reprise::out << seen[0] << '\n' << seen[1] << '\n';
}
