// Trait: main returns while others wait: at a condition, at a mutex that main holds, in a sleep, at an atomic.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>

namespace {

// Never destroyed: a native condition waits in its destructor for those who wait at it.
struct Places {
  reprise::mutex guard{"guard"};
  reprise::mutex held{"held"};
  reprise::condition_variable never{"never"};
  reprise::atomic<int> number{0};
  reprise::atomic<int> ready{0};
};

}  // namespace

int main() {
  Places& places = *new Places;
  places.held.lock();
  reprise::thread([&] {
    std::unique_lock lock(places.guard);
    places.ready.fetch_add(1);
    places.never.wait(lock);
  }).detach();
  reprise::thread([&] {
    places.ready.fetch_add(1);
    places.held.lock();
  }).detach();
  reprise::thread([&] {
    places.ready.fetch_add(1);
    reprise::this_thread::sleep_for(std::chrono::hours(1));
  }).detach();
  reprise::thread([&] {
    places.ready.fetch_add(1);
    places.number.wait(0);
  }).detach();
  while (places.ready.load() < 4) reprise::this_thread::yield();
  reprise::out << "returns\n";
  return 5;
}
