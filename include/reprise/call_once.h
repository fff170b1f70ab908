// reprise::once_flag and call_once: drop-in for their std namesakes.
//
//   reprise::once_flag loaded;
//   reprise::call_once(loaded, load, "tables.bin");
//
// Threads        As std's: others wait while one runs the function. If it throws, the next caller runs it.
// Memory order   As std's: what the function did happens before the return of every call.
// Replay         The same thread runs the function.
// Cost           The same form in every mode. Done already: an atomic load.
#pragma once

#include <reprise/atomic.h>
#include <reprise/mutex.h>

#include <functional>
#include <mutex>
#include <utility>

namespace reprise {

class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  constexpr explicit once_flag(const char* name) noexcept : mutex_(name) {}
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <typename Function, typename... Arguments>
  friend void call_once(once_flag& flag, Function&& function, Arguments&&... arguments);

  atomic<bool> seen_done_{false};  // lets callers pass without the mutex
  mutex mutex_;                    // guards done_, and is held while the function runs
  bool done_{false};
};

template <typename Function, typename... Arguments>
void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
  if (flag.seen_done_.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock(flag.mutex_);
  if (flag.done_) return;
  std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  flag.done_ = true;
  flag.seen_done_.store(true, std::memory_order_release);
}

}  // namespace reprise
