// reprise::mailbox and its kin: typed messages to named mailboxes, in this process or another, whose events can be
// written down.
//
//   reprise::mailbox<int> deposit("deposit");                     reprise::sender<int> deposit("deposit");
//   int item = deposit.receive();                                 deposit.connect();
//   deposit.close();                                              deposit.send(7);  deposit.close();
//
//   reprise::mailbox<int> deposit("deposit", reprise::at{2020});   reprise::sender<int> deposit("localhost:2020");
//
//   reprise::select(reprise::from(numbers, [&](int n) { ... }),                  // selectable mailboxes only
//                   reprise::from(texts, [&](std::string t) { ... }).when(ready),
//                   reprise::after(10ms, [&] { ... }));                          // or reprise::otherwise(...)
//
// A mailbox has a thread of its own, which takes what comes: its arrival is an event of the mailbox. send() returns at
// once; at a sync_mailbox when the message was received. connect() and close() of a sender return when the mailbox has
// them. Messages of one connection do not overtake each other; those of one thread to several mailboxes may. close() of
// a mailbox waits until those who are connected have closed; its destructor does not.
//
// select() takes, of the open alternatives that have a message, the one whose message came first. Without any it waits,
// or takes `otherwise`, or `after` that time. A guard is asked when select() is called.
//
// Threads   Any: several senders and receivers, in any process of the run.
// Errors    mailbox_error says what and why.
// Replay    Each receive gets the message it got, each wait ends as it ended, each error comes again.
// Cost      Of one message: two wake-ups and a socket; recording adds some 10 bytes.
#pragma once

#include <reprise/contents.h>
#include <reprise/detail/noted.h>
#include <reprise/message.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise {

enum class mailbox_fault : std::uint8_t {
  bad_name,        // letters, digits, '.', '_' and '-', at most 64
  name_taken,      // a mailbox or party of this name is alive
  no_mailbox,      // nobody of this name came in time; what listens at host:port is no mailbox
  not_connected,   // connect() was not called, or the sender was closed
  refused,         // nobody listens at host:port, or the mailbox belongs to another run
  broken,          // the other side is gone
  closed,          // the mailbox was closed
  bad_contents,    // the bytes are not a T
  no_alternative,  // every guard of a select is closed, and there is neither otherwise nor after
  system,          // the system said no
  unknown_host,    // there is no host of this name
};

class REPRISE_API mailbox_error : public std::runtime_error {
 public:
  mailbox_error(mailbox_fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  mailbox_fault fault() const noexcept { return fault_; }

 private:
  mailbox_fault fault_;
};

namespace detail {

class MailboxCore;
class SenderCore;
[[noreturn]] REPRISE_API void throw_bad_contents(const std::string& mailbox);

template <typename T>
std::string mail_bytes(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else {
    return messaging::bytes_of(value);
  }
}

template <typename T>
T mail_value(std::string bytes, const std::string& mailbox) {
  if constexpr (std::is_same_v<T, std::string>) {
    return bytes;
  } else {
    T value{};
    std::string_view rest = bytes;
    if (!contents_load(rest, value) || !rest.empty()) throw_bad_contents(mailbox);
    return value;
  }
}

// What all mailboxes share, whatever they carry.
class MailboxHandle {
 public:
  MailboxHandle(const MailboxHandle&) = delete;
  MailboxHandle& operator=(const MailboxHandle&) = delete;

  REPRISE_API const std::string& name() const noexcept;
  // Of the place where it listens; 0: it was given none.
  REPRISE_API std::uint16_t port() const noexcept;
  // No more messages are received. Waits until those who are connected have closed.
  REPRISE_API void close();

 protected:
  // Errors: bad_name, name_taken, system (the port is taken). An empty name: one is made.
  REPRISE_API MailboxHandle(std::string_view name, const at* place, bool is_synchronous, bool is_selectable);
  REPRISE_API ~MailboxHandle();
  // Errors: closed.
  REPRISE_API std::string receive_bytes();

 private:
  friend class Alternative;
  std::shared_ptr<MailboxCore> core_;
};

template <typename T, bool is_synchronous, bool is_selectable>
class Mailbox : public MailboxHandle {
 public:
  explicit Mailbox(std::string_view name = {}) : MailboxHandle(name, nullptr, is_synchronous, is_selectable) {}
  // It can be connected to by host:port, too.
  Mailbox(std::string_view name, const at& place) : MailboxHandle(name, &place, is_synchronous, is_selectable) {}
  // Errors: closed, bad_contents.
  T receive() { return mail_value<T>(receive_bytes(), name()); }
};

}  // namespace detail

template <typename T>
using mailbox = detail::Mailbox<T, false, false>;
template <typename T>
using sync_mailbox = detail::Mailbox<T, true, false>;
template <typename T>
using selectable_mailbox = detail::Mailbox<T, false, true>;
template <typename T>
using selectable_sync_mailbox = detail::Mailbox<T, true, true>;

namespace detail {

class SenderHandle {
 public:
  SenderHandle(const SenderHandle&) = delete;
  SenderHandle& operator=(const SenderHandle&) = delete;

  // As it was given: a name, or host:port.
  const std::string& mailbox_name() const noexcept { return mailbox_; }
  // Waits until the mailbox is there. Errors: bad_name, no_mailbox, unknown_host, refused, broken, closed, system.
  REPRISE_API void connect(std::chrono::milliseconds time = std::chrono::seconds(10));
  // All that was sent has arrived when it returns. Errors: not_connected, broken.
  REPRISE_API void close();

 protected:
  REPRISE_API explicit SenderHandle(std::string_view mailbox);
  REPRISE_API ~SenderHandle();
  // Errors: not_connected, broken, closed.
  REPRISE_API void send_bytes(const std::string& bytes);

 private:
  std::string mailbox_;
  std::shared_ptr<SenderCore> core_;
};

}  // namespace detail

// Sends to the mailbox of this name, of whichever kind it is; or to the one that listens at host:port. Threads may
// share it.
template <typename T>
class sender : public detail::SenderHandle {
 public:
  explicit sender(std::string_view mailbox) : SenderHandle(mailbox) {}
  sender(const std::string& host, std::uint16_t port) : SenderHandle(host + ':' + std::to_string(port)) {}
  void send(const T& value) { send_bytes(detail::mail_bytes(value)); }
};

namespace detail {

class Alternative {
 public:
  Alternative(const MailboxHandle& mailbox, std::function<void(std::string)> take)
      : core_(mailbox.core_), take_(std::move(take)) {}
  Alternative(std::optional<std::chrono::nanoseconds> time, std::function<void()> then)
      : time_(time.value_or(std::chrono::nanoseconds::zero())), then_(std::move(then)), is_last_(true) {}

  // Only if `guard` holds.
  Alternative&& when(bool guard) && {
    is_open_ = guard;
    return std::move(*this);
  }

 private:
  friend REPRISE_API void select_from(std::vector<Alternative> alternatives);
  std::shared_ptr<MailboxCore> core_;
  std::function<void(std::string)> take_;
  std::chrono::nanoseconds time_{0};
  std::function<void()> then_;
  bool is_last_{false};
  bool is_open_{true};
};

REPRISE_API void select_from(std::vector<Alternative> alternatives);

}  // namespace detail

// An alternative of select(): receive from `mailbox` and hand the message to `take`.
template <typename T, bool is_synchronous, typename Take>
detail::Alternative from(detail::Mailbox<T, is_synchronous, true>& mailbox, Take take) {
  return {mailbox, [take = std::move(take), name = mailbox.name()](std::string bytes) mutable {
            take(detail::mail_value<T>(std::move(bytes), name));
          }};
}
// If no message is there now.
template <typename Then>
detail::Alternative otherwise(Then then) {
  return {std::nullopt, std::move(then)};
}
// If no message came in that time.
template <typename Rep, typename Period, typename Then>
detail::Alternative after(const std::chrono::duration<Rep, Period>& time, Then then) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(time), std::move(then)};
}

// Errors: no_alternative, closed (an open alternative's mailbox), bad_contents.
template <typename... Alternatives>
void select(Alternatives&&... alternatives) {
  std::vector<detail::Alternative> list;
  (list.push_back(std::forward<Alternatives>(alternatives)), ...);
  detail::select_from(std::move(list));
}

}  // namespace reprise
