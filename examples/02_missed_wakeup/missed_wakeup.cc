// A customer fetches a loaf from a new baker every morning. Now and then the customer waits for a bell that has rung
// already: the program hangs.
//
// The bug: the customer looks at `ready` before taking the lock. The baker may ring between the look and the wait, and
// a bell that nobody waits for is lost.
#include <reprise/reprise.h>

#include <mutex>
#include <random>

namespace {

constexpr int mornings = 10;

reprise::atomic<bool> ready{false, "ready"};
reprise::mutex shop{"shop"};
reprise::condition_variable bell{"bell"};

// Something to do that takes about `nanoseconds` and touches nothing shared.
void spend(unsigned nanoseconds) {
  volatile unsigned work = 0;
  for (unsigned i = 0; i < nanoseconds; ++i) work = work + i;
}

void bake(unsigned nanoseconds) {
  spend(nanoseconds);
  ready = true;
  bell.notify_one();
}

void fetch() {
  while (!ready) {  // the look ...
    std::unique_lock lock(shop);
    bell.wait(lock);  // ... and the wait: the bell may have rung in between
  }
}

}  // namespace

int main() {
  std::minstd_rand times(reprise::random_device{}());
  for (int morning = 0; morning < mornings; ++morning) {
    ready = false;
    reprise::thread baker(bake, static_cast<unsigned>(times() % 20'000));
    spend(times() % 200'000);  // the way to the shop
    fetch();
    baker.join();
  }
  reprise::out << "bread on " << mornings << " mornings\n";
}
