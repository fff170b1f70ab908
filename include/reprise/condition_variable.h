// reprise::condition_variable and condition_variable_any: drop-in for their std namesakes.
//
//   reprise::condition_variable ready;
//   std::unique_lock lock(mutex);                 // a reprise::mutex
//   ready.wait(lock, [&] { return !queue.empty(); });
//
// Threads        As std's.
// Memory order   As std's; notify and the begin of a wait are also ordered against each other.
// Replay         A wait is a release and a re-acquire in the recorded order; the native condition is not used, and no
// time-out waits.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/time.h>
#include <reprise/mutex.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <type_traits>

namespace reprise {

using std::cv_status;

namespace detail {

// Stamps an ordered passage of an object that holds no value.
inline Kind stamp(gate::Thread& thread, gate::Object& object, Kind kind) {
  const Kind recorded = thread.gate->begin(thread, object, kind);
  thread.gate->end(thread, object, recorded, nullptr, 0, false);
  return recorded;
}

}  // namespace detail

class condition_variable {
 public:
  condition_variable() noexcept = default;
  explicit condition_variable(const char* name) noexcept : object_(name) {}
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one() noexcept {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, object_, Kind::notify_one);
    native_.notify_one();
  }
  void notify_all() noexcept {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, object_, Kind::notify_all);
    native_.notify_all();
  }

  void wait(std::unique_lock<mutex>& lock) {
    wait_by(lock, [this](std::unique_lock<std::mutex>& native) {
      native_.wait(native);
      return cv_status::no_timeout;
    });
  }
  template <typename Predicate>
  void wait(std::unique_lock<mutex>& lock, Predicate done) {
    while (!done()) wait(lock);
  }

  template <typename Clock, typename Duration>
  cv_status wait_until(std::unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return wait_by(lock, [&](std::unique_lock<std::mutex>& native) {
      return native_.wait_until(native, detail::native_time(time));
    });
  }
  template <typename Clock, typename Duration, typename Predicate>
  bool wait_until(std::unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate done) {
    while (!done()) {
      if (wait_until(lock, time) == cv_status::timeout) return done();
    }
    return true;
  }
  template <typename Rep, typename Period>
  cv_status wait_for(std::unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& time) {
    return wait_by(lock, [&](std::unique_lock<std::mutex>& native) { return native_.wait_for(native, time); });
  }
  template <typename Rep, typename Period, typename Predicate>
  bool wait_for(std::unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& time, Predicate done) {
    // The deadline counts from the first wait, as std's does; on replay no clock is asked.
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::ceil<std::chrono::steady_clock::duration>(time);
    return wait_until(lock, deadline, std::move(done));
  }

  using native_handle_type = std::condition_variable::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 private:
  template <typename NativeWait>
  cv_status wait_by(std::unique_lock<mutex>& lock, NativeWait native_wait) {
    mutex& held = *lock.mutex();
    std::unique_lock<std::mutex> native(held.native_, std::adopt_lock);
    cv_status status = cv_status::no_timeout;
    if (gate::Thread* thread = gate::current) [[unlikely]] {
      status = gated_wait(*thread, held, native, native_wait);
    } else {
      status = native_wait(native);
    }
    native.release();
    return status;
  }

  template <typename NativeWait>
  cv_status gated_wait(gate::Thread& thread, mutex& held, std::unique_lock<std::mutex>& native,
                       NativeWait native_wait) {
    detail::stamp(thread, object_, Kind::wait);
    thread.gate->leave(thread, held.object_, Kind::unlock);
    if (thread.gate->lives()) {
      thread.about_to(Kind::wait, object_);
      const cv_status status = native_wait(native);
      thread.gate->pass(thread, held.object_, status == cv_status::timeout ? Kind::relock_timeout : Kind::relock);
      return status;
    }
    native.unlock();
    thread.gate->left(thread, held.object_);
    const Kind recorded = thread.gate->arrive(thread, held.object_, Kind::relock);
    native.lock();
    thread.gate->pass(thread, held.object_, recorded);
    return recorded == Kind::relock_timeout ? cv_status::timeout : cv_status::no_timeout;
  }

  std::condition_variable native_;
  gate::Object object_;
};

// For any lock. That a waiter was woken (and whether by time-out) is an ordered event of the condition itself, since
// the lock may be of a kind that passes no gate.
class condition_variable_any {
 public:
  condition_variable_any() = default;
  explicit condition_variable_any(const char* name) : object_(name) {}
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;

  void notify_one() noexcept {
    notify(Kind::notify_one, [this] { native_.notify_one(); });
  }
  void notify_all() noexcept {
    notify(Kind::notify_all, [this] { native_.notify_all(); });
  }

  template <typename Lock>
  void wait(Lock& lock) {
    wait_by(lock, [this](std::unique_lock<std::mutex>& inner) {
      native_.wait(inner);
      return cv_status::no_timeout;
    });
  }
  template <typename Lock, typename Predicate>
  void wait(Lock& lock, Predicate done) {
    while (!done()) wait(lock);
  }
  template <typename Lock, typename Clock, typename Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return wait_by(lock, [&](std::unique_lock<std::mutex>& inner) {
      return native_.wait_until(inner, detail::native_time(time));
    });
  }
  template <typename Lock, typename Clock, typename Duration, typename Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate done) {
    while (!done()) {
      if (wait_until(lock, time) == cv_status::timeout) return done();
    }
    return true;
  }
  template <typename Lock, typename Rep, typename Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time) {
    return wait_by(lock, [&](std::unique_lock<std::mutex>& inner) { return native_.wait_for(inner, time); });
  }
  template <typename Lock, typename Rep, typename Period, typename Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time, Predicate done) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::ceil<std::chrono::steady_clock::duration>(time);
    return wait_until(lock, deadline, std::move(done));
  }

 private:
  template <typename NativeNotify>
  void notify(Kind kind, NativeNotify native_notify) noexcept {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, object_, kind);
    const std::lock_guard inner(mutex_);
    native_notify();
  }

  // The inner mutex is taken before the user's lock is let go, so that no notification falls between.
  template <typename Lock, typename NativeWait>
  cv_status wait_by(Lock& lock, NativeWait native_wait) {
    gate::Thread* thread = gate::current;
    if (thread != nullptr) detail::stamp(*thread, object_, Kind::wait);
    cv_status status = cv_status::no_timeout;
    if (thread == nullptr || thread->gate->lives()) {
      std::unique_lock<std::mutex> inner(mutex_);
      lock.unlock();
      if (thread != nullptr) thread->about_to(Kind::wait, object_);
      status = native_wait(inner);
      inner.unlock();
      if (thread != nullptr) {
        thread->done();
        detail::stamp(*thread, object_, status == cv_status::timeout ? Kind::wake_timeout : Kind::wake);
      }
    } else {
      lock.unlock();
      const Kind recorded = detail::stamp(*thread, object_, Kind::wake);
      if (recorded == Kind::wake_timeout) status = cv_status::timeout;
    }
    lock.lock();
    return status;
  }

  std::mutex mutex_;
  std::condition_variable native_;
  gate::Object object_;
};

}  // namespace reprise
