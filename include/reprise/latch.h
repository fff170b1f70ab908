// reprise::latch: drop-in for std::latch.
//
//   reprise::latch ready(3);
//   ready.count_down();              ready.wait();
//
// Threads        As std's.
// Memory order   As std's: a count_down happens before the wait that it lets through.
// Replay         Arrivals and passed waits happen in the recorded order; a try_wait gives what it gave.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/stamp.h>

#include <cstddef>
#include <latch>

namespace reprise {

class latch {
 public:
  constexpr explicit latch(std::ptrdiff_t expected) noexcept : native_(expected) {}
  constexpr latch(std::ptrdiff_t expected, const char* name) noexcept : native_(expected), object_(name) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  static constexpr std::ptrdiff_t max() noexcept { return std::latch::max(); }

  void count_down(std::ptrdiff_t count = 1) {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, object_, Kind::arrive);
    native_.count_down(count);
  }
  bool try_wait() const noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_wait();
    return detail::try_take(
        *thread, object_, Kind::await, [this] { native_.wait(); }, [this] { return native_.try_wait(); });
  }
  void wait() const {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.wait();
    detail::take(*thread, object_, Kind::await, [this] { native_.wait(); });
  }
  void arrive_and_wait(std::ptrdiff_t count = 1) {
    count_down(count);
    wait();
  }

 private:
  std::latch native_;
  mutable gate::Object object_;
};

}  // namespace reprise
