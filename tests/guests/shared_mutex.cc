// Trait: readers and writers race for a shared_mutex; what each reader saw is printed.
// Label: racing
#include <reprise/reprise.h>
#include <reprise/shared_mutex.h>

#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::shared_mutex table{"table"};
  int version = 0;
  std::vector<std::string> seen(3);
  Together start(3);
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 3; ++who) {
    threads.emplace_back([&, who] {
      start.arrive();
      for (int i = 0; i < 60; ++i) {
        if ((i + who) % 3 == 0) {
          const std::unique_lock writing(table);
          ++version;
        } else if ((i + who) % 7 == 0) {
          seen[who] += table.try_lock_shared() ? (table.unlock_shared(), 'y') : 'n';
        } else {
          const std::shared_lock reading(table);
          seen[who] += std::to_string(version) + " ";
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& line : seen) reprise::out << line << '\n';
}
