// Where the receivers of a mailbox wait. Selectable mailboxes of a process share one hub, so that a thread can wait for
// several.
//
//   std::unique_lock lock(hub.mutex);
//   while (queue.empty()) hub.wait(lock);            hub.unlock_and_notify(lock);
//
// Threads   Any.
// Cost      Recording: what reprise::mutex costs. Unlike reprise::condition_variable, neither waits nor notifications
//           are ordered: what a wait comes to is the order in which the mutex is locked again.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/stamp.h>
#include <reprise/mutex.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace reprise::detail {

class MailboxCore;

// REQUIRES, for all of it, that one mutex is held.
class HubCondition {
 public:
  explicit HubCondition(const char* name) noexcept : object_(name, gate::Own{}) {}

  void wait(std::unique_lock<mutex>& lock) {
    wait_by(lock, [this](std::unique_lock<std::mutex>& native) {
      native_.wait(native);
      return std::cv_status::no_timeout;
    });
  }
  std::cv_status wait_until(std::unique_lock<mutex>& lock, std::chrono::steady_clock::time_point time) {
    return wait_by(lock, [&](std::unique_lock<std::mutex>& native) { return native_.wait_until(native, time); });
  }
  void notify_all() noexcept { native_.notify_all(); }

 private:
  template <typename NativeWait>
  std::cv_status wait_by(std::unique_lock<mutex>& lock, NativeWait native_wait) {
    mutex& held = *lock.mutex();
    std::unique_lock<std::mutex> native(held.native_, std::adopt_lock);
    gate::Thread* thread = gate::current;
    const std::cv_status status =
        thread != nullptr ? gated_wait(*thread, held.object_, native, native_wait) : native_wait(native);
    native.release();
    return status;
  }

  template <typename NativeWait>
  std::cv_status gated_wait(gate::Thread& thread, gate::Object& held, std::unique_lock<std::mutex>& native,
                            NativeWait native_wait) {
    // The first wait gives the condition its name, for those who ask what a thread waits for.
    if (object_.order() == 0) stamp(thread, object_, Kind::wait);
    const bool is_recorded = thread.counts_alone();
    if (is_recorded) {
      thread.count(Kind::unlock, held.known_id());
    } else {
      thread.gate->leave(thread, held, Kind::unlock);
    }
    if (is_recorded || thread.gate->lives()) {
      thread.about_to(Kind::wait, object_);
      const std::cv_status status = native_wait(native);
      thread.gate->pass(thread, held, status == std::cv_status::timeout ? Kind::relock_timeout : Kind::relock);
      return status;
    }
    native.unlock();
    thread.gate->left(thread, held);
    const Kind recorded = thread.gate->arrive(thread, held, Kind::relock);
    native.lock();
    thread.gate->pass(thread, held, recorded);
    return recorded == Kind::relock_timeout ? std::cv_status::timeout : std::cv_status::no_timeout;
  }

  std::condition_variable native_;
  gate::Object object_;
};

struct Hub {
  explicit Hub(const char* name) : mutex(name, gate::Own{}), changed(name) {}
  reprise::mutex mutex;
  HubCondition changed;
  std::uint64_t events{0};
  std::uint64_t waiting{0};  // threads in wait(), so that nobody is notified in vain
  // Where a sequence is forced that does not order the events of different mailboxes: those there are, and how many
  // events each had.
  std::map<std::string, MailboxCore*> forced{};
  std::map<std::string, std::uint64_t> forced_events{};

  // REQUIRES the mutex, as all below.
  void wait(std::unique_lock<reprise::mutex>& lock) {
    ++waiting;
    changed.wait(lock);
    --waiting;
  }
  std::cv_status wait_until(std::unique_lock<reprise::mutex>& lock, std::chrono::steady_clock::time_point time) {
    ++waiting;
    const std::cv_status status = changed.wait_until(lock, time);
    --waiting;
    return status;
  }
  void notify() {
    if (waiting > 0) changed.notify_all();
  }
  // Who is woken finds the mutex free.
  void unlock_and_notify(std::unique_lock<reprise::mutex>& lock) {
    const bool wakes = waiting > 0;
    lock.unlock();
    if (wakes) changed.notify_all();
  }
};
const std::shared_ptr<Hub>& selection();

}  // namespace reprise::detail
