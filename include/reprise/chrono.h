// reprise::system_clock and steady_clock: std's clocks, with their readings recorded. They count from the same epochs.
//
//   auto start = reprise::steady_clock::now();
//
// Replay   now() gives the recorded reading.
#pragma once

#include <reprise/detail/gate.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace reprise {

namespace detail {

template <typename Native>
typename Native::duration recorded_now() {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) [[likely]]
    return Native::now().time_since_epoch();
  std::int64_t count = 0;
  const auto take = [](void* out, const void* bytes, std::size_t size) {
    std::memcpy(out, bytes, size < sizeof count ? size : sizeof count);
  };
  if (!thread->gate->given(*thread, Kind::clock, {}, take, &count)) {
    count = Native::now().time_since_epoch().count();
    thread->gate->keep(*thread, Kind::clock, {}, &count, sizeof count);
  }
  return typename Native::duration(count);
}

}  // namespace detail

struct system_clock {
  using native_clock = std::chrono::system_clock;
  using duration = native_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<system_clock, duration>;
  static constexpr bool is_steady = false;

  static time_point now() noexcept { return time_point(detail::recorded_now<native_clock>()); }
  static std::time_t to_time_t(const time_point& time) noexcept {
    return native_clock::to_time_t(native_clock::time_point(time.time_since_epoch()));
  }
  static time_point from_time_t(std::time_t time) noexcept {
    return time_point(native_clock::from_time_t(time).time_since_epoch());
  }
};

struct steady_clock {
  using native_clock = std::chrono::steady_clock;
  using duration = native_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<steady_clock, duration>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time_point(detail::recorded_now<native_clock>()); }
};

}  // namespace reprise
