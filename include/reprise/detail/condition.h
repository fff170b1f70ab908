// reprise::condition_variable; users include <reprise/condition_variable.h>, which also has condition_variable_any.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/stamp.h>
#include <reprise/detail/time.h>
#include <reprise/mutex.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace reprise {

using std::cv_status;

class condition_variable {
 public:
  condition_variable() noexcept = default;
  explicit condition_variable(const char* name) noexcept : object_(name) {}
  condition_variable(const char* name, gate::Own own) noexcept : object_(name, own) {}
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
    const auto native_wait = [this](std::unique_lock<std::mutex>& native) {
      native_.wait(native);
      return cv_status::no_timeout;
    };
    wait_by(lock, native_wait, false);
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
    return wait_until(lock, detail::deadline_after(time), std::move(done));
  }

  using native_handle_type = std::condition_variable::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 private:
  template <typename NativeWait>
  cv_status wait_by(std::unique_lock<mutex>& lock, NativeWait native_wait, bool is_timed = true) {
    mutex& held = *lock.mutex();
    std::unique_lock<std::mutex> native(held.native_, std::adopt_lock);
    cv_status status = cv_status::no_timeout;
    if (gate::Thread* thread = gate::current) [[unlikely]] {
      status = gated_wait(*thread, held, native, native_wait, is_timed);
    } else {
      status = native_wait(native);
    }
    native.release();
    return status;
  }

  template <typename NativeWait>
  cv_status gated_wait(gate::Thread& thread, mutex& held, std::unique_lock<std::mutex>& native, NativeWait native_wait,
                       bool is_timed) {
    detail::stamp(thread, object_, Kind::wait);
    thread.gate->leave(thread, held.object_, Kind::unlock);
    // At an object of the library's own nobody would hold it: the wait would be over at once.
    const bool is_steered = thread.is_steered && !object_.is_own() && !held.object_.is_own();
    if (is_steered && is_timed) thread.gate->note(thread, gate::unsearched_timed);
    if (thread.gate->lives() && (!is_steered || is_timed)) {
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

}  // namespace reprise
