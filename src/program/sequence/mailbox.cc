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

// What a message to a mailbox is for: its first byte.
constexpr char connect_mark = 'c';
constexpr char send_mark = 's';
constexpr char close_mark = 'e';
constexpr char stop_mark = 'x';

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
    throw mailbox_error(fault_of(error.fault()), "mailbox " + mailbox + ": " + error.what());
  }
}

void append_number(std::string& text, std::uint64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
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

void throw_bad_contents(const std::string& mailbox) {
  throw mailbox_error(mailbox_fault::bad_contents,
                      "mailbox " + mailbox + ": the bytes are not of the type that is received");
}

// ---- the mailbox ----

MailboxCore::MailboxCore(const std::string& name, const at* place, bool is_synchronous, bool is_selectable)
    : name_(name),
      label_("queue " + name),
      is_synchronous_(is_synchronous),
      hub_(is_selectable ? selection() : std::make_shared<Hub>(label_.c_str())),
      party_(new party(name, place)),
      port_(party_->port()),
      planned_(plan() != nullptr && plan()->lists_mailboxes() ? &plan()->mailbox(name) : nullptr),
      closed_(label_.c_str(), gate::Own{}),
      server_([this] { serve(); }) {}

MailboxCore::~MailboxCore() { stop(); }

void MailboxCore::note(const char* type, const std::string& rest, std::uint64_t place) {
  ++order_;
  last_number_ = place != 0 ? place : ++hub_->events;
  if (gate::current == nullptr) return;
  std::string text;
  text.reserve(48 + rest.size());
  text += type;
  text += ' ';
  append_number(text, order_);
  text += ' ';
  text += rest;
  if (hub_ == selection()) text += selection_text(last_number_);
  detail::note(Kind::mailbox, name_, text);
}

void MailboxCore::serve() {
  if (gate::Thread* thread = gate::current; thread != nullptr && thread->is_steered)
    thread->gate->note(*thread, recording::note_serves);
  while (handle(party_->receive())) {
  }
}

// False: it was the last one.
bool MailboxCore::handle(message incoming) {
  const std::string& bytes = incoming.bytes();
  const std::size_t end = bytes.find('\n');
  const bool is_mail = end != std::string::npos && end > 1 &&
                       (bytes[0] == connect_mark || bytes[0] == send_mark || bytes[0] == close_mark);
  if (!is_mail) return bytes.empty() || bytes[0] != stop_mark || incoming.from().party != name_;
  Request request{bytes[0], incoming.from().party, {}, 0, 0, {}, {}};
  const std::string who = bytes.substr(1, end - 1);  // path#index number all
  const std::size_t mark = who.find('#');
  const std::size_t blank = who.find(' ');
  if (mark == std::string::npos || blank == std::string::npos || blank < mark) return true;
  const std::string& process = incoming.from().process;
  if (is_forced()) request.actor = {process + '/' + who.substr(0, mark), process + who.substr(mark, blank - mark)};
  request.number = std::strtoull(who.c_str() + blank, nullptr, 10);
  const std::size_t last = who.rfind(' ');
  request.all = std::strtoull(who.c_str() + last, nullptr, 10);
  request.mail.sender = process + ' ' + who.substr(0, mark) + who.substr(blank);
  request.mail.bytes = bytes.substr(end + 1);
  if (incoming.expects_reply()) request.asked = std::move(incoming);
  std::unique_lock lock(hub_->mutex);
  if (is_forced()) {
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
      note("arrival", request.mail.sender, place);
      request.mail.arrival = last_number_;
    } else {
      request.mail.arrival = ++hub_->events;
    }
    request.mail.reply = std::move(request.asked);
    queue_.push_back(std::move(request.mail));
    return;
  }
  if (request.mark == connect_mark) {
    ++connections_;
    note("connection", request.mail.sender, place);
  } else {
    if (connections_ > 0) --connections_;
    note("close", request.mail.sender, place);
  }
  answer(request.asked, std::string("+") + kind);
}

// ---- where a sequence is forced ----

namespace {

bool fits(const PlannedEvent& event, const Request& request) {
  const std::string_view type = request.mark == connect_mark ? "connection"
                                : request.mark == close_mark ? "close"
                                                             : "arrival";
  const bool is_type = event.type == type || (event.type == "SRsynchronization" && request.mark == send_mark);
  return is_type && request.actor.is(event.thread) && (event.number == 0 || event.number == request.number) &&
         (event.all == 0 || event.all == request.all);
}

}  // namespace

void Stash::add(Request request) {
  std::deque<Request>& list = connections_[request.connection];
  list.push_back(std::move(request));
  ++size_;
}

bool Stash::has(const PlannedEvent& event) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const auto& connection) {
    return !connection.second.empty() && fits(event, connection.second.front());
  });
}

std::optional<Request> Stash::take(const PlannedEvent& event) {
  for (auto& [name, list] : connections_) {
    if (list.empty() || !fits(event, list.front())) continue;
    Request request = std::move(list.front());
    list.pop_front();
    --size_;
    return request;
  }
  return std::nullopt;
}

// REQUIRES the hub's mutex. Does what came already and whose turn it is.
void MailboxCore::advance() {
  while (next_ < planned_->events.size()) {
    const PlannedEvent& event = planned_->events[next_];
    if (event.type == "receive" || event.type == "SRsynchronization") return;
    auto request = stash_.take(event);
    if (!request) return;
    ++next_;
    perform(*std::move(request), event.place);
  }
}

std::uint64_t MailboxCore::next_place() const {
  return next_ < planned_->events.size() ? planned_->events[next_].place : no_place;
}

std::size_t MailboxCore::size_at(std::uint64_t place) const {
  return static_cast<std::size_t>(
      std::count_if(queue_.begin(), queue_.end(), [&](const Mail& mail) { return mail.arrival < place; }));
}

bool MailboxCore::is_turn(const Actor& receiver) const {
  if (next_ >= planned_->events.size()) return false;
  const PlannedEvent& event = planned_->events[next_];
  if (is_synchronous_) return event.type == "SRsynchronization" && receiver.is(event.called) && stash_.has(event);
  return event.type == "receive" && receiver.is(event.thread) && !queue_.empty();
}

// Returns in the receiver's turn; holds it for good where it would do more than is listed.
void MailboxCore::await_turn(std::unique_lock<reprise::mutex>& lock) {
  const std::string_view type = is_synchronous_ ? "SRsynchronization" : "receive";
  if (const std::string another = another_step(type, name_); !another.empty()) return await_close(lock, another);
  const bool is_listed = own_step(type, name_, true, {}, &lock);
  const Actor self = this_actor();
  bool has_told = false;
  while (!is_closed_ && !(is_listed && is_turn(self))) {
    const bool is_over = next_ >= planned_->events.size();
    if (!is_listed && is_over && (!queue_.empty() || !stash_.empty())) hold(std::string(type) + ' ' + name_, &lock);
    if (is_listed && !std::exchange(has_told, true)) wants(std::string(type) + ' ' + name_);
    hub_->wait(lock);
  }
}

// The thread would receive where that is not listed of it. If the mailbox is closed it receives nothing, which is no
// event: then it has done nothing else than what is listed.
void MailboxCore::await_close(std::unique_lock<reprise::mutex>& lock, const std::string& what) {
  deviates(what);
  ++await_close_;
  while (!is_closed_) closed_.wait(lock);
  --await_close_;
  goes_on();
}

Mail MailboxCore::take_in_turn() {
  if (is_synchronous_) {
    auto request = stash_.take(planned_->events[next_]);
    request->mail.reply = std::move(request->asked);
    queue_.push_front(std::move(request->mail));
  }
  Mail mail = take(planned_->events[next_++].place);
  advance();
  hub_->notify();
  return mail;
}

Mail MailboxCore::take(std::uint64_t place) {
  Mail mail = std::move(queue_.front());
  queue_.pop_front();
  const std::string own = gate::current != nullptr ? numbers_text() : std::string();
  count_event();
  if (is_synchronous_) {
    note("SRsynchronization", own + ' ' + mail.sender, place);
  } else {
    note("receive", own, place);
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
  if (is_closed_) throw mailbox_error(mailbox_fault::closed, "mailbox " + name_ + " is closed");
  Mail mail = is_forced() ? take_in_turn() : take();
  lock.unlock();
  return finish(std::move(mail));
}

void MailboxCore::close() {
  std::deque<Mail> left;
  {
    std::unique_lock lock(hub_->mutex);
    is_closed_ = true;
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
    const std::lock_guard lock(hub_->mutex);
    if (std::exchange(is_stopped_, true)) return;
    is_closed_ = true;
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
    own_step(mark == connect_mark ? "connection" : mark == close_mark ? "close" : "SRsynchronization", mailbox_);
    const message reply = peer_.call(wire_text(mark, bytes));
    if (reply.bytes().empty() || reply.bytes()[0] != '+') {
      throw mailbox_error(mailbox_fault::closed, "mailbox " + mailbox_ + " is closed");
    }
    if (mark == connect_mark) is_synchronous_ = reply.bytes().ends_with('s');
    count_event();
  }
  void send(const std::string& bytes) {
    if (is_synchronous_) return ask(send_mark, bytes);
    own_step("arrival", mailbox_);
    peer_.send(wire_text(send_mark, bytes));
    count_event();
  }

 private:
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
