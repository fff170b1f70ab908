// Trait: timed waits and polls of a future: too early, in time, deferred; how often a poll fails is a race.
// Label: racing
#include <reprise/reprise.h>

#include <chrono>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  std::string seen;
  const auto note = [&](reprise::future_status status) {
    seen += status == reprise::future_status::ready ? 'r' : status == reprise::future_status::timeout ? 't' : 'd';
  };
  reprise::promise<int> promise;
  reprise::future<int> future = promise.get_future();
  note(future.wait_for(0s));
  note(future.wait_for(1ms));
  note(future.wait_until(reprise::steady_clock::now() + 1ms));
  note(future.wait_until(reprise::system_clock::now() + 1ms));
  reprise::future<int> lazy = reprise::async(reprise::launch::deferred, [] { return 7; });
  note(lazy.wait_for(1ms));
  note(lazy.wait_until(std::chrono::steady_clock::now()));
  int polls = 0;
  Together start(2);
  reprise::thread setter([&] {
    start.arrive();
    for (int i = 0; i < 200; ++i) (void)reprise::this_thread::get_id();
    promise.set_value(5);
  });
  start.arrive();
  while (future.wait_for(0s) != reprise::future_status::ready && polls < 50) ++polls;
  note(future.wait_for(20s));
  note(future.wait_for(0s));
  setter.join();
  reprise::out << seen << ' ' << future.get() + lazy.get() << ' ' << future.valid() << ' ' << polls << '\n';
}
