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

}  // namespace reprise::detail
