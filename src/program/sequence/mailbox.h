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

#include <sys/types.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "program/sequence/hub.h"
#include "program/sequence/plan.h"

namespace reprise::detail {

// What a message to a mailbox is for: its first byte.
constexpr char connect_mark = 'c';
constexpr char send_mark = 's';
constexpr char close_mark = 'e';

// " @3": an event that selective waits see, and its number among them.
std::string selection_text(std::uint64_t number);

// A thread that sends to a mailbox.
struct SenderThread {
  std::string name;      // process and path, as in notes
  std::uint64_t key{0};  // of its arrivals there
};

struct Mail {
  std::shared_ptr<const SenderThread> sender;
  std::uint64_t number{0};  // the sender's
  std::uint64_t all{0};
  std::string bytes;
  std::uint64_t arrival{0};      // among all events of the hub; forced: its place in the sequence, if that says it
  std::uint64_t order{0};        // the same among those of the mailbox
  std::optional<message> reply;  // synchronous: who sends waits for it
};

// What came to a mailbox and was not done yet.
struct Request {
  char mark;
  Mail mail;
  std::string connection;  // whose messages do not overtake each other; where a sequence is forced, as is
  Actor actor;
  std::optional<message> asked;
};

// What came before its turn, where a sequence is forced. Of each connection only the first may be taken.
class Stash {
 public:
  void add(Request request);
  bool has(const PlannedEvent& event) const;
  std::optional<Request> take(const PlannedEvent& event);
  // All but closes of connections.
  std::vector<Request> take_refused();
  bool empty() const { return size_ == 0; }

 private:
  std::map<std::string, std::deque<Request>> connections_;
  std::size_t size_{0};
};

// "3 4": the numbers of the calling thread's next event; count_event() makes it so.
std::string numbers_text();
void count_event();

[[noreturn]] void throw_closed(const std::string& mailbox);

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
  // The receiver is about to take the first message here, and could take the first of `other`: tells it if that came
  // before this one.
  void check_overtaking(const MailboxCore& other, const Actor& receiver) const;
  // Nothing more is listed here, but more came.
  bool has_more_than_listed() const { return next_place() == no_place && (!queue_.empty() || !stash_.empty()); }
  Mail take_in_turn();
  // The calling thread could have received here, and took something else.
  void pass_over() { passed_by_.insert(this_actor().by_path); }

  // After take(), without the mutex: who sent a synchronous message goes on.
  static std::string finish(Mail mail);

 private:
  void serve();
  bool handle(message incoming);
  std::shared_ptr<const SenderThread> sender(std::string_view process, std::string_view path);
  void perform(Request request, std::uint64_t place = 0);
  static void answer(std::optional<message>& asked, const std::string& text);

  // Where a sequence is forced.
  void advance();
  bool advance_own();
  bool may_happen(const PlannedEvent& event) const;
  void await_turn(std::unique_lock<reprise::mutex>& lock);
  void await_close(std::unique_lock<reprise::mutex>& lock, const std::string& what);
  // The mailbox is about to be closed, or stopped: all that is listed happens before, but for closes of connections.
  void await_listed(std::unique_lock<reprise::mutex>& lock, bool but_closes);
  void refuse_unlisted();
  void tell_close() const;
  // `place`: in the sequence that is forced.
  void number(std::uint64_t place);
  void note(const char* type, const std::string& rest, std::uint64_t place);
  void note(const SenderThread* sender, std::uint64_t number, std::uint64_t all, std::uint64_t place);

  std::string name_;
  std::string label_;
  std::uint64_t receive_key_;
  bool is_synchronous_;
  std::shared_ptr<Hub> hub_;
  std::unique_ptr<party> party_;  // until it is stopped: nobody can connect then
  std::uint16_t port_;
  std::map<std::string, std::shared_ptr<const SenderThread>, std::less<>> senders_;  // of the mailbox's own thread
  std::shared_ptr<const SenderThread> last_sender_;

  // Guarded by the hub's mutex.
  std::deque<Mail> queue_;
  Stash stash_;
  const PlannedObject* planned_{nullptr};
  pid_t maker_{0};                   // where a sequence is forced: its process
  std::set<std::string> receivers_;  // the same: who has received
  std::set<std::string> passed_by_;  // and who has taken something else
  std::size_t next_{0};              // of the planned events
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
