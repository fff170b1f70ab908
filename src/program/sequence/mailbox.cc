#include "program/sequence/mailbox.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "program/message/wire.h"
#include "program/sequence/made_name.h"
#include "recording/searched.h"

namespace reprise::detail {
namespace {

constexpr char stop_mark = 'x';  // of its own process: no more will come

constexpr std::size_t known_senders_max = 1024;

__thread std::uint64_t made_names = 0;
std::atomic<std::uint64_t> unrecorded_names{0};

std::string own_name(char what) {
  if (gate::current != nullptr) return made_name(gate::process_name, gate::thread_path(), what, ++made_names);
  return made_name("off." + std::to_string(getpid()), "0", what, ++unrecorded_names);
}

mailbox_fault fault_of(message_fault fault) {
  switch (fault) {
    case message_fault::bad_name:
      return mailbox_fault::bad_name;
    case message_fault::name_taken:
      return mailbox_fault::name_taken;
    case message_fault::no_party:
      return mailbox_fault::no_mailbox;
    case message_fault::lost:
      return mailbox_fault::broken;
    case message_fault::refused:
      return mailbox_fault::refused;
    case message_fault::unknown_host:
      return mailbox_fault::unknown_host;
    default:
      return mailbox_fault::system;
  }
}

// Calls `action`; what the message layer throws becomes a mailbox_error about `mailbox`.
template <typename Action>
auto translated(const std::string& mailbox, Action action) {
  try {
    return action();
  } catch (const message_error& error) {
    if (error.fault() == message_fault::lost) ends_by_close();
    throw mailbox_error(fault_of(error.fault()), "mailbox " + mailbox + ": " + error.what());
  }
}

void append_number(std::string& text, std::uint64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// The number that `text` begins with.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "producer 0.1 3 4": who sent, as it stands in notes.
std::string sender_text(const Mail& mail) {
  std::string text = mail.sender->name;
  text += ' ';
  append_number(text, mail.number);
  text += ' ';
  append_number(text, mail.all);
  return text;
}

std::string wire_text(char mark, const std::string& bytes) {
  const gate::Thread* thread = gate::current;
  const Counted& now = counted();
  std::string text;
  text.reserve(64 + bytes.size());
  text += mark;
  text += thread != nullptr ? gate::thread_path() : "?";
  text += '#';
  append_number(text, thread != nullptr ? thread->index : 0);
  text += ' ';
  append_number(text, now.mailbox_events + 1);
  text += ' ';
  append_number(text, now.all + 1);
  text += '\n';
  text += bytes;
  return text;
}

// Not a function-local static: its guard would pass the gate.
const std::shared_ptr<Hub>* the_selection = new std::shared_ptr<Hub>(std::make_shared<Hub>("selection"));

}  // namespace

const std::shared_ptr<Hub>& selection() { return *the_selection; }

std::string selection_text(std::uint64_t number) { return " @" + std::to_string(number); }

std::string numbers_text() {
  const Counted& now = counted();
  return std::to_string(now.mailbox_events + 1) + ' ' + std::to_string(now.all + 1);
}
void count_event() {
  count_active();
  ++counted().mailbox_events;
  ++counted().all;
}

void throw_closed(const std::string& mailbox) {
  ends_by_close();
  throw mailbox_error(mailbox_fault::closed, "mailbox " + mailbox + " is closed");
}

void throw_bad_contents(const std::string& mailbox) {
  throw mailbox_error(mailbox_fault::bad_contents,
                      "mailbox " + mailbox + ": the bytes are not of the type that is received");
}

// ---- the mailbox ----

MailboxCore::MailboxCore(const std::string& name, const at* place, bool is_synchronous, bool is_selectable)
    : name_(name),
      label_("queue " + name),
      receive_key_(gate::mailed_key(name, {})),
      is_synchronous_(is_synchronous),
      hub_(is_selectable ? selection() : std::make_shared<Hub>(label_.c_str())),
      party_(new party(name, place)),
      port_(party_->port()),
      planned_(plan() != nullptr && plan()->lists_mailboxes() ? &plan()->mailbox(name) : nullptr),
      maker_(is_forced() ? getpid() : 0),
      closed_(label_.c_str(), gate::Own{}),
      server_([this] { serve(); }) {
  if (!is_forced() || !is_selectable || !plan()->orders_mailboxes()) return;
  std::unique_lock lock(hub_->mutex);
  hub_->forced[name_] = this;
  advance();
  hub_->unlock_and_notify(lock);
}

MailboxCore::~MailboxCore() { stop(); }

void MailboxCore::number(std::uint64_t place) {
  ++order_;
  last_number_ = place != 0 ? place : ++hub_->events;
}

void MailboxCore::note(const char* type, const std::string& rest, std::uint64_t place) {
  number(place);
  if (gate::current == nullptr) return;
  std::string text = type;
  text += ' ';
  append_number(text, order_);
  text += ' ';
  text += rest;
  if (hub_ == selection()) text += selection_text(last_number_);
  detail::note(Kind::mailbox, name_, text);
}

// An arrival, or without a sender a receive.
void MailboxCore::note(const SenderThread* sender, std::uint64_t number, std::uint64_t all, std::uint64_t place) {
  this->number(place);
  if (gate::current == nullptr) return;
  detail::note({.mailbox = name_,
                .sender = sender != nullptr ? std::string_view(sender->name) : std::string_view(),
                .key = sender != nullptr ? sender->key : receive_key_,
                .order = order_,
                .number = number,
                .all = all,
                .selection = hub_ == selection() ? last_number_ : 0});
}

void MailboxCore::serve() {
  if (gate::Thread* thread = gate::current; thread != nullptr && thread->is_steered)
    thread->gate->note(*thread, recording::note_serves);
  while (handle(party_->receive())) {
  }
}

// Most messages come from the thread that the last one came from.
std::shared_ptr<const SenderThread> MailboxCore::sender(std::string_view process, std::string_view path) {
  const auto is_it = [&](std::string_view name) {
    return name.size() == process.size() + 1 + path.size() && name.starts_with(process) &&
           name[process.size()] == ' ' && name.ends_with(path);
  };
  if (last_sender_ && is_it(last_sender_->name)) return last_sender_;
  std::string name(process);
  name += ' ';
  name += path;
  if (senders_.size() >= known_senders_max) senders_.clear();
  std::shared_ptr<const SenderThread>& known = senders_[name];
  if (!known) known = std::make_shared<const SenderThread>(SenderThread{name, gate::mailed_key(name_, name)});
  last_sender_ = known;
  return known;
}

// False: it was the last one.
bool MailboxCore::handle(message incoming) {
  const std::string_view bytes = incoming.bytes();
  const std::size_t end = bytes.find('\n');
  const bool is_mail = end != std::string::npos && end > 1 &&
                       (bytes[0] == connect_mark || bytes[0] == send_mark || bytes[0] == close_mark);
  if (!is_mail) return bytes.empty() || bytes[0] != stop_mark || incoming.from().party != name_;
  const std::string_view who = bytes.substr(1, end - 1);  // path#index number all
  const std::size_t mark = who.find('#');
  const std::size_t blank = who.find(' ');
  if (mark == std::string::npos || blank == std::string::npos || blank < mark) return true;
  const std::string& process = incoming.from().process;
  Request request{bytes[0], {}, {}, {}, {}};
  if (is_forced()) {
    request.connection = incoming.from().party;
    request.actor = {process + '/' + std::string(who.substr(0, mark)),
                     process + std::string(who.substr(mark, blank - mark))};
  }
  request.mail.sender = sender(process, who.substr(0, mark));
  request.mail.number = number_of(who.substr(blank + 1));
  request.mail.all = number_of(who.substr(who.rfind(' ') + 1));
  request.mail.bytes = bytes.substr(end + 1);
  if (incoming.expects_reply()) request.asked = std::move(incoming);
  std::unique_lock lock(hub_->mutex);
  if (is_forced() && (!is_closed_ || request.mark == close_mark)) {
    stash_.add(std::move(request));
    advance();
  } else {
    perform(std::move(request));
  }
  hub_->unlock_and_notify(lock);
  return true;
}

void MailboxCore::answer(std::optional<message>& asked, const std::string& text) {
  if (!asked) return;
  try {
    asked->reply(text);
  } catch (const message_error&) {  // who asked is gone
  }
}

// REQUIRES the hub's mutex.
void MailboxCore::perform(Request request, std::uint64_t place) {
  const char* const kind = is_synchronous_ ? "s" : "a";
  if (is_closed_ && request.mark != close_mark) return answer(request.asked, std::string("-") + kind);
  if (request.mark == send_mark) {
    if (!is_synchronous_) {
      note(request.mail.sender.get(), request.mail.number, request.mail.all, place);
      request.mail.arrival = last_number_;
      request.mail.order = order_;
    } else {
      request.mail.arrival = ++hub_->events;
    }
    request.mail.reply = std::move(request.asked);
    queue_.push_back(std::move(request.mail));
    return;
  }
  if (request.mark == connect_mark) {
    ++connections_;
    note("connection", sender_text(request.mail), place);
  } else {
    if (connections_ > 0) --connections_;
    note("close", sender_text(request.mail), place);
  }
  answer(request.asked, std::string("+") + kind);
}

Mail MailboxCore::take(std::uint64_t place) {
  Mail mail = std::move(queue_.front());
  queue_.pop_front();
  if (is_synchronous_) {
    const std::string own = gate::current != nullptr ? numbers_text() : std::string();
    count_event();
    note("SRsynchronization", own + ' ' + sender_text(mail), place);
  } else {
    count_event();
    note(nullptr, counted().mailbox_events, counted().all, place);
  }
  return mail;
}

std::string MailboxCore::finish(Mail mail) {
  if (mail.reply) {
    try {
      mail.reply->reply("+s");
    } catch (const message_error&) {  // who sent is gone
    }
  }
  return std::move(mail.bytes);
}

std::string MailboxCore::receive() {
  std::unique_lock lock(hub_->mutex);
  if (is_forced() && !is_closed_) await_turn(lock);
  while (queue_.empty() && !is_closed_ && !is_forced()) hub_->wait(lock);
  if (is_closed_) throw_closed(name_);
  Mail mail = is_forced() ? take_in_turn() : take();
  lock.unlock();
  return finish(std::move(mail));
}

void MailboxCore::close() {
  std::deque<Mail> left;
  {
    std::unique_lock lock(hub_->mutex);
    if (is_forced()) await_listed(lock, true);
    is_closed_ = true;
    if (is_forced()) {
      tell_close();
      refuse_unlisted();
    }
    left = std::exchange(queue_, {});
    hub_->notify();
    if (await_close_ > 0) closed_.notify_all();
    for (Mail& mail : left) {
      if (!mail.reply) continue;
      try {
        mail.reply->reply("-s");
      } catch (const message_error&) {  // who sent is gone
      }
    }
    while (connections_ > 0) hub_->wait(lock);
  }
  stop();
}

void MailboxCore::stop() {
  {
    std::unique_lock lock(hub_->mutex);
    if (is_forced() && !is_stopped_) await_listed(lock, false);
    if (is_forced() && !is_closed_) tell_close();
    if (std::exchange(is_stopped_, true)) return;
    is_closed_ = true;
    if (const auto own = hub_->forced.find(name_); own != hub_->forced.end() && own->second == this)
      hub_->forced.erase(own);
    hub_->notify();
    if (await_close_ > 0) closed_.notify_all();
  }
  try {
    party_->find(name_).send(std::string(1, stop_mark));
  } catch (const message_error&) {  // a forked child: the mailbox is its parent's
    server_.detach();
    return;
  }
  server_.join();
  party_.reset();
}

MailboxHandle::MailboxHandle(std::string_view name, const at* place, bool is_synchronous, bool is_selectable) {
  const std::string known = name.empty() ? own_name('b') : std::string(name);
  core_ = translated(known, [&] { return std::make_shared<MailboxCore>(known, place, is_synchronous, is_selectable); });
}
MailboxHandle::~MailboxHandle() { core_->stop(); }
const std::string& MailboxHandle::name() const noexcept { return core_->name(); }
std::uint16_t MailboxHandle::port() const noexcept { return core_->port(); }
void MailboxHandle::close() { core_->close(); }
std::string MailboxHandle::receive_bytes() { return core_->receive(); }

// ---- the sender ----

class SenderCore {
 public:
  explicit SenderCore(const std::string& mailbox, std::chrono::milliseconds time)
      : party_(own_name('s')), peer_(find(mailbox, time)), mailbox_(peer_.name()) {}

  // Errors: closed.
  void ask(char mark, const std::string& bytes = {}) {
    const std::string_view type = mark == connect_mark ? "connection"
                                  : mark == close_mark ? "close"
                                                       : "SRsynchronization";
    const std::string unlisted = unlisted_step(type, mailbox_);
    if (unlisted.empty()) own_step(type, mailbox_);
    const message reply = unlisted.empty() ? peer_.call(wire_text(mark, bytes)) : call_in_vain(unlisted, mark, bytes);
    if (reply.bytes().empty() || reply.bytes()[0] != '+') {
      if (!unlisted.empty()) goes_on();
      throw_closed(mailbox_);
    }
    if (mark == connect_mark) is_synchronous_ = reply.bytes().ends_with('s');
    count_event();
  }
  void send(const std::string& bytes) {
    if (is_synchronous_) return ask(send_mark, bytes);
    if (const std::string unlisted = unlisted_step("arrival", mailbox_); !unlisted.empty()) {
      call_in_vain(unlisted, send_mark, bytes);
      sent_in_vain();
    } else {
      own_step("arrival", mailbox_);
      peer_.send(wire_text(send_mark, bytes));
    }
    count_event();
  }

 private:
  // What is not listed does not happen. Returns when the mailbox is closed; it may also be gone.
  message call_in_vain(const std::string& unlisted, char mark, const std::string& bytes) {
    deviates(unlisted);
    try {
      return peer_.call(wire_text(mark, bytes));
    } catch (const message_error&) {
      goes_on();
      throw;
    }
  }

  // A name has no colon.
  peer find(const std::string& mailbox, std::chrono::milliseconds time) {
    if (mailbox.find(':') == std::string::npos) return party_.find(mailbox, time);
    const auto place = messaging::parse_place(mailbox);
    if (place) return party_.find_at(*place, time);
    throw message_error(message_fault::bad_name, "it is no place: host:port, with a port of 1 to 65535");
  }

  party party_;
  peer peer_;
  std::string mailbox_;  // its name
  bool is_synchronous_{false};
};

SenderHandle::SenderHandle(std::string_view mailbox) : mailbox_(mailbox) {}
SenderHandle::~SenderHandle() {
  if (!core_) return;
  try {
    close();
  } catch (const mailbox_error&) {  // nobody is there to be told
  }
}

void SenderHandle::connect(std::chrono::milliseconds time) {
  if (core_) return;
  core_ = translated(mailbox_, [&] {
    auto core = std::make_shared<SenderCore>(mailbox_, time);
    core->ask(connect_mark);
    return core;
  });
}

void SenderHandle::send_bytes(const std::string& bytes) {
  if (!core_) throw mailbox_error(mailbox_fault::not_connected, "mailbox " + mailbox_ + ": connect() first");
  translated(mailbox_, [&] { core_->send(bytes); });
}

void SenderHandle::close() {
  if (!core_) throw mailbox_error(mailbox_fault::not_connected, "mailbox " + mailbox_ + ": it is not connected");
  const auto core = std::exchange(core_, nullptr);
  translated(mailbox_, [&] { core->ask(close_mark); });
}

}  // namespace reprise::detail
