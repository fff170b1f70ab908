// Trait: tasks are taken from a queue by whoever comes first; reset, a task run twice, and one that is never run.
// Label: racing
#include <reprise/reprise.h>

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "guests/together.h"

namespace {

thread_local int own_number = 0;

}  // namespace

int main() {
  std::deque<reprise::packaged_task<std::string(char)>> queue;
  std::vector<reprise::future<std::string>> results;
  for (int i = 0; i < 20; ++i) {
    queue.emplace_back([i](char who) {
      if (i % 7 == 6) throw i;
      return who + std::to_string(i);
    });
    results.push_back(queue.back().get_future());
  }
  reprise::mutex guard;
  Together start(3);
  auto work = [&](char who) {
    start.arrive();
    for (;;) {
      reprise::packaged_task<std::string(char)> task;
      {
        const std::lock_guard lock(guard);
        if (queue.size() <= 1) return;
        task = std::move(queue.front());
        queue.pop_front();
      }
      if (++own_number % 3 == 0) {
        task.make_ready_at_thread_exit(who);
      } else {
        task(who);
      }
    }
  };
  {
    reprise::jthread a(work, 'a');
    reprise::jthread b(work, 'b');
    reprise::jthread c(work, 'c');
  }
  queue.clear();
  for (auto& result : results) {
    try {
      reprise::out << result.get() << ' ';
    } catch (int thrown) {
      reprise::out << "thrown " << thrown << ' ';
    } catch (const reprise::future_error& error) {
      reprise::out << (error.code() == reprise::future_errc::broken_promise ? "broken " : "? ");
    }
  }
  reprise::packaged_task twice([](int value) { return value * 2; });
  auto once = twice.get_future();
  twice(4);
  try {
    twice(5);
  } catch (const reprise::future_error& error) {
    reprise::out << (error.code() == reprise::future_errc::promise_already_satisfied) << ' ';
  }
  twice.reset();
  auto again = twice.get_future();
  twice(6);
  reprise::out << once.get() << ' ' << again.get() << '\n';
}
