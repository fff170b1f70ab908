// Trait: detached threads (thread, jthread and pthread_detach); the last one to finish wakes main.
// Label: racing
#include <pthread.h>
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

reprise::mutex guard{"guard"};
reprise::condition_variable finished{"finished"};
std::string seen;
int left = 3;
Together start(3);

void work(char who) {
  start.arrive();
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard lock(guard);
    seen += who;
  }
  const std::lock_guard lock(guard);
  if (--left == 0) finished.notify_one();
}

}  // namespace

int main() {
  reprise::thread(work, 'a').detach();
  reprise::jthread(work, 'b').detach();
  pthread_t raw;
  pthread_create(
      &raw, nullptr,
      [](void*) -> void* {
        work('c');
        return nullptr;
      },
      nullptr);
  pthread_detach(raw);
  std::unique_lock lock(guard);
  finished.wait(lock, [] { return left == 0; });
  reprise::out << seen << '\n';
}
