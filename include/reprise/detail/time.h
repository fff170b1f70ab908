// reprise's clocks count from the same epoch as the std clock behind them; native waits want that one.
#pragma once

#include <chrono>

namespace reprise::detail {

template <typename Clock, typename Duration>
auto native_time(const std::chrono::time_point<Clock, Duration>& time) {
  if constexpr (requires { typename Clock::native_clock; }) {
    return std::chrono::time_point<typename Clock::native_clock, Duration>(time.time_since_epoch());
  } else {
    return time;
  }
}

// A wait "for" ends at one deadline, however often it is woken on the way. The clock is not recorded: on replay no
// deadline is waited for.
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& time) {
  return std::chrono::steady_clock::now() + std::chrono::ceil<std::chrono::steady_clock::duration>(time);
}

}  // namespace reprise::detail
