// Trait: a handler changes the atomic that the interrupted thread is just changing: it must not wait for itself.
// Label: refused
#include <reprise/reprise.h>
#include <signal.h>
#include <sys/time.h>

namespace {

reprise::atomic<long> count{0};

}  // namespace

int main() {
  signal(SIGALRM, [](int) { count.fetch_add(1'000'000'000); });
  const itimerval often{{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 3'000'000; ++i) count.fetch_add(1);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  reprise::out << (count.load() > 1'000'000'000) << '\n';
}
