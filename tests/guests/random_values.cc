// Trait: random_device, and a generator seeded by it.
// Label: outside
#include <reprise/reprise.h>

#include <random>

int main() {
  reprise::random_device device;
  reprise::out << device() << ' ' << device() << '\n';
  std::mt19937 generator(device());
  std::uniform_int_distribution<int> dice(1, 6);
  for (int i = 0; i < 10; ++i) reprise::out << dice(generator) << ' ';
  std::uniform_real_distribution<double> real(0.0, 1.0);
  reprise::out << real(device) << ' ' << reprise::random_device::max() << '\n';
}
