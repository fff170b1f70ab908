// reprise::party: named senders and receivers of messages, in any number of processes on any number of hosts.
//
//   reprise::party me("server");                                reprise::party me("client");
//   for (;;) {                                                  reprise::peer server = me.find("server");
//     reprise::message question = me.receive();                 server.send("hello");
//     if (question.expects_reply()) question.reply("yes");      std::string yes = server.call("well?").bytes();
//   }
//
// Bytes go as they are, any length up to message_bytes_max, none included. Other types go through reprise::contents:
// peer.send(std::vector<int>{1, 2}), message.as<std::vector<int>>().
//
// Messages from one thread to one peer do not overtake each other. A peer that reads slowly slows its senders: send()
// waits while the connection is full, nothing piles up.
//
// Threads   Any, for parties and peers. A message belongs to who received it.
// Lifetime  A peer may outlive its party. In a forked child the parent's parties are closed.
// Errors    message_error says what and why; a time-out is no error but an empty optional. After a fault the connection
// is
//           dead: find() makes a new one.
// Time      As everywhere in CARE: zero does not wait, a negative time waits for ever.
// Replay    Each receive gets the message it got, each call its reply, each fault and time-out comes again by itself.
// Cost      Off: the system calls. Recording: a few bytes when another connection is next; level data: the message.
#pragma once

#include <reprise/contents.h>
#include <reprise/detail/gate.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace reprise {

namespace detail {
class MailboxCore;
class SenderCore;
}  // namespace detail

constexpr std::size_t message_bytes_max = std::size_t{64} << 20;

enum class message_type : std::uint8_t { plain = 2, call = 3, reply = 4 };

enum class message_fault : std::uint8_t {
  none,
  bad_name,      // letters, digits, '.', '_' and '-', at most 64
  name_taken,    // a party of this name is alive
  no_party,      // nobody of this name came in time
  lost,          // the peer is gone, or the connection broke
  refused,       // the peer belongs to another run, or is another party
  too_long,      // more than message_bytes_max
  not_a_call,    // there is nothing to reply to, or it was replied to already
  bad_contents,  // the bytes are not a T
  system,        // the system said no
  unknown_host,  // there is no host of this name
};

// A place in the network to listen at, besides in the run's folder: loopback unless another host is given. Port 0: any
// that is free.
struct at {
  std::uint16_t port{0};
  std::string host{"127.0.0.1"};
};

class REPRISE_API message_error : public std::runtime_error {
 public:
  message_error(message_fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  message_fault fault() const noexcept { return fault_; }

 private:
  message_fault fault_;
};

// Who sent a message.
struct message_sender {
  std::string party;
  std::uint32_t incarnation{1};  // 2 after the first restart, and so on
  std::string process;
  std::string host;
  std::uint64_t connection{0};  // the same number in every replay
};

namespace messaging {

class Mailbox;
class Connection;
struct Source;

template <typename T>
concept bytes_like = std::is_convertible_v<const T&, std::string_view>;

template <typename T>
std::string bytes_of(const T& value) {
  std::string bytes;
  contents_save(bytes, value);
  return bytes;
}

using Time = std::chrono::steady_clock::duration;
constexpr Time for_ever{-1};

template <typename Rep, typename Period>
Time time_of(const std::chrono::duration<Rep, Period>& time) {
  if (time < std::chrono::duration<Rep, Period>::zero()) return for_ever;
  constexpr auto most = std::chrono::hours(24 * 365 * 100);
  return time >= most ? for_ever : std::chrono::ceil<Time>(time);
}

}  // namespace messaging

class message {
 public:
  message(message&&) noexcept = default;
  message& operator=(message&&) noexcept = default;
  REPRISE_API ~message();

  REPRISE_API const message_sender& from() const noexcept;
  std::uint64_t number() const noexcept { return number_; }  // the how-manyth of its connection, from 1
  message_type type() const noexcept { return type_; }
  bool expects_reply() const noexcept { return type_ == message_type::call; }
  const std::string& bytes() const& noexcept { return bytes_; }
  std::string bytes() && noexcept { return std::move(bytes_); }

  // Errors: bad_contents.
  template <typename T>
  T as() const {
    if constexpr (std::is_same_v<T, std::string>) {
      return bytes_;
    } else {
      T value{};
      std::string_view rest = bytes_;
      if (!contents_load(rest, value) || !rest.empty()) throw_bad_contents();
      return value;
    }
  }

  // Once, to a message that expects it, by any thread. Errors: not_a_call, too_long, lost.
  REPRISE_API void reply(std::string_view bytes);
  template <typename T>
  requires(!messaging::bytes_like<T>) void reply(const T& value) { reply(messaging::bytes_of(value)); }

 private:
  friend class messaging::Mailbox;
  friend class messaging::Connection;
  message() = default;
  [[noreturn]] REPRISE_API void throw_bad_contents() const;

  std::string bytes_;
  std::shared_ptr<const message_sender> from_;
  std::shared_ptr<messaging::Source> source_;  // where a reply goes; null for replies
  std::uint64_t number_{0};
  std::uint32_t call_{0};
  message_type type_{message_type::plain};
};

// A connection to another party.
class peer {
 public:
  REPRISE_API const std::string& name() const noexcept;
  REPRISE_API std::uint32_t incarnation() const noexcept;

  // Returns when the system has the message. Errors: too_long, lost, refused.
  REPRISE_API void send(std::string_view bytes);
  template <typename T>
  requires(!messaging::bytes_like<T>) void send(const T& value) { send(messaging::bytes_of(value)); }

  // Sends and waits for the reply. Errors: too_long, lost, refused.
  message call(std::string_view bytes) { return *call_by(bytes, messaging::for_ever); }
  template <typename T>
  requires(!messaging::bytes_like<T>) message call(const T& value) { return call(messaging::bytes_of(value)); }

  // The same; empty when no reply came in time. One that comes later is dropped.
  template <typename Rep, typename Period>
  std::optional<message> call_for(std::string_view bytes, const std::chrono::duration<Rep, Period>& time) {
    return call_by(bytes, messaging::time_of(time));
  }
  template <typename T, typename Rep, typename Period>
  requires(!messaging::bytes_like<T>) std::optional<message> call_for(const T& value,
                                                                      const std::chrono::duration<Rep, Period>& time) {
    return call_by(messaging::bytes_of(value), messaging::time_of(time));
  }

 private:
  friend class party;
  explicit peer(std::shared_ptr<messaging::Connection> connection) : connection_(std::move(connection)) {}
  REPRISE_API std::optional<message> call_by(std::string_view bytes, messaging::Time time);

  std::shared_ptr<messaging::Connection> connection_;
};

class party {
 public:
  // Registers `name`. Errors: bad_name, name_taken, system.
  REPRISE_API explicit party(std::string_view name);
  party(const party&) = delete;
  party& operator=(const party&) = delete;
  REPRISE_API ~party();

  REPRISE_API const std::string& name() const noexcept;
  REPRISE_API std::uint32_t incarnation() const noexcept;

  // The party of this name, which is waited for if it has not started yet. Errors: no_party (in that time), bad_name.
  template <typename Rep = std::int64_t, typename Period = std::ratio<1>>
  peer find(std::string_view name, const std::chrono::duration<Rep, Period>& time = std::chrono::seconds(10)) {
    std::optional<peer> found = find_by(name, messaging::time_of(time));
    if (!found) throw_no_party(name);
    return *std::move(found);
  }
  // The same; empty when it did not come in time.
  template <typename Rep, typename Period>
  std::optional<peer> find_for(std::string_view name, const std::chrono::duration<Rep, Period>& time) {
    return find_by(name, messaging::time_of(time));
  }

  // The next message. Connections take turns.
  message receive() { return *receive_by(messaging::for_ever); }
  template <typename Rep, typename Period>
  std::optional<message> receive_for(const std::chrono::duration<Rep, Period>& time) {
    return receive_by(messaging::time_of(time));
  }
  std::optional<message> try_receive() { return receive_by(messaging::Time::zero()); }

  // The next message at any of several parties of this process, and which one it was (from 0).
  struct received;
  template <typename Rep = std::int64_t, typename Period = std::ratio<1>>
  static std::optional<received> receive_any(std::initializer_list<party*> parties,
                                             const std::chrono::duration<Rep, Period>& time = std::chrono::seconds(-1));

 private:
  REPRISE_API std::optional<peer> find_by(std::string_view name, messaging::Time time);
  REPRISE_API std::optional<message> receive_by(messaging::Time time);
  REPRISE_API static std::optional<received> receive_any_by(std::initializer_list<party*> parties,
                                                            messaging::Time time);
  [[noreturn]] REPRISE_API static void throw_no_party(std::string_view name);

  // For mailboxes, which always have a thread that receives, so that who connects to a place is answered.
  friend class detail::MailboxCore;
  friend class detail::SenderCore;
  party(std::string_view name, const at* place);
  std::uint16_t port() const noexcept;
  // Errors: unknown_host, refused, no_party (what listens there is none), system.
  peer find_at(const at& place, std::chrono::milliseconds time);

  std::shared_ptr<messaging::Mailbox> mailbox_;
};

struct party::received {
  std::size_t which;
  message what;
};

template <typename Rep, typename Period>
std::optional<party::received> party::receive_any(std::initializer_list<party*> parties,
                                                  const std::chrono::duration<Rep, Period>& time) {
  return receive_any_by(parties, messaging::time_of(time));
}

}  // namespace reprise
