// Waiting for one's turn at an object: spin a little, then sleep; only the thread whose turn has come is woken.
//
//   turns.wait(thread, object, order);     // returns when the object's order is `order` (or at least, for reads)
//   object.word.store(...);  turns.advanced(&object, order);
//
// Threads   Any. A waiter is woken by whoever raises the order to the awaited one.
// Lifetime  The object is not touched after its order was raised: its owner may be gone by then.
// Cost      Without waiters: one load per raise. A wake-up costs a system call; spinning is adaptive (halved after a
// sleep, raised after a
//           success) because waking a sleeper costs tens of microseconds on a cloud guest.
#pragma once

#include <reprise/detail/gate.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace reprise::replay {

// Why a sleeper came back.
enum class Woken : std::uint8_t { turn, overtaken };

struct Waiter {
  std::atomic<std::uint32_t> woken{0};
};

// How long this thread spins before it sleeps.
struct SpinBudget {
  static constexpr std::uint32_t least = 128;
  static constexpr std::uint32_t most = 2048;
  std::uint32_t pauses{1024};
  void slept() { pauses = pauses / 2 < least ? least : pauses / 2; }
  void succeeded() { pauses = pauses * 2 > most ? most : pauses * 2; }
};

// Told when a thread goes to sleep and when it is woken, in time to know whether anybody is left awake.
class SleepWatch {
 public:
  virtual void falls_asleep(gate::Thread& thread) = 0;  // by the sleeper, before it sleeps
  virtual void wakes(std::uint32_t sleepers) = 0;       // by the waker

 protected:
  ~SleepWatch() = default;
};

class Turns {
 public:
  explicit Turns(SleepWatch& watch) : watch_(watch) {}

  Woken wait(gate::Thread& thread, SpinBudget& budget, const gate::Object& object, std::uint64_t order, bool at_least);

  // The order of `object` was raised to `order` by a sequentially consistent store.
  void advanced(const gate::Object* object, std::uint64_t order);

 private:
  static constexpr std::size_t bucket_count = 512;
  struct alignas(64) Bucket {
    std::atomic<std::uint32_t> waiting{0};
    std::atomic<std::uint64_t> least{0};  // no waiter here awaits less; 0 while they wait at different objects
    std::mutex mutex;                     // guards waiters
    std::multimap<std::pair<const gate::Object*, std::uint64_t>, Waiter*> waiters;  // by object and awaited order
  };
  Bucket& bucket_of(const gate::Object* object);
  static void find_least(Bucket& bucket);

  SleepWatch& watch_;
  Bucket buckets_[bucket_count];
};

}  // namespace reprise::replay
