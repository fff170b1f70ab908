// How a thread passes the gate of an object that has a critical section of its own. Every mutex is written with these.
//
// Memory order   The native lock synchronises as std's does; the gate adds nothing and takes nothing away.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::detail {

template <typename Native>
[[gnu::noinline]] void lock_slowly(gate::Thread& thread, gate::Object& object, Native& native) {
  if (thread.replays_alone() && object.last_thread() == thread.index) {
    thread.about_to(Kind::lock, object);
    native.lock();
    thread.done();
    return thread.count(Kind::lock, object.known_id());
  }
  thread.gate->arrive(thread, object, Kind::lock);
  native.lock();
  thread.gate->pass(thread, object, Kind::lock);
}

template <typename Native>
[[gnu::noinline]] void unlock_slowly(gate::Thread& thread, gate::Object& object, Native& native) {
  if (thread.replays_alone()) {
    thread.count(Kind::unlock, object.known_id());
  } else {
    thread.gate->leave(thread, object, Kind::unlock);
  }
  native.unlock();
  thread.gate->left(thread, object);
}

// Another thread was here last and may be here still. Asking again after a pause costs less than sleeping, for both.
template <typename Native>
[[gnu::noinline]] void lock_after_another(gate::Thread& thread, gate::Object& object, Native& native) {
  for (unsigned pauses = 8; pauses <= 64; pauses *= 2) {
    if (native.try_lock()) return;
    gate::rest(pauses);
  }
  thread.about_to(Kind::lock, object);
  native.lock();
}

template <typename Native>
[[gnu::always_inline]] inline void lock(gate::Thread& thread, gate::Object& object, Native& native) {
  if (!thread.counts_alone()) [[unlikely]]
    return lock_slowly(thread, object, native);
  if (object.last_thread() == thread.index) [[likely]] {
    thread.about_to(Kind::lock, object);
    native.lock();
  } else {
    lock_after_another(thread, object, native);
  }
  // Asked again inside: the recording may have ended while this thread waited.
  if (object.last_thread() == thread.index && thread.counts_alone()) [[likely]] {
    object.raise();
    thread.done();
    thread.count(Kind::lock, object.known_id());
  } else {
    thread.gate->pass(thread, object, Kind::lock);
  }
}

template <typename Native>
[[gnu::always_inline]] inline void unlock(gate::Thread& thread, gate::Object& object, Native& native) {
  if (!thread.counts_alone()) [[unlikely]]
    return unlock_slowly(thread, object, native);
  thread.count(Kind::unlock, object.known_id());
  native.unlock();
}

// `attempt` is the native try_lock or one of its timed forms.
template <typename Native, typename Attempt>
inline bool try_lock(gate::Thread& thread, gate::Object& object, Native& native, Attempt attempt) {
  switch (thread.gate->foretell(thread, object, Kind::try_failed, nullptr, nullptr, 0, false)) {
    case gate::Outcome::failed:
      return false;
    case gate::Outcome::act:
      lock(thread, object, native);
      return true;
    case gate::Outcome::open:
      break;
  }
  thread.about_to(Kind::lock, object);
  if (!attempt()) {
    thread.gate->fail(thread, object, Kind::try_failed);
    return false;
  }
  thread.gate->pass(thread, object, Kind::lock);
  return true;
}

}  // namespace reprise::detail
