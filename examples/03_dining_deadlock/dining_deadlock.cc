// Five philosophers eat with five forks. Now and then each holds one fork and waits for the next: the program hangs.
//
// The bug: everybody takes the left fork first. Five left hands close a circle.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <random>
#include <vector>

namespace {

constexpr int philosophers = 5;
constexpr int meals = 3;

reprise::mutex forks[philosophers]{reprise::mutex{"fork_0"}, reprise::mutex{"fork_1"}, reprise::mutex{"fork_2"},
                                   reprise::mutex{"fork_3"}, reprise::mutex{"fork_4"}};

void dine(int seat) {
  std::minstd_rand times(reprise::random_device{}());
  const auto pause = [&times](int microseconds) {
    reprise::this_thread::sleep_for(std::chrono::microseconds(times() % microseconds));
  };
  for (int meal = 0; meal < meals; ++meal) {
    pause(1000);  // think
    const std::lock_guard left(forks[seat]);
    pause(200);  // reach across the table
    const std::lock_guard right(forks[(seat + 1) % philosophers]);
  }
}

}  // namespace

int main() {
  std::vector<reprise::thread> table;
  for (int seat = 0; seat < philosophers; ++seat) table.emplace_back(dine, seat);
  for (reprise::thread& philosopher : table) philosopher.join();
  reprise::out << "everybody has eaten\n";
}
