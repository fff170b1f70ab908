// Trait: two producers and two consumers share a bounded queue with two conditions.
// Label: racing
#include <reprise/reprise.h>

#include <deque>
#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

class Queue {
 public:
  void put(int value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return values_.size() < 4; });
    values_.push_back(value);
    not_empty_.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }

 private:
  reprise::mutex mutex_{"queue"};
  reprise::condition_variable not_empty_{"not_empty"};
  reprise::condition_variable not_full_{"not_full"};
  std::deque<int> values_;
};

}  // namespace

int main() {
  Queue queue;
  std::string seen[2];
  Together start(4);
  auto produce = [&](int who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) queue.put(100 * who + i);
  };
  auto consume = [&](int who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) seen[who] += std::to_string(queue.take()) + ' ';
  };
  reprise::thread a(produce, 1);
  reprise::thread b(produce, 2);
  reprise::thread c(consume, 0);
  reprise::thread d(consume, 1);
  a.join();
  b.join();
  c.join();
  d.join();
  reprise::out << seen[0] << "| " << seen[1] << '\n';
}
