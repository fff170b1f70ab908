// Trait: destructors of thread_local and static objects lock, count and print.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

reprise::mutex guard{"guard"};
reprise::atomic<int> deaths{0};

struct Mortal {
  char who{'?'};
  ~Mortal() {
    const std::lock_guard lock(guard);
    reprise::out << who << " dies as number " << deaths.fetch_add(1) << '\n';
  }
};

Mortal immortal;  // dies after main
thread_local Mortal mine;
thread_local Mortal also;

}  // namespace

int main() {
  static Mortal late;
  late.who = 'L';
  immortal.who = 'I';
  Together start(2);
  auto work = [&](char who) {
    mine.who = who;
    also.who = static_cast<char>(who - 'a' + 'A');
    start.arrive();
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  a.join();
  b.join();
  mine.who = 'm';
  reprise::out << "main returns\n";
}
