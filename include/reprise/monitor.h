// reprise::monitor and reprise::semaphore: synchronisation with names, so that an execution can be written down.
//
//   class Buffer : reprise::monitor {
//    public:
//     Buffer() : monitor("Buffer") {}
//     void deposit(int item) {
//       const entry inside(*this, "deposit");
//       while (items_.size() == 3) not_full_.wait();
//       items_.push_back(item);
//       not_empty_.signal();
//     }
//    private:
//     condition not_full_{*this, "notFull"};
//     condition not_empty_{*this, "notEmpty"};
//   };
//
// Signal and continue: who signals stays inside; who was waiting enters again when it can, so it looks again at what it
// waited for. A signal wakes the one that has waited longest, or nobody. Nobody wakes without a signal.
//
// Threads        Any. entry, wait, signal: by the thread that is inside.
// Lifetime       Nobody may be inside or wait when a monitor is destroyed.
// Memory order   An exit or wait happens before the next entry or reentry.
// Replay         Entries and reentries come in the recorded order.
// Cost           A mutex, and its events in the recording: about 40 bytes each.
#pragma once

#include <reprise/condition_variable.h>
#include <reprise/detail/noted.h>
#include <reprise/mutex.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace reprise {

namespace detail {
struct PlannedObject;
}

class monitor {
 public:
  REPRISE_API explicit monitor(std::string_view name);
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  REPRISE_API ~monitor();

  const std::string& name() const noexcept { return name_; }

 protected:
  // The calling thread is inside, in `method`, as long as this lives. `method` must outlive it.
  class entry {
   public:
    REPRISE_API entry(monitor& here, const char* method);
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    REPRISE_API ~entry();

   private:
    monitor& here_;
  };

  class condition {
   public:
    REPRISE_API condition(monitor& here, std::string_view name);
    condition(const condition&) = delete;
    condition& operator=(const condition&) = delete;
    REPRISE_API ~condition();

    // REQUIRES the calling thread is inside.
    REPRISE_API void wait();
    REPRISE_API void signal();
    REPRISE_API void signal_all();
    std::size_t length() const noexcept { return waiters_.size(); }
    bool is_empty() const noexcept { return waiters_.empty(); }

   private:
    struct Waiter {
      bool is_signalled{false};
    };
    monitor& here_;
    std::string name_;
    condition_variable woken_;
    std::deque<Waiter*> waiters_;
  };

 private:
  void note(const char* type, std::uint64_t all, std::string_view condition);
  // Where a sequence is forced.
  bool is_turn(std::string_view type, std::string_view method, std::string_view condition) const;
  void await_turn(std::unique_lock<mutex>& lock, std::string_view type, std::string_view method,
                  std::string_view condition);

  std::string name_;
  std::string label_;  // of what it is made of
  const detail::PlannedObject* planned_;
  mutex mutex_;
  condition_variable turn_;
  std::size_t next_{0};           // of the planned events
  std::unique_lock<mutex> lock_;  // of who is inside
  const char* method_{nullptr};   // in which
  std::uint64_t order_{0};        // events so far
};

// A counting semaphore whose P and V are events.
class semaphore {
 public:
  REPRISE_API semaphore(std::ptrdiff_t count, std::string_view name);
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  REPRISE_API ~semaphore();

  REPRISE_API void P();
  REPRISE_API void V();
  void acquire() { P(); }
  void release() { V(); }
  const std::string& name() const noexcept { return name_; }

 private:
  void note(const char* type);
  // Where a sequence is forced.
  void await_turn(std::unique_lock<mutex>& lock, std::string_view type);

  std::string name_;
  const detail::PlannedObject* planned_;
  mutex mutex_;
  condition_variable released_;
  std::ptrdiff_t count_;
  std::uint64_t order_{0};
};

}  // namespace reprise
