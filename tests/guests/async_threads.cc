// Trait: threads made by std::async are followed too.
// Label: racing
#include <reprise/reprise.h>

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  std::string seen;
  Together start(3);
  std::vector<std::future<int>> results;
  for (int who = 0; who < 3; ++who) {
    results.push_back(std::async(std::launch::async, [&, who] {
      start.arrive();
      int first = -1;
      for (int i = 0; i < 15; ++i) {
        const std::lock_guard lock(guard);
        if (first < 0) first = static_cast<int>(seen.size());
        seen += static_cast<char>('a' + who);
      }
      return first;
    }));
  }
  for (auto& result : results) reprise::out << result.get() << ' ';
  reprise::out << seen << '\n';
}
