// Trait: threads made by pthread_create, joined with a result, and ended by pthread_exit.
// Label: racing
#include <pthread.h>
#include <reprise/reprise.h>

#include <cstdint>

#include "guests/together.h"

namespace {

reprise::atomic<int> tickets{0};
Together start(3);

void* work(void* argument) {
  start.arrive();
  std::intptr_t sum = 0;
  for (int i = 0; i < 10; ++i) sum = sum * 3 + tickets.fetch_add(1);
  if (argument != nullptr) pthread_exit(reinterpret_cast<void*>(sum));
  return reinterpret_cast<void*>(sum);
}

}  // namespace

int main() {
  pthread_t threads[3];
  int marks[3] = {};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, work, i == 1 ? &marks[i] : nullptr);
  for (pthread_t thread : threads) {
    void* result = nullptr;
    pthread_join(thread, &result);
    reprise::out << reinterpret_cast<std::intptr_t>(result) << '\n';
  }
}
