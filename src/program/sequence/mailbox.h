// What stands behind reprise::mailbox: a party, a thread that takes what comes to it, and a queue.
//
// All of it is made of reprise's own primitives, so that it is recorded and replayed as any program is.
//
// Threads   Any. `hub` guards queues and counts.
#pragma once

#include <reprise/condition_variable.h>
#include <reprise/mailbox.h>
#include <reprise/mutex.h>
#include <reprise/thread.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "program/sequence/plan.h"

namespace reprise::detail {

// Where receivers wait. Selectable mailboxes of a process share one, so that a thread can wait for several.
struct Hub {
  explicit Hub(const char* name) : mutex(name, gate::Own{}), changed(name, gate::Own{}) {}
  reprise::mutex mutex;
  condition_variable changed;
  std::uint64_t events{0};
  std::uint64_t waiting{0};  // threads in wait(), so that nobody is notified in vain

  // REQUIRES the mutex, as all below.
  void wait(std::unique_lock<reprise::mutex>& lock) {
    ++waiting;
    changed.wait(lock);
    --waiting;
  }
  cv_status wait_until(std::unique_lock<reprise::mutex>& lock, std::chrono::steady_clock::time_point time) {
    ++waiting;
    const cv_status status = changed.wait_until(lock, time);
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

// " @3": an event that selective waits see, and its number among them.
std::string selection_text(std::uint64_t number);

// Who sent: process, path of the thread, and its numbers; as it stands in notes and on the wire.
struct Mail {
  std::string sender;
  std::string bytes;
  std::uint64_t arrival{0};      // among all events of the hub; forced: its place in the sequence
  std::optional<message> reply;  // synchronous: who sends waits for it
};

// What came to a mailbox and was not done yet.
struct Request {
  char mark;
  std::string connection;  // whose messages do not overtake each other
  Actor actor;
  std::uint64_t number{0};
  std::uint64_t all{0};
  Mail mail;
  std::optional<message> asked;
};

// What came before its turn, where a sequence is forced. Of each connection only the first may be taken.
class Stash {
 public:
  void add(Request request);
  bool has(const PlannedEvent& event) const;
  std::optional<Request> take(const PlannedEvent& event);
  bool empty() const { return size_ == 0; }

 private:
  std::map<std::string, std::deque<Request>> connections_;
  std::size_t size_{0};
};

// "3 4": the numbers of the calling thread's next event; count_event() makes it so.
std::string numbers_text();
void count_event();

class MailboxCore {
 public:
  MailboxCore(const std::string& name, const at* place, bool is_synchronous, bool is_selectable);
  ~MailboxCore();
  MailboxCore(const MailboxCore&) = delete;
  MailboxCore& operator=(const MailboxCore&) = delete;

  const std::string& name() const { return name_; }
  std::uint16_t port() const { return port_; }
  Hub& hub() { return *hub_; }
  std::string receive();
  void close();
  void stop();

  // REQUIRES hub().mutex.
  bool is_closed() const { return is_closed_; }
  bool is_empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  std::uint64_t first_arrival() const { return queue_.front().arrival; }
  Mail take(std::uint64_t place = 0);

  // The same where a sequence is forced. What came before a place in it, whatever came since:
  bool is_forced() const { return planned_ != nullptr; }
  bool is_synchronous() const { return is_synchronous_; }
  bool is_turn(const Actor& receiver) const;
  std::uint64_t next_place() const;
  std::size_t size_at(std::uint64_t place) const;
  // Nothing more is listed here, but more came.
  bool has_more_than_listed() const { return next_place() == no_place && (!queue_.empty() || !stash_.empty()); }
  Mail take_in_turn();

  // After take(), without the mutex: who sent a synchronous message goes on.
  static std::string finish(Mail mail);

 private:
  void serve();
  bool handle(message incoming);
  void perform(Request request, std::uint64_t place = 0);
  static void answer(std::optional<message>& asked, const std::string& text);

  // Where a sequence is forced.
  void advance();
  void await_turn(std::unique_lock<reprise::mutex>& lock);
  void await_close(std::unique_lock<reprise::mutex>& lock, const std::string& what);
  // `place`: in the sequence that is forced.
  void note(const char* type, const std::string& rest, std::uint64_t place);

  std::string name_;
  std::string label_;
  bool is_synchronous_;
  std::shared_ptr<Hub> hub_;
  std::unique_ptr<party> party_;  // until it is stopped: nobody can connect then
  std::uint16_t port_;

  // Guarded by the hub's mutex.
  std::deque<Mail> queue_;
  Stash stash_;
  const PlannedObject* planned_{nullptr};
  std::size_t next_{0};  // of the planned events
  std::uint64_t order_{0};
  std::uint64_t last_number_{0};  // of the last event, in the hub
  std::uint64_t connections_{0};
  bool is_closed_{false};
  condition_variable closed_;     // for those who wait for nothing else
  std::uint64_t await_close_{0};  // how many they are
  bool is_stopped_{false};

  thread server_;
};

}  // namespace reprise::detail
