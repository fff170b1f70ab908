// Trait: a pool of three workers takes tasks from a queue; tasks make further tasks; which worker ran which is printed.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <queue>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"tasks"};
  reprise::condition_variable added{"added"};
  std::queue<int> tasks;
  int open = 0;
  std::string seen;
  const auto add = [&](int task) {  // with the mutex held
    tasks.push(task);
    ++open;
    added.notify_one();
  };
  Together start(3);
  const auto work = [&](int who) {
    start.arrive();
    std::unique_lock lock(guard);
    for (;;) {
      added.wait(lock, [&] { return !tasks.empty() || open == 0; });
      if (tasks.empty()) return;
      const int task = tasks.front();
      tasks.pop();
      seen += static_cast<char>('a' + who) + std::to_string(task) + ' ';
      lock.unlock();  // the task itself
      lock.lock();
      if (task > 1) {
        add(task / 2);
        add(task / 3);
      }
      if (--open == 0) added.notify_all();
    }
  };
  {
    const std::lock_guard lock(guard);
    for (const int task : {20, 21, 22}) add(task);
  }
  std::vector<reprise::thread> workers;
  for (int who = 0; who < 3; ++who) workers.emplace_back(work, who);
  for (auto& worker : workers) worker.join();
  reprise::out << seen << '\n';
}
