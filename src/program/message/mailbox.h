// The receiving half of a party: who is registered, listens, accepts, and takes the next message.
//
//   Mailbox mailbox("server");
//   std::optional<message> next = mailbox.receive(for_ever);
//
// There is no thread behind it: who receives also accepts and reads, under `mutex_`; while it waits the mutex is free.
//
// Threads   Any. On replay only the thread whose turn it is takes from it; any thread that waits reads early messages.
// Trust     A connection is believed only after its greeting; one that breaks a rule is closed, and nobody else
// notices. Cost      Off: a mutex and, per buffer, two system calls.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/message.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/message/net.h"
#include "program/message/registry.h"
#include "program/message/wire.h"

namespace reprise::messaging {

// How the choice between several mailboxes is recorded.
constexpr std::string_view any_name = "receive_any";

// One connection to a mailbox, seen from it. What goes back are replies.
struct Source {
  ~Source();

  static constexpr std::uint64_t unnumbered = ~std::uint64_t{0};
  int file{-1};
  std::uint64_t key{0};  // in the mailbox; never given twice
  Inflow in;
  std::shared_ptr<const message_sender> from;  // null before the greeting
  std::uint64_t messages{0};                   // taken so far
  std::uint64_t number{unnumbered};            // among the sources of the mailbox, as recorded
  bool kept{false};                            // the contents of its messages are recorded
  bool is_ready{false};                        // stands in ready_
  bool is_paused{false};                       // replay: enough came early
  bool has_asked{false};                       // it knows who listens here: it came by the place, not by the name
  bool is_remote{false};                       // it came over the network

  std::mutex mutex;  // guards what follows, and the writing half of the socket
  std::string label;
  gate::Object replies;  // who replies first
  std::set<std::uint32_t> calls;
  bool is_lost{false};
};

class Mailbox {
 public:
  // Errors, as message_error: bad_name, name_taken, system.
  // `place`: where it listens too; null: at no place but the run's own.
  explicit Mailbox(std::string_view name, const at* place = nullptr);
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  const std::string& name() const { return name_; }
  std::uint32_t incarnation() const { return incarnation_; }
  const std::string& run() const { return run_id_; }
  // Of its place; 0: it has none.
  std::uint16_t port() const { return port_; }

  std::optional<message> receive(Time time);
  // The next message at any of them; `which` counts from 0.
  struct Any {
    std::uint64_t which;
    message what;
  };
  static std::optional<Any> receive_any(const std::vector<Mailbox*>& mailboxes, Time time);
  // Errors, as message_error: not_a_call, lost.
  static void reply(Source& source, std::uint32_t call, std::string_view bytes);

  // Readable when something came.
  int poll_file();
  void read_early();
  void close_in_child();
  // While the process forks to make a checkpoint.
  bool try_hold() { return mutex_.try_lock(); }
  void let_go() { mutex_.unlock(); }

  // Connections made by this party, by name and incarnation of the other: found again, not made twice.
  struct Partners {
    std::mutex mutex;
    gate::Object object;
    std::map<std::string, std::shared_ptr<Connection>> known;
  };
  Partners& partners() { return partners_; }

 private:
  struct Expected;  // a source as recorded

  std::string enlist_text();
  void enlist(std::uint32_t wanted);
  void open_sockets(Run& run, const std::string& name);
  bool open_networks(Run& run, std::string& what);
  void listen_again(const std::string& recorded);
  void open_place_again();
  void close_all();
  void watch(int file, std::uint64_t key, std::uint32_t events, bool is_new);

  // REQUIRES mutex_.
  void handle(std::uint64_t key, bool replaying);
  void accept_from(int listener, bool replaying);
  void read_from(const std::shared_ptr<Source>& source, bool replaying);
  bool greet(Source& source);
  bool welcome(Source& source);
  void make_ready(const std::shared_ptr<Source>& source);
  void drop(const std::shared_ptr<Source>& source);
  void drop_strangers();
  std::shared_ptr<Source> next_ready(bool replaying);
  void collect(bool replaying);
  void use_epoll();
  void use_epoll_if_many();
  void sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline);
  message take(const std::shared_ptr<Source>& source);

  // `which`: kept before the message, for who chose between several mailboxes.
  std::optional<message> receive_live(gate::Thread* thread, const Deadline& deadline, const std::uint64_t* which);
  std::optional<message> receive_passing(gate::Thread& thread, const Deadline& deadline, const std::uint64_t* which);
  message receive_recorded(gate::Thread& thread, const gate::Choice& choice, const std::string& introduced);
  message from_log(gate::Thread& thread, const Expected& expected);
  void expect(std::uint64_t number, std::string_view text);
  void expect_sources();
  std::shared_ptr<Source> await_source(const message_sender& from);
  std::shared_ptr<Source> find_source(const message_sender& from);
  void introduce(gate::Thread& thread, Source& source);

  std::string name_;
  std::string label_;
  std::uint32_t incarnation_{1};
  std::optional<at> place_;
  std::uint16_t port_{0};
  std::string run_id_;
  std::shared_ptr<Run> run_;
  Run::Added entry_;
  int unix_{-1};
  int tcp_{-1};
  int place_file_{-1};
  int epoll_{-1};
  int wake_{-1};  // tells sleepers that more was read than was taken

  gate::ChoosingObject object_;
  Partners partners_;

  std::mutex mutex_;                                                    // guards what follows
  std::unordered_map<std::uint64_t, std::shared_ptr<Source>> sources_;  // connected, by key
  std::deque<std::shared_ptr<Source>> ready_;                           // with a whole frame, the next one first
  std::deque<std::uint64_t> strangers_;                                 // not greeted yet, the oldest first
  std::vector<std::unique_ptr<Expected>> expected_;                     // replay: sources by number
  std::uint64_t last_key_{0};
  std::uint64_t numbered_{0};
  std::uint32_t sleepers_{0};
  std::uint32_t since_look_{0};
  std::shared_ptr<Source> last_;  // taken from last: most likely the next one too
  // Few connections are polled; only many of them, or several mailboxes at once, stand in epoll_: there each message
  // costs its sender a call more.
  bool uses_epoll_{false};
};

}  // namespace reprise::messaging
