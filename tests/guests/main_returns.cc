// Trait: main returns while others wait: at a condition, at a mutex that main holds, in a sleep, at an atomic.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>

namespace {

reprise::mutex guard{"guard"};
reprise::mutex held{"held"};
reprise::condition_variable never{"never"};
reprise::atomic<int> number{0};
reprise::atomic<int> ready{0};

}  // namespace

int main() {
  held.lock();
  reprise::thread([] {
    std::unique_lock lock(guard);
    ready.fetch_add(1);
    never.wait(lock);
  }).detach();
  reprise::thread([] {
    ready.fetch_add(1);
    held.lock();
  }).detach();
  reprise::thread([] {
    ready.fetch_add(1);
    reprise::this_thread::sleep_for(std::chrono::hours(1));
  }).detach();
  reprise::thread([] {
    ready.fetch_add(1);
    number.wait(0);
  }).detach();
  while (ready.load() < 4) reprise::this_thread::yield();
  reprise::out << "returns\n";
  return 5;
}
