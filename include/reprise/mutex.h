// reprise::mutex, timed_mutex, recursive_mutex: drop-in for their std namesakes.
//
//   reprise::mutex accounts{"accounts"};          // the name is optional and shows in reports
//   std::lock_guard guard(accounts);
//
// Threads        As std's.
// Memory order   As std's: unlock happens before the next lock.
// Cost           Off: a thread-local load. Recording: see docs/design/kernel.md.
// Replay         Locks are granted in the recorded order; a recorded failure of try_lock fails again; nothing waits for
// real time.
#pragma once

#include <reprise/detail/locking.h>
#include <reprise/detail/time.h>

#include <chrono>
#include <mutex>

namespace reprise {

class condition_variable;

class mutex {
 public:
  constexpr mutex() noexcept = default;
  constexpr explicit mutex(const char* name) noexcept : object_(name) {}
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    detail::lock(*thread, object_, native_);
  }
  void unlock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock();
    detail::unlock(*thread, object_, native_);
  }
  bool try_lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_lock();
    return detail::try_lock(*thread, object_, native_, [this] { return native_.try_lock(); });
  }

  using native_handle_type = std::mutex::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 private:
  friend class condition_variable;
  std::mutex native_;
  gate::Object object_;
};

class timed_mutex {
 public:
  timed_mutex() noexcept = default;
  explicit timed_mutex(const char* name) noexcept : object_(name) {}
  timed_mutex(const timed_mutex&) = delete;
  timed_mutex& operator=(const timed_mutex&) = delete;

  void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    detail::lock(*thread, object_, native_);
  }
  void unlock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock();
    detail::unlock(*thread, object_, native_);
  }
  bool try_lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_lock();
    return detail::try_lock(*thread, object_, native_, [this] { return native_.try_lock(); });
  }
  template <typename Rep, typename Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_lock_for(time);
    return detail::try_lock(*thread, object_, native_, [&] { return native_.try_lock_for(time); });
  }
  template <typename Clock, typename Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_lock_until(detail::native_time(time));
    return detail::try_lock(*thread, object_, native_,
                            [&] { return native_.try_lock_until(detail::native_time(time)); });
  }

  using native_handle_type = std::timed_mutex::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 private:
  std::timed_mutex native_;
  gate::Object object_;
};

// Only the outermost lock and unlock are ordered; nested ones are steps.
class recursive_mutex {
 public:
  recursive_mutex() noexcept = default;
  explicit recursive_mutex(const char* name) noexcept : object_(name) {}
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;

  void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    if (nest(*thread)) return;
    detail::lock(*thread, object_, native_);
    enter(*thread);
  }
  bool try_lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.try_lock();
    if (nest(*thread)) return true;
    if (!detail::try_lock(*thread, object_, native_, [this] { return native_.try_lock(); })) return false;
    enter(*thread);
    return true;
  }
  void unlock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock();
    if (--object_.depth > 0) {
      thread->gate->step(*thread, Kind::unlock_nested, object_.known_id());
      native_.unlock();
      return;
    }
    owner_.store(nullptr, std::memory_order_relaxed);
    detail::unlock(*thread, object_, native_);
  }

  using native_handle_type = std::recursive_mutex::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 private:
  bool nest(gate::Thread& thread) {
    if (owner_.load(std::memory_order_relaxed) != &thread) return false;
    native_.lock();
    ++object_.depth;
    thread.gate->step(thread, Kind::lock_nested, object_.known_id());
    return true;
  }
  void enter(gate::Thread& thread) {
    object_.depth = 1;
    owner_.store(&thread, std::memory_order_relaxed);
  }

  std::recursive_mutex native_;
  gate::Object object_;
  std::atomic<gate::Thread*> owner_{nullptr};
};

}  // namespace reprise
