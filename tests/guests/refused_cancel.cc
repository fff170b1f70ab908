// Trait: pthread_cancel, which cannot be replayed.
// Label: refused
#include <pthread.h>
#include <reprise/reprise.h>
#include <unistd.h>

int main() {
  reprise::atomic<int> count{0};
  reprise::thread a([&] {
    count.fetch_add(1);
    for (;;) sleep(1);
  });
  while (count.load() == 0) reprise::this_thread::yield();
  pthread_cancel(a.native_handle());
  a.join();
  reprise::out << "cancelled\n";
}
