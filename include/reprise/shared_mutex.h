// reprise::shared_mutex and shared_timed_mutex: drop-in for their std namesakes.
//
//   reprise::shared_mutex table{"table"};
//   std::shared_lock reading(table);              std::unique_lock writing(table);
//
// Threads        As std's.
// Memory order   As std's.
// Replay         Readers wait for the write they saw, a writer for its turn and for the readers that passed before it;
// readers do not
//                wait for each other.
// Cost           Recording, a read that sees nothing new: no bytes, and a locked instruction only where several threads
//                read between two writes. A write by the thread that wrote last, with no read between: no bytes.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/time.h>

#include <chrono>
#include <new>
#include <shared_mutex>

namespace reprise {

namespace detail {

// Replayed from a checkpoint without the other threads, who may have held it: it is free, since this one does not.
template <typename Native>
void free_of_others(Native& native) {
  if (gate::current->is_detached) new (&native) Native;
}

template <typename Native>
[[gnu::noinline]] void lock_shared_slowly(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  thread.gate->arrive_shared(thread, object);
  free_of_others(native);
  native.lock_shared();
  thread.gate->pass_shared(thread, object);
}

template <typename Native>
[[gnu::noinline]] void wait_shared(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  thread.about_to(Kind::lock_shared, object.writes);
  native.lock_shared();
  thread.done();
}

template <typename Native>
[[gnu::always_inline]] inline void lock_shared(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  if (!thread.counts_alone()) [[unlikely]]
    return lock_shared_slowly(thread, object, native);
  // What is free is not waited for: nothing has to be told of it.
  if (!native.try_lock_shared()) [[unlikely]]
    wait_shared(thread, object, native);
  const std::uint64_t order = object.writes.order();
  const std::uint64_t id = object.writes.known_id();
  const bool knows = thread.seen.at(id).is(id, order << 1) || object.writes.last_thread() == thread.index;
  // Asked again inside: the recording may have ended while this thread waited.
  if (knows && order != 0 && thread.counts_alone()) [[likely]] {
    thread.saw_news = false;
    thread.count(Kind::lock_shared, id);
    object.count_read(thread.index);
  } else {
    thread.gate->pass_shared(thread, object);
  }
}

template <typename Native>
inline void unlock_shared(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  if (thread.counts_alone()) [[likely]] {
    thread.count(Kind::unlock_shared, object.writes.known_id());
  } else {
    thread.gate->leave(thread, object.writes, Kind::unlock_shared);
  }
  native.unlock_shared();
}

template <typename Native>
inline void lock_exclusive(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  if (!thread.counts_alone()) [[unlikely]] {
    thread.gate->arrive_writing(thread, object);
    free_of_others(native);
    native.lock();
    return thread.gate->pass_writing(thread, object);
  }
  if (!native.try_lock()) [[unlikely]] {
    thread.about_to(Kind::write_lock, object.writes);
    native.lock();
    thread.done();
  }
  // Asked again inside: the recording may have ended while this thread waited.
  if (object.writes.last_thread() == thread.index && object.is_unread() && thread.counts_alone()) [[likely]] {
    object.writes.raise();
    thread.saw_news = false;
    thread.count(Kind::write_lock, object.writes.known_id());
  } else {
    thread.gate->pass_writing(thread, object);
  }
}

template <typename Native>
inline void unlock_exclusive(gate::Thread& thread, gate::SharedObject& object, Native& native) {
  if (thread.counts_alone()) [[likely]] {
    thread.count(Kind::unlock, object.writes.known_id());
    return native.unlock();
  }
  thread.gate->leave(thread, object.writes, Kind::unlock);
  native.unlock();
  thread.gate->left(thread, object.writes);
}

// `attempt` is one of the native's tries; `lock` and `pass` are what to do when it succeeds, or is known to.
template <typename Attempt, typename Lock, typename Pass>
inline bool try_shared_object(gate::Thread& thread, gate::SharedObject& object, Attempt attempt, Lock lock, Pass pass) {
  switch (thread.gate->foretell(thread, object.writes, Kind::try_failed, nullptr, nullptr, 0, false)) {
    case gate::Outcome::failed:
      return false;
    case gate::Outcome::act:
      lock();
      return true;
    case gate::Outcome::open:
      break;
  }
  thread.about_to(Kind::write_lock, object.writes);
  if (!attempt()) {
    thread.gate->fail(thread, object.writes, Kind::try_failed);
    return false;
  }
  pass();
  return true;
}

// What shared_mutex and shared_timed_mutex have in common.
template <typename Native>
class SharedMutex {
 public:
  SharedMutex() = default;
  explicit SharedMutex(const char* name) : object_(name) {}
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock();
    lock_exclusive(*thread, object_, native_);
  }
  bool try_lock() {
    return try_exclusive([this] { return native_.try_lock(); });
  }
  void unlock() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock();
    unlock_exclusive(*thread, object_, native_);
  }

  // Inline wherever they are used: a call would cost as much as all that the gate adds.
  [[gnu::always_inline]] void lock_shared() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.lock_shared();
    detail::lock_shared(*thread, object_, native_);
  }
  bool try_lock_shared() {
    return try_sharing([this] { return native_.try_lock_shared(); });
  }
  [[gnu::always_inline]] void unlock_shared() {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native_.unlock_shared();
    detail::unlock_shared(*thread, object_, native_);
  }

 protected:
  template <typename Attempt>
  bool try_exclusive(Attempt attempt) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return attempt();
    return try_shared_object(
        *thread, object_, attempt, [&] { lock_exclusive(*thread, object_, native_); },
        [&] { thread->gate->pass_writing(*thread, object_); });
  }
  template <typename Attempt>
  bool try_sharing(Attempt attempt) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return attempt();
    return try_shared_object(
        *thread, object_, attempt, [&] { detail::lock_shared(*thread, object_, native_); },
        [&] { thread->gate->pass_shared(*thread, object_); });
  }

  Native native_;                // NOLINT(misc-non-private-member-variables-in-classes): of the two classes below only
  gate::SharedObject object_{};  // NOLINT(misc-non-private-member-variables-in-classes)
};

}  // namespace detail

class shared_mutex : public detail::SharedMutex<std::shared_mutex> {
 public:
  using SharedMutex::SharedMutex;
  using native_handle_type = std::shared_mutex::native_handle_type;
  native_handle_type native_handle() { return native_.native_handle(); }
};

class shared_timed_mutex : public detail::SharedMutex<std::shared_timed_mutex> {
 public:
  using SharedMutex::SharedMutex;

  template <typename Rep, typename Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& time) {
    return try_exclusive([&] { return native_.try_lock_for(time); });
  }
  template <typename Clock, typename Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_exclusive([&] { return native_.try_lock_until(detail::native_time(time)); });
  }
  template <typename Rep, typename Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& time) {
    return try_sharing([&] { return native_.try_lock_shared_for(time); });
  }
  template <typename Clock, typename Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_sharing([&] { return native_.try_lock_shared_until(detail::native_time(time)); });
  }
};

}  // namespace reprise
