// How messages are sent, and how calls get their replies. How a party is found: find.cc.
#include "program/message/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "program/message/passing.h"
#include "program/message/world.h"

namespace reprise::messaging {
namespace {

std::atomic<std::uint64_t> unrecorded_connections{0};
constexpr auto answer_time = std::chrono::seconds(2);  // for one that did not come when recorded

void take_text(void* context, const void* bytes, std::size_t size) {
  static_cast<std::string*>(context)->assign(static_cast<const char*>(bytes), size);
}

void check_length(std::string_view bytes) {
  if (bytes.size() <= message_bytes_max) return;
  throw message_error(message_fault::too_long, "a message of " + std::to_string(bytes.size()) +
                                                   " bytes is too long; at most " + std::to_string(message_bytes_max));
}

}  // namespace

bool is_replaying(const gate::Thread* thread) {
  return thread != nullptr && !thread->counts_alone() && !thread->gate->lives();
}

Came recorded_fault(gate::Thread* thread) {
  std::string code;
  if (!thread->gate->perhaps_given(*thread, Kind::fault, take_text, &code) || code.empty()) return Came::done;
  return static_cast<Came>(code[0]);
}

void keep_fault(gate::Thread* thread, Came came) {
  if (thread == nullptr) return;
  thread->done();
  thread->gate->keep(*thread, Kind::fault, {}, &came, sizeof came);
}

Connection::Connection(std::string name, std::uint32_t incarnation, std::string process, std::string host, bool kept,
                       int file)
    : to_(std::make_shared<message_sender>()), label_("to " + name), kept_(kept), file_(file) {
  to_->party = std::move(name);
  to_->incarnation = incarnation;
  to_->process = std::move(process);
  to_->host = std::move(host);
  object_.name = label_.c_str();
  world().add(*this);
}

Connection::~Connection() {
  world().remove(*this);
  if (file_ >= 0) close(file_);
}

void Connection::close_in_child() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  is_broken_ = true;
  is_lost_ = true;
  new (&mutex_) std::mutex;
  new (&reply_mutex_) std::mutex;
}

void Connection::open(const Mailbox& mailbox, const Reach& reach) {
  gate::Thread* thread = gate::current;
  if (thread != nullptr) {
    thread->gate->begin(*thread, object_, Kind::connect);
    thread->gate->end(*thread, object_, Kind::connect, nullptr, 0, false);
  }
  const std::uint64_t id = object_.known_id();
  to_->connection = id != 0 ? id : ++unrecorded_connections;
  if (reach) file_ = reach(to_->connection);
  if (file_ < 0) return;
  if (is_replaying(thread)) enlarge(file_);
  const Greeting greeting{
      mailbox.run(), to_->party,
      message_sender{mailbox.name(), mailbox.incarnation(), gate::process_name, world().host(), to_->connection}};
  const std::string text = text_of(greeting);
  const Header header{.length = static_cast<std::uint32_t>(text.size()), .type = FrameType::greeting};
  if (send_frame(file_, header, text, is_replaying(thread)) != 0) is_broken_ = true;  // the first send says so
}

void Connection::throw_fault(Came came) const {
  const std::string who = "party " + to_->party;
  if (came == Came::refused) throw message_error(message_fault::refused, who + " refused the connection: " + refusal_);
  throw message_error(message_fault::lost, who + " is gone, or the connection to it broke");
}

// Who is replayed without this party, or with a party that is gone, has nobody to try it with.
bool Connection::is_tried() const {
  return !world().simulates_errors() && world().is_replayed(to_->process, to_->party);
}

void Connection::compare(gate::Thread& thread, Came recorded, Came now) const {
  const auto text = [](Came came) {
    return came == Came::done        ? "it was done"
           : came == Came::timed_out ? "the other side is there and has not answered yet"
           : came == Came::refused   ? "refused"
                                     : "the connection is broken";
  };
  thread.gate->differs(
      thread, Kind::fault,
      "to " + to_->party + ", recorded: " + text(recorded) + "; now: " + text(now) + " (--exceptions trace-only)");
}

// REQUIRES mutex_.
Came Connection::put(Header& header, std::string_view bytes, bool replaying) {
  header.number = ++sent_;
  if (file_ < 0) return replaying && !is_tried() ? Came::done : Came::not_sent;
  if (given_up_ > 0) drop_late_replies();
  if (send_frame(file_, header, bytes, replaying) == 0) return Came::done;
  const std::lock_guard lock(reply_mutex_);
  if (!is_read_) {
    while (in_.fill(file_, false) == Inflow::Filled::some) deliver();
  }
  return refusal_.empty() ? Came::not_sent : Came::refused;
}

Connection::Sent Connection::send_frame_of(FrameType type, std::string_view bytes) {
  gate::Thread* thread = gate::current;
  if (thread != nullptr) arrive(*thread, object_, Kind::send);
  std::unique_lock lock(mutex_);
  if (thread != nullptr) pass(*thread, object_, Kind::send);
  Header header{.length = static_cast<std::uint32_t>(bytes.size()),
                .type = type,
                .thread = thread != nullptr ? thread->index : 0};
  Sent sent;
  const bool replaying = is_replaying(thread);
  const bool tried = replaying && is_tried();
  if (replaying) sent.came = recorded_fault(thread);
  if (type == FrameType::call) {
    if (++calls_ == call_limit) calls_ = 1;
    sent.call = header.call = calls_;
    const std::lock_guard replies(reply_mutex_);
    awaited_[sent.call];
  }
  const Came recorded = sent.came;
  Came now = Came::done;
  if (tried || (recorded != Came::not_sent && recorded != Came::refused)) {
    now = put(header, bytes, replaying);
    if (!replaying) sent.came = now;
  }
  if (sent.came != Came::done && sent.came != Came::timed_out) is_broken_ = true;
  lock.unlock();
  if (thread == nullptr) return sent;
  left(*thread, object_);
  const bool was_sent = recorded != Came::not_sent && recorded != Came::refused;
  if (tried && was_sent != (now == Came::done)) compare(*thread, recorded, now);
  if (!replaying && sent.came != Came::done) keep_fault(thread, sent.came);
  return sent;
}

void Connection::send(std::string_view bytes) {
  check_length(bytes);
  const Sent sent = send_frame_of(FrameType::plain, bytes);
  if (sent.came != Came::done) throw_fault(sent.came);
}

std::optional<message> Connection::call(std::string_view bytes, Time time) {
  check_length(bytes);
  const Deadline deadline(time);
  const Sent sent = send_frame_of(FrameType::call, bytes);
  gate::Thread* thread = gate::current;
  if (sent.came == Came::done && thread != nullptr) thread->gate->awaiting(*thread, Kind::answer, object_);
  const bool replaying = is_replaying(thread);
  std::string reply;
  Came came = sent.came;
  if (came == Came::lost && replaying && is_tried()) {
    const Came now = await_reply(sent.call, Deadline(answer_time), replaying, reply);
    if (now != came) compare(*thread, came, now);
  } else if (came != Came::done) {
    forget(sent.call);
  } else if (file_ >= 0 || !replaying) {
    came = await_reply(sent.call, deadline, replaying, reply);
    if (!replaying && came != Came::done) keep_fault(thread, came);
  }
  if (came == Came::timed_out) return std::nullopt;
  if (came != Came::done) {
    is_broken_ = true;
    throw_fault(came);
  }
  return reply_of(thread, sent.call, std::move(reply));
}

message Connection::reply_of(gate::Thread* thread, std::uint32_t call, std::string bytes) {
  if (thread != nullptr) {
    const bool nowhere = file_ < 0;
    thread->gate->step(*thread, Kind::answer, kept_ ? 0 : XXH3_64bits(bytes.data(), bytes.size()));
    if (kept_ && nowhere) {
      thread->gate->given(*thread, Kind::content, {}, take_text, &bytes);
    } else if (kept_) {
      gate::keep_or_compare(*thread, bytes);
    }
  }
  message reply;
  reply.bytes_ = std::move(bytes);
  reply.from_ = to_;
  reply.number_ = call;
  reply.type_ = message_type::reply;
  return reply;
}

// ---- replies ----

void Connection::forget(std::uint32_t call) {
  const std::lock_guard lock(reply_mutex_);
  if (awaited_.erase(call) > 0) ++given_up_;
}

Came Connection::await_reply(std::uint32_t call, const Deadline& deadline, bool replaying, std::string& reply) {
  std::unique_lock lock(reply_mutex_);
  for (bool is_last = false;;) {
    const auto found = awaited_.find(call);
    if (found->second) {
      reply = std::move(*found->second);
      awaited_.erase(found);
      return Came::done;
    }
    if (is_lost_ || is_last) {
      awaited_.erase(found);
      if (!is_lost_) ++given_up_;
      return !is_lost_ ? Came::timed_out : refusal_.empty() ? Came::lost : Came::refused;
    }
    is_last = deadline.is_over();  // looked at once more, whatever the time
    if (!is_read_) {
      read_replies(lock, deadline, replaying);
    } else if (deadline.for_ever) {
      replied_.wait(lock);
    } else if (!deadline.is_now) {
      replied_.wait_until(lock, deadline.at);
    }
  }
}

// One of the callers reads for all; the mutex is free meanwhile.
void Connection::read_replies(std::unique_lock<std::mutex>& lock, const Deadline& deadline, bool replaying) {
  is_read_ = true;
  lock.unlock();
  const bool waits = deadline.for_ever && !replaying;
  if (!waits) await(file_, POLLIN, deadline, replaying);
  const Inflow::Filled filled = in_.fill(file_, waits);
  lock.lock();
  if (filled == Inflow::Filled::some) deliver();
  if (filled == Inflow::Filled::ended || in_.is_broken()) is_lost_ = true;
  is_read_ = false;
  if (awaited_.size() > 1) replied_.notify_all();
}

// REQUIRES reply_mutex_ and no reader. A reply that nobody awaits came too late.
void Connection::deliver() {
  while (in_.has_frame()) {
    const Header& header = in_.header();
    if (header.type == FrameType::refusal) {
      refusal_ = in_.payload().substr(0, greeting_bytes_max);
      is_lost_ = true;
    } else if (header.type != FrameType::reply) {
      is_lost_ = true;
      return;
    } else if (const auto found = awaited_.find(header.call); found != awaited_.end()) {
      found->second.emplace(in_.payload());
    } else if (given_up_ > 0) {
      --given_up_;
    }
    in_.pop();
  }
}

// Else they would fill the connection, and who replies would wait for ever.
void Connection::drop_late_replies() {
  const std::unique_lock lock(reply_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || is_read_) return;
  while (given_up_ > 0 && in_.fill(file_, false) == Inflow::Filled::some) deliver();
}

}  // namespace reprise::messaging
