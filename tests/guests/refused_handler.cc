// Trait: a gate is passed inside a signal handler, which cannot be replayed.
// Label: refused
#include <reprise/reprise.h>
#include <signal.h>

namespace {

reprise::atomic<int> count{0};

void handle(int) { count.fetch_add(1); }

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  reprise::out << "handled " << count.load() << '\n';
}
