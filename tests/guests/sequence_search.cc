// Trait: threads do what a script says at mutexes, conditions, atomics and semaphores; what they saw decides where they
// send. Label: helper
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int objects = 10;

struct Shared {
  std::array<reprise::mutex, objects> mutexes;
  std::array<reprise::condition_variable, objects> conditions;
  std::array<int, objects> counts{};
  std::array<reprise::atomic<int>, objects> atomics{};
  reprise::counting_semaphore<> semaphore{0};
};

class Thread {
 public:
  Thread(Shared& shared, int number, int boxes) : shared_(shared), number_(number), boxes_(boxes) {}

  void run(const std::string& script) {
    std::istringstream words(script);
    std::string word;
    while (words >> word) {
      if (word[0] == '?') {  // only if that was seen last
        if (seen_ != word[1] - '0') continue;
        word = word.substr(2);
      }
      step(word);
      sum_ = (sum_ * 5 + seen_ + 1) % 9973;
    }
  }

 private:
  void step(const std::string& word) {
    const auto digit = [&](std::size_t i) { return i < word.size() ? word[i] - '0' : 0; };
    reprise::mutex& mutex = shared_.mutexes[digit(1)];
    reprise::condition_variable& condition = shared_.conditions[digit(1)];
    reprise::atomic<int>& atomic = shared_.atomics[digit(1)];
    int& count = shared_.counts[digit(1)];
    switch (word[0]) {
      case 'L': {
        const std::lock_guard lock(mutex);
        seen_ = count;
        count = (count * 2 + number_ + 1) % 5;
        return;
      }
      case '[':
        mutex.lock();
        seen_ = count;
        return;
      case ']':
        count = (count * 2 + number_ + 1) % 5;
        mutex.unlock();
        return;
      case 'T':
        if (mutex.try_lock()) mutex.unlock();
        return;
      case 'W': {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return count > 0; });
        seen_ = count--;
        return;
      }
      case 'N': {
        const std::lock_guard lock(mutex);
        ++count;
        condition.notify_one();
        return;
      }
      case 'O': {
        const std::lock_guard lock(mutex);
        ++count;
        condition.notify_all();
        return;
      }
      case 'A':
        seen_ = atomic.fetch_add(number_ + 1) % 5;
        return;
      case 'S':
        atomic.store(digit(2));
        return;
      case 'G':
        seen_ = atomic.load() % 5;
        return;
      case 'C': {
        int expected = digit(2);
        seen_ = atomic.compare_exchange_strong(expected, digit(3)) ? 1 : 0;
        return;
      }
      case 'U':
        while (atomic.load() != digit(2)) {
        }
        return;
      case 'P':
        shared_.semaphore.acquire();
        return;
      case 'V':
        shared_.semaphore.release();
        return;
      case '!': {
        reprise::sender<int> sender("box" + std::to_string(sum_ % boxes_));
        sender.connect();
        sender.send(sum_);
        sender.close();
        return;
      }
      default:
        std::abort();
    }
  }

  Shared& shared_;
  int number_;
  int boxes_;
  int seen_{0};
  int sum_{0};
};

}  // namespace

// sequence_search BOXES SCRIPT...
int main(int count, char** arguments) {
  if (count < 2) return 2;
  const int boxes = std::atoi(arguments[1]);
  std::vector<std::unique_ptr<reprise::mailbox<int>>> mailboxes;
  for (int i = 0; i < boxes; ++i)
    mailboxes.push_back(std::make_unique<reprise::mailbox<int>>("box" + std::to_string(i)));
  Shared shared;
  std::vector<reprise::thread> threads;
  for (int i = 2; i < count; ++i) {
    threads.emplace_back(
        [&shared, i, boxes, script = std::string(arguments[i])] { Thread(shared, i - 2, boxes).run(script); });
  }
  for (reprise::thread& thread : threads) thread.join();
}
