// Trait: atomic<double> and atomic<float>: the rounding of a sum depends on the order of its terms.
// Label: racing
#include <reprise/reprise.h>

#include <iomanip>

#include "guests/together.h"

int main() {
  reprise::atomic<double> sum{0.0, "sum"};
  reprise::atomic<float> product{1.0f};
  Together start(2);
  double before[2] = {};
  auto work = [&](int who) {
    start.arrive();
    for (int i = 1; i <= 20; ++i) {
      before[who] += sum.fetch_add(who == 0 ? 1e16 / i : 1.0 / i);
      float old = product.load();
      while (!product.compare_exchange_weak(old, who == 0 ? old * 1.1f : old + 0.3f)) {
      }
    }
    sum -= 0.5;
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << std::setprecision(17) << sum.load() << ' ' << product.load() << ' ' << before[0] << ' ' << before[1]
               << '\n';
}
