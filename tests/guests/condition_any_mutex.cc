// Trait: condition_variable_any with a reprise::mutex: turns, notify_one and notify_all, time-outs.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::mutex guard{"guard"};
  reprise::condition_variable_any changed{"changed"};
  std::string seen;
  int tokens = 0;
  Together start(3);
  auto take = [&](char who) {
    start.arrive();
    for (int i = 0; i < 10; ++i) {
      std::unique_lock lock(guard);
      changed.wait(lock, [&] { return tokens > 0; });
      --tokens;
      seen += who;
    }
  };
  reprise::thread a(take, 'a');
  reprise::thread b(take, 'b');
  reprise::thread giver([&] {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      const std::lock_guard lock(guard);
      ++tokens;
      seen += '.';
      i % 2 == 0 ? changed.notify_one() : changed.notify_all();
    }
  });
  a.join();
  b.join();
  giver.join();
  std::unique_lock lock(guard);
  seen += changed.wait_for(lock, 1ms) == reprise::cv_status::timeout ? 't' : 'w';
  seen += changed.wait_until(lock, reprise::steady_clock::now() + 1ms, [&] { return tokens > 0; }) ? 'y' : 'n';
  reprise::out << seen << '\n';
}
