// reprise::condition_variable and condition_variable_any: drop-in for their std namesakes.
//
//   reprise::condition_variable ready;
//   std::unique_lock lock(mutex);                 // a reprise::mutex
//   ready.wait(lock, [&] { return !queue.empty(); });
//
// Threads        As std's.
// Lifetime       As std's: a condition may be destroyed once all waiters have been notified.
// Memory order   As std's; notify and the begin of a wait are also ordered against each other.
// Replay         A wait is a release and a re-acquire in the recorded order; the native condition is not used, and no
//                time-out waits. Whether a stop ended a wait is as recorded.
#pragma once

#include <reprise/detail/condition.h>
#include <reprise/detail/stamp.h>
#include <reprise/detail/thread_exit.h>
#include <reprise/detail/time.h>
#include <reprise/stop_token.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace reprise {

// When the calling thread ends, after its thread_local destructors: unlocks and notifies all.
inline void notify_all_at_thread_exit(condition_variable& condition, std::unique_lock<mutex> lock) {
  struct Held {
    condition_variable& condition;
    std::unique_lock<mutex> lock;
  };
  detail::at_thread_exit(
      [](void* argument) {
        const std::unique_ptr<Held> held(static_cast<Held*>(argument));
        // As std's: notified while locked, so that who then destroys the condition cannot be too early.
        held->condition.notify_all();
        held->lock.unlock();
      },
      new Held{condition, std::move(lock)});
}

// For any lock. That a waiter was woken (and whether by time-out) is an ordered event of the condition itself, since
// the lock may be of a kind that passes no gate.
class condition_variable_any {
 public:
  condition_variable_any() : inner_(std::make_shared<Inner>(nullptr)) {}
  explicit condition_variable_any(const char* name) : inner_(std::make_shared<Inner>(name)) {}
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
    wait_by(lock, Untimed(), never_stopped);
  }
  template <typename Lock, typename Predicate>
  void wait(Lock& lock, Predicate done) {
    while (!done()) wait(lock);
  }
  template <typename Lock, typename Clock, typename Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return wait_by(lock, Until(time), never_stopped) == End::timeout ? cv_status::timeout : cv_status::no_timeout;
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
    return wait_until(lock, detail::deadline_after(time));
  }
  template <typename Lock, typename Rep, typename Period, typename Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& time, Predicate done) {
    return wait_until(lock, detail::deadline_after(time), std::move(done));
  }

  // These also end when a stop is requested. They return whether `done` holds.
  template <typename Lock, typename Predicate>
  bool wait(Lock& lock, const stop_token& stop, Predicate done) {
    return wait_stoppable(lock, stop, Untimed(), done);
  }
  template <typename Lock, typename Clock, typename Duration, typename Predicate>
  bool wait_until(Lock& lock, const stop_token& stop, const std::chrono::time_point<Clock, Duration>& time,
                  Predicate done) {
    return wait_stoppable(lock, stop, Until(time), done);
  }
  template <typename Lock, typename Rep, typename Period, typename Predicate>
  bool wait_for(Lock& lock, const stop_token& stop, const std::chrono::duration<Rep, Period>& time, Predicate done) {
    return wait_stoppable(lock, stop, Until(detail::deadline_after(time)), done);
  }

 private:
  enum class End : std::uint8_t { notified, timeout, stopped };

  // The two native waits.
  struct Untimed {
    cv_status operator()(std::condition_variable& native, std::unique_lock<std::mutex>& held) const {
      native.wait(held);
      return cv_status::no_timeout;
    }
  };
  template <typename TimePoint>
  struct Until {
    explicit Until(const TimePoint& deadline) : time(deadline) {}
    cv_status operator()(std::condition_variable& native, std::unique_lock<std::mutex>& held) const {
      return native.wait_until(held, detail::native_time(time));
    }
    TimePoint time;
  };

  // What a waiter still needs after it was notified: it outlives the condition, if it must.
  struct Inner {
    explicit Inner(const char* name) noexcept : object(name) {}
    std::mutex mutex;
    gate::Object object;
  };

  static bool never_stopped() noexcept { return false; }

  template <typename NativeNotify>
  void notify(Kind kind, NativeNotify native_notify) noexcept {
    if (gate::Thread* thread = gate::current) [[unlikely]]
      detail::stamp(*thread, inner_->object, kind);
    const std::lock_guard held(inner_->mutex);
    native_notify();
  }

  template <typename Lock, typename NativeWait, typename Predicate>
  bool wait_stoppable(Lock& lock, const stop_token& stop, NativeWait native_wait, Predicate& done) {
    if (stop.stop_requested()) return done();
    const stop_callback wakes(stop, [this] { notify_all(); });
    while (!done()) {
      if (wait_by(lock, native_wait, [&stop] { return stop.stop_requested(); }) != End::notified) return done();
    }
    return true;
  }

  // The inner mutex is taken before the user's lock is let go, so that no notification falls between; and before it is
  // asked whether to stop, since a stop notifies.
  template <typename Lock, typename NativeWait, typename Stopped>
  End wait_by(Lock& lock, NativeWait native_wait, Stopped stopped) {
    const std::shared_ptr<Inner> inner = inner_;
    gate::Thread* thread = gate::current;
    if (thread != nullptr) detail::stamp(*thread, inner->object, Kind::wait);
    if (thread != nullptr && !thread->gate->lives()) return recorded_wait(*thread, *inner, lock, stopped);
    cv_status status = cv_status::no_timeout;
    {
      std::unique_lock<std::mutex> held(inner->mutex);
      if (stopped()) {
        if (thread != nullptr) thread->done();
        return End::stopped;
      }
      lock.unlock();
      if (thread != nullptr) thread->about_to(Kind::wait, inner->object);
      status = native_wait(native_, held);
    }
    const bool expired = status == cv_status::timeout;
    if (thread != nullptr) {
      thread->done();
      detail::stamp_outcome(*thread, inner->object, expired ? Kind::wake_timeout : Kind::wake);
    }
    lock.lock();
    return expired ? End::timeout : End::notified;
  }

  template <typename Lock, typename Stopped>
  static End recorded_wait(gate::Thread& thread, Inner& inner, Lock& lock, Stopped stopped) {
    if (stopped()) return End::stopped;
    lock.unlock();
    const Kind recorded = detail::stamp_outcome(thread, inner.object, Kind::wake);
    lock.lock();
    return recorded == Kind::wake_timeout ? End::timeout : End::notified;
  }

  std::shared_ptr<Inner> inner_;
  std::condition_variable native_;
};

}  // namespace reprise
