// Trait: threads do what a script says at mutexes, conditions and atomics; what they saw decides where they send.
// Label: helper
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
  std::array<reprise::atomic_flag, objects> flags;
  reprise::mutex own{"own", reprise::gate::Own{}};
  reprise::condition_variable never{"never"};
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
      if (word[0] == 'E') {  // only if all that was seen sums up to that
        if (sum_ != std::atoi(word.c_str() + 1)) return;
        continue;
      }
      step(word);
      sum_ = (sum_ * 5 + seen_ + 1) % 9973;
    }
  }

 private:
  static int digit(const std::string& word, std::size_t i) { return i < word.size() ? word[i] - '0' : 0; }

  void step(const std::string& word) {
    const std::size_t i = static_cast<std::size_t>(digit(word, 1));
    if (!at_mutex(word[0], shared_.mutexes[i], shared_.conditions[i], shared_.counts[i]) &&
        !at_atomic(word, shared_.atomics[i]) && !at_flag(word[0], shared_.flags[i]) && !elsewhere(word[0]))
      std::abort();
  }

  void change(int& count) const { count = (count * 2 + number_ + 1) % 5; }

  bool at_mutex(char what, reprise::mutex& mutex, reprise::condition_variable& condition, int& count) {
    if (what == 'L') {
      const std::lock_guard lock(mutex);
      seen_ = count;
      change(count);
    } else if (what == '[') {
      mutex.lock();
      seen_ = count;
    } else if (what == ']') {
      change(count);
      mutex.unlock();
    } else if (what == 'T') {
      if (mutex.try_lock()) mutex.unlock();
    } else if (what == 'W') {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return count > 0; });
      seen_ = count--;
    } else if (what == 'N' || what == 'O') {
      const std::lock_guard lock(mutex);
      ++count;
      if (what == 'N') condition.notify_one();
      if (what == 'O') condition.notify_all();
    } else {
      return false;
    }
    return true;
  }

  bool at_atomic(const std::string& word, reprise::atomic<int>& atomic) {
    if (word[0] == 'A') {
      seen_ = atomic.fetch_add(number_ + 1);
    } else if (word[0] == 'S') {
      atomic.store(digit(word, 2));
    } else if (word[0] == 'G') {
      seen_ = atomic.load();
    } else if (word[0] == 'C') {
      int expected = digit(word, 2);
      seen_ = atomic.compare_exchange_strong(expected, digit(word, 3)) ? 1 : 0;
    } else if (word[0] == 'U') {
      while (atomic.load() != digit(word, 2)) {
      }
    } else {
      return false;
    }
    return true;
  }

  static bool at_flag(char what, reprise::atomic_flag& flag) {
    if (what == 'X') {
      while (flag.test_and_set()) {
      }
    } else if (what == 'Y') {
      flag.clear();
    } else {
      return false;
    }
    return true;
  }

  bool elsewhere(char what) {
    if (what == 'P') {
      shared_.semaphore.acquire();
    } else if (what == 'V') {
      shared_.semaphore.release();
    } else if (what == 'Q') {  // for good, with a mutex that is the library's own
      std::unique_lock lock(shared_.own);
      for (;;) shared_.never.wait(lock);
    } else if (what == '!') {
      reprise::sender<std::string> sender("box" + std::to_string(boxes_ == 0 ? 0 : sum_ % boxes_));
      sender.connect();
      sender.send(std::to_string(sum_));
      sender.close();
    } else {
      return false;
    }
    return true;
  }

  Shared& shared_;
  int number_;
  int boxes_;
  int seen_{0};
  int sum_{0};
};

}  // namespace

// sequence_search BOXES SCRIPT...: with no boxes, all is sent to that of another process.
int main(int count, char** arguments) {
  if (count < 2) return 2;
  const int boxes = std::atoi(arguments[1]);
  std::vector<std::unique_ptr<reprise::mailbox<std::string>>> mailboxes;
  for (int i = 0; i < boxes; ++i)
    mailboxes.push_back(std::make_unique<reprise::mailbox<std::string>>("box" + std::to_string(i)));
  Shared shared;
  std::vector<reprise::thread> threads;
  for (int i = 2; i < count; ++i) {
    threads.emplace_back(
        [&shared, i, boxes, script = std::string(arguments[i])] { Thread(shared, i - 2, boxes).run(script); });
  }
  for (reprise::thread& thread : threads) thread.join();
}
