// Trait: every operation of atomic_ref, on variables of several sorts; what each thread gets is a race.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

namespace {

struct Pair {
  int left;
  int right;
};

}  // namespace

int main() {
  int number = 1;
  double real = 0;
  int items[100] = {};
  int* place = items;
  alignas(reprise::atomic_ref<Pair>::required_alignment) Pair pair{0, 0};
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    const reprise::atomic_ref whole(number);
    for (int i = 0; i < 12; ++i) {
      const reprise::atomic_ref<int*> pointer(place);
      reprise::atomic_ref<Pair> both(pair);
      seen[who] += std::to_string(whole.fetch_add(i)) + ' ' + std::to_string(whole.exchange(who)) + ' ';
      whole.fetch_or(8);
      whole.fetch_xor(who + 1);
      whole.fetch_and(0xFF);
      whole -= 1;
      seen[who] += std::to_string(whole.load()) + ' ' + std::to_string(pointer.fetch_add(1) - items) + ' ';
      Pair expected{0, 0};
      while (!both.compare_exchange_weak(expected, {expected.left + 1, who})) {
      }
      seen[who] += std::to_string(expected.right) + ' ';
      seen[who] += std::to_string(reprise::atomic_ref(real).fetch_add(0.5)) + ' ';
      whole.store(i);
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  int flag = 0;
  reprise::thread waker([&] {
    reprise::atomic_ref changing(flag);
    changing = 1;
    changing.notify_all();
  });
  reprise::atomic_ref(flag).wait(0);
  waker.join();
  reprise::out << seen[0] << "| " << seen[1] << "| " << pair.left << ' ' << flag << '\n';
}
