// reprise::counting_semaphore and binary_semaphore: drop-in for their std namesakes.
//
//   reprise::counting_semaphore<8> slots(8, "slots");     // the name is optional and shows in reports
//   slots.acquire();  work();  slots.release();
//
// The count itself is a POSIX semaphore in every mode: that of libstdc++ 12 can miss a release and sleep for ever.
//
// Threads        As std's.
// Lifetime       As std's: it may be destroyed once an acquire has returned, though its release has not.
// Memory order   As std's: release happens before the acquire that takes from it.
// Replay         Acquires and releases happen in the recorded order; a recorded failure fails again; nothing waits for
//                real time.
// Cost           Off: a thread-local load and a call. Recording: one locked instruction more, order and owner check.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/stamp.h>
#include <reprise/detail/time.h>

#include <chrono>
#include <climits>
#include <cstddef>
#include <ctime>

namespace reprise {

namespace detail {

class NativeSemaphore {
 public:
  static constexpr std::ptrdiff_t max = INT_MAX;

  REPRISE_API explicit NativeSemaphore(std::ptrdiff_t count) noexcept;
  NativeSemaphore(const NativeSemaphore&) = delete;
  NativeSemaphore& operator=(const NativeSemaphore&) = delete;
  REPRISE_API ~NativeSemaphore();

  REPRISE_API void release(std::ptrdiff_t count) noexcept;
  REPRISE_API void acquire() noexcept;
  REPRISE_API bool try_acquire() noexcept;
  // Gives up when the steady clock reaches `time`.
  REPRISE_API bool try_acquire_until(std::chrono::steady_clock::time_point time) noexcept;

 private:
  alignas(std::max_align_t) std::byte place_[32];  // a sem_t
};

// When the steady clock will show what `Clock` shows at `time`, as far as can be told now.
template <typename Clock, typename Duration>
std::chrono::steady_clock::time_point steady_time(const std::chrono::time_point<Clock, Duration>& time) {
  return deadline_after(time - Clock::now());
}
template <typename Duration>
std::chrono::steady_clock::time_point steady_time(
    const std::chrono::time_point<std::chrono::steady_clock, Duration>& time) {
  return std::chrono::ceil<std::chrono::steady_clock::duration>(time);
}

}  // namespace detail

template <std::ptrdiff_t LeastMaxValue = detail::NativeSemaphore::max>
class counting_semaphore {
  static_assert(LeastMaxValue >= 0 && LeastMaxValue <= detail::NativeSemaphore::max);

 public:
  explicit counting_semaphore(std::ptrdiff_t count) noexcept : native_(count) {}
  counting_semaphore(std::ptrdiff_t count, const char* name) noexcept : native_(count), object_(name) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  static constexpr std::ptrdiff_t max() noexcept { return LeastMaxValue; }

  void release(std::ptrdiff_t count = 1) {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, object_, Kind::release);
    native_.release(count);
  }
  void acquire() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.acquire();
    detail::take(*thread, object_, Kind::acquire, [this] { native_.acquire(); });
  }
  bool try_acquire() noexcept {
    return try_acquire_by([this] { return native_.try_acquire(); });
  }
  template <typename Rep, typename Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& time) {
    return try_acquire_by([&] { return native_.try_acquire_until(detail::deadline_after(time)); });
  }
  template <typename Clock, typename Duration>
  bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_acquire_by([&] { return native_.try_acquire_until(detail::steady_time(detail::native_time(time))); });
  }

 private:
  template <typename Attempt>
  bool try_acquire_by(Attempt attempt) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return attempt();
    return detail::try_take(
        *thread, object_, Kind::acquire, [this] { native_.acquire(); }, attempt);
  }

  detail::NativeSemaphore native_;
  gate::Object object_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace reprise
