// reprise::mutex, timed_mutex, recursive_mutex, recursive_timed_mutex: drop-in for their std namesakes.
//
//   reprise::mutex accounts{"accounts"};          // the name is optional and shows in reports
//   std::lock_guard guard(accounts);
//
// Threads        As std's.
// Memory order   As std's: unlock happens before the next lock.
// Cost           Off: a thread-local load. Recording: see docs/design/kernel.md.
// Replay         Locks are granted in the recorded order; a recorded failure of try_lock fails again; nothing waits for
//                real time.
#pragma once

#include <reprise/detail/locking.h>
#include <reprise/detail/time.h>

#include <chrono>
#include <mutex>

namespace reprise {

namespace detail {

class HubCondition;

// A mutex of std's and its gate.
template <typename Native>
class GatedMutex {
 public:
  constexpr GatedMutex() noexcept = default;
  constexpr explicit GatedMutex(const char* name) noexcept : object_(name) {}
  constexpr GatedMutex(const char* name, gate::Own own) noexcept : object_(name, own) {}
  GatedMutex(const GatedMutex&) = delete;
  GatedMutex& operator=(const GatedMutex&) = delete;

  // Inline wherever they are used: a call would cost more than what the gate adds.
  [[gnu::always_inline]] void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    detail::lock(*thread, object_, native_);
  }
  [[gnu::always_inline]] void unlock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock();
    detail::unlock(*thread, object_, native_);
  }
  bool try_lock() {
    return try_lock_by([this] { return native_.try_lock(); });
  }

  using native_handle_type = typename Native::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 protected:
  template <typename Attempt>
  bool try_lock_by(Attempt attempt) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return attempt();
    return detail::try_lock(*thread, object_, native_, attempt);
  }

  Native native_;
  gate::Object object_;
};

// The same for a mutex that its owner may lock again. Only the outermost lock and unlock are ordered; nested ones are
// steps.
template <typename Native>
class GatedRecursiveMutex {
 public:
  GatedRecursiveMutex() noexcept = default;
  explicit GatedRecursiveMutex(const char* name) noexcept : object_(name) {}
  GatedRecursiveMutex(const GatedRecursiveMutex&) = delete;
  GatedRecursiveMutex& operator=(const GatedRecursiveMutex&) = delete;

  void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    if (nest(*thread)) return;
    detail::lock(*thread, object_, native_);
    enter(*thread);
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
  bool try_lock() {
    return try_lock_by([this] { return native_.try_lock(); });
  }

  using native_handle_type = typename Native::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }

 protected:
  template <typename Attempt>
  bool try_lock_by(Attempt attempt) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return attempt();
    if (nest(*thread)) return true;
    if (!detail::try_lock(*thread, object_, native_, attempt)) return false;
    enter(*thread);
    return true;
  }

  Native native_;
  gate::Object object_;

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

  std::atomic<gate::Thread*> owner_{nullptr};
};

// Adds the timed forms of try_lock to either.
template <typename Gated>
class Timed : public Gated {
 public:
  using Gated::Gated;

  template <typename Rep, typename Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    return this->try_lock_by([&] { return this->native_.try_lock_for(time); });
  }
  template <typename Clock, typename Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return this->try_lock_by([&] { return this->native_.try_lock_until(native_time(time)); });
  }
};

}  // namespace detail

class mutex : public detail::GatedMutex<std::mutex> {
 public:
  using GatedMutex::GatedMutex;

 private:
  friend class condition_variable;
  friend class detail::HubCondition;
};

class timed_mutex : public detail::Timed<detail::GatedMutex<std::timed_mutex>> {
 public:
  using Timed::Timed;
};

class recursive_mutex : public detail::GatedRecursiveMutex<std::recursive_mutex> {
 public:
  using GatedRecursiveMutex::GatedRecursiveMutex;
};

class recursive_timed_mutex : public detail::Timed<detail::GatedRecursiveMutex<std::recursive_timed_mutex>> {
 public:
  using Timed::Timed;
};

}  // namespace reprise
