// Trait: try_lock_for and try_lock_until of a timed_mutex expire while it is held, and succeed when it is free.
#include <reprise/reprise.h>

#include <chrono>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::timed_mutex door{"door"};
  Together held(2);
  Together tried(2);
  std::string seen;
  reprise::thread holder([&] {
    door.lock();
    held.arrive();
    tried.arrive();
    door.unlock();
  });
  reprise::thread visitor([&] {
    held.arrive();
    seen += door.try_lock_for(1ms) ? 'y' : 'n';
    seen += door.try_lock_until(reprise::steady_clock::now() + 1ms) ? 'y' : 'n';
    seen += door.try_lock_until(std::chrono::system_clock::now() + 1ms) ? 'y' : 'n';
    seen += door.try_lock_until(reprise::system_clock::now() - 1s) ? 'y' : 'n';
    seen += door.try_lock() ? 'y' : 'n';
    tried.arrive();
    seen += door.try_lock_for(10s) ? 'y' : 'n';
    door.unlock();
    seen += door.try_lock_until(reprise::system_clock::now() + 10s) ? 'y' : 'n';
    door.unlock();
  });
  holder.join();
  visitor.join();
  reprise::out << seen << '\n';
}
