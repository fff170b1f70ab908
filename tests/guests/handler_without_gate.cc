// Trait: signals are handled without passing gates while threads race; that is allowed.
// Label: racing
#include <reprise/reprise.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

std::atomic<int> handled{0};
std::atomic<int> informed{0};

}  // namespace

int main() {
  signal(SIGUSR1, [](int) { ++handled; });
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) { informed += info->si_signo == SIGUSR2 ? 1 : 100; };
  sigaction(SIGUSR2, &action, nullptr);
  reprise::mutex guard{"guard"};
  std::string seen;
  Together start(2);
  auto work = [&](char who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      const std::lock_guard lock(guard);
      raise(i % 2 == 0 ? SIGUSR1 : SIGUSR2);
      seen += who;
    }
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  a.join();
  b.join();
  reprise::out << seen << ' ' << handled << ' ' << informed << '\n';
}
