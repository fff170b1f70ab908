// How messages are taken from a mailbox: live, in the recorded order, or from the log.
#include <poll.h>
#include <unistd.h>

#define XXH_INLINE_ALL  // a digest of few bytes costs less than a call
#include <xxhash.h>

#include <cstring>

#include "program/message/connection.h"
#include "program/message/expected.h"
#include "program/message/passing.h"
#include "program/message/world.h"

namespace reprise::messaging {
namespace {

constexpr std::uint32_t takes_between_looks = 64;

std::uint64_t digest_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void take_text(void* context, const void* bytes, std::size_t size) {
  static_cast<std::string*>(context)->assign(static_cast<const char*>(bytes), size);
}

std::string text_of(const message_sender& from, bool kept) {
  return from.party + " " + std::to_string(from.incarnation) + " " + from.process + " " + from.host + " " +
         std::to_string(from.connection) + " " + (kept ? "1" : "0");
}

}  // namespace

// The next connection in turn. Now and then others are looked at, though there is enough to take.
std::shared_ptr<Source> Mailbox::next_ready(bool replaying) {
  if (++since_look_ >= takes_between_looks && !ready_.empty()) {
    since_look_ = 0;
    collect(replaying);
  }
  return ready_.empty() ? nullptr : ready_.front();
}

void Mailbox::introduce(gate::Thread& thread, Source& source) {
  source.number = numbered_++;
  const std::string text = text_of(*source.from, source.kept);
  thread.gate->keep(thread, Kind::source, {}, text.data(), text.size());
}

std::optional<message> Mailbox::receive_live(gate::Thread* thread, const Deadline& deadline,
                                             const std::uint64_t* which) {
  std::unique_lock lock(mutex_);
  if (deadline.is_now && ready_.empty()) collect(false);
  for (;;) {
    if (const std::shared_ptr<Source> source = next_ready(false)) {
      if (thread != nullptr) {
        if (which != nullptr) thread->gate->keep(*thread, Kind::value, any_name, which, sizeof *which);
        if (source->number == Source::unnumbered) introduce(*thread, *source);
        const std::uint64_t digest = source->kept ? 0 : digest_of(source->in.payload());
        pass_choosing(*thread, object_, Kind::receive, source->number, digest);
        const std::string_view contents = source->in.contents();
        if (source->kept) thread->gate->keep_contents(*thread, contents);
      }
      message taken = take(source);
      const bool more = sleepers_ > 0 && !ready_.empty();
      lock.unlock();
      if (thread != nullptr) left(*thread, object_.passages);
      constexpr std::uint64_t one = 1;
      if (more) (void)!write(wake_, &one, sizeof one);
      return taken;
    }
    if (last_ && sources_.contains(last_->key)) read_from(std::shared_ptr(last_), false);
    if (!ready_.empty()) continue;
    if (deadline.is_over()) return std::nullopt;
    sleep(lock, deadline);
  }
}

std::optional<message> Mailbox::receive(Time time) {
  gate::Thread* thread = gate::current;
  const Deadline deadline(time);
  if (thread == nullptr) [[likely]]
    return receive_live(nullptr, deadline, nullptr);
  gate::Object& passages = object_.passages;
  const bool may_fail = !deadline.for_ever;
  if (may_fail &&
      thread->gate->foretell(*thread, passages, Kind::try_failed, nullptr, nullptr, 0, false) == gate::Outcome::failed)
    return std::nullopt;
  auto taken = receive_passing(*thread, deadline, nullptr);
  if (!taken) thread->gate->fail(*thread, passages, Kind::try_failed);
  return taken;
}

std::optional<message> Mailbox::receive_passing(gate::Thread& thread, const Deadline& deadline,
                                                const std::uint64_t* which) {
  std::string introduced;
  if (which == nullptr && !thread.counts_alone())
    thread.gate->perhaps_given(thread, Kind::source, take_text, &introduced);
  const gate::Choice choice = arrive_choosing(thread, object_, Kind::receive);
  if (choice.known) return receive_recorded(thread, choice, introduced);
  return receive_live(&thread, deadline, which);
}

// ---- replay ----

message Mailbox::receive_recorded(gate::Thread& thread, const gate::Choice& choice, const std::string& introduced) {
  std::unique_lock lock(mutex_);
  if (!introduced.empty()) expect(choice.source, introduced);
  if (choice.source >= expected_.size() || !expected_[choice.source])
    throw message_error(message_fault::system, "the recording names no such source of " + label_);
  const Expected expected = *expected_[choice.source];
  lock.unlock();
  if (!world().is_replayed(expected.from->process, expected.from->party)) {
    thread.gate->pass_choosing(thread, object_, Kind::receive, choice.source, 0);
    thread.gate->left(thread, object_.passages);
    return from_log(thread, expected);
  }
  const std::shared_ptr<Source> source = await_source(*expected.from);
  lock.lock();
  const std::uint64_t digest = expected.kept ? 0 : digest_of(source->in.payload());
  const std::string contents(expected.kept ? source->in.contents() : std::string_view());
  thread.gate->pass_choosing(thread, object_, Kind::receive, choice.source, digest);
  message taken = take(source);
  taken.from_ = expected.from;  // the host is the recorded one
  lock.unlock();
  thread.gate->left(thread, object_.passages);
  if (expected.kept) gate::keep_or_compare(thread, contents);
  return taken;
}

void Mailbox::expect(std::uint64_t number, std::string_view text) {
  message_sender from;
  const auto party = next_word(text);
  const auto incarnation = next_number(text);
  const auto process = next_word(text);
  const auto host = next_word(text);
  const auto connection = next_number(text);
  const auto kept = next_number(text);
  constexpr std::uint64_t sources_max = std::uint64_t{1} << 32;
  if (!party || !incarnation || !process || !host || !connection || !kept || number > expected_.size() + sources_max)
    throw message_error(message_fault::system, "the recording's source of " + label_ + " cannot be read");
  from.party = *party;
  from.incarnation = static_cast<std::uint32_t>(*incarnation);
  from.process = *process;
  from.host = *host;
  from.connection = *connection;
  if (number >= expected_.size()) expected_.resize(number + 1);
  expected_[number] = std::make_unique<Expected>();
  expected_[number]->from = std::make_shared<const message_sender>(std::move(from));
  expected_[number]->kept = *kept != 0;
  expected_[number]->nowhere = std::make_shared<Source>();
  expected_[number]->nowhere->label = "replies to " + expected_[number]->from->party;
  expected_[number]->nowhere->replies.name = expected_[number]->nowhere->label.c_str();
}

message Mailbox::from_log(gate::Thread& thread, const Expected& expected) {
  std::string contents;
  if (!thread.gate->given(thread, Kind::content, {}, take_text, &contents) || contents.empty())
    throw message_error(message_fault::system, "the recording does not hold what came from party " +
                                                   expected.from->party + "; it needs level data or groups");
  message taken;
  taken.type_ = static_cast<message_type>(contents[0]);
  taken.bytes_ = contents.substr(1);
  taken.from_ = expected.from;
  taken.number_ = ++expected.nowhere->messages;
  if (taken.type_ == message_type::call) {
    taken.source_ = expected.nowhere;
    taken.call_ = static_cast<std::uint32_t>(taken.number_ % call_limit);
    const std::lock_guard lock(expected.nowhere->mutex);
    while (!expected.nowhere->calls.insert(taken.call_).second) taken.call_ = (taken.call_ + 1) % call_limit;
  }
  return taken;
}

std::shared_ptr<Source> Mailbox::find_source(const message_sender& from) {
  const auto is_it = [&from](const std::shared_ptr<Source>& source) {
    return source->is_ready && source->from->party == from.party && source->from->incarnation == from.incarnation &&
           source->from->process == from.process && source->from->connection == from.connection;
  };
  for (const std::shared_ptr<Source>& source : ready_) {
    if (is_it(source)) return source;
  }
  return nullptr;
}

std::shared_ptr<Source> Mailbox::await_source(const message_sender& from) {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (auto source = find_source(from)) return source;
      use_epoll();
      collect(true);
      if (auto source = find_source(from)) return source;
    }
    await(-1, 0, Deadline(for_ever), true);
  }
}

// ---- replies ----

void Mailbox::reply(Source& source, std::uint32_t call, std::string_view bytes) {
  gate::Thread* thread = gate::current;
  if (thread != nullptr) arrive(*thread, source.replies, Kind::reply);
  std::unique_lock lock(source.mutex);
  if (thread != nullptr) pass(*thread, source.replies, Kind::reply);
  const bool is_open = source.calls.erase(call) > 0;
  const bool replaying = is_replaying(thread);
  Came came = is_open && replaying ? recorded_fault(thread) : Came::done;
  if (is_open && source.file >= 0 && came == Came::done) {
    const Header header{.length = static_cast<std::uint32_t>(bytes.size()),
                        .type = FrameType::reply,
                        .thread = thread != nullptr ? thread->index : 0,
                        .call = call};
    const bool fine = !source.is_lost && send_frame(source.file, header, bytes, replaying) == 0;
    if (!fine && !replaying) came = Came::lost;
  } else if (is_open && source.file < 0 && !replaying) {
    came = Came::lost;
  }
  lock.unlock();
  if (thread != nullptr) left(*thread, source.replies);
  if (!is_open) throw message_error(message_fault::not_a_call, "this message has been replied to already");
  if (came == Came::done) return;
  if (!replaying) keep_fault(thread, came);
  throw message_error(message_fault::lost, "the party that called is gone, or its connection broke");
}

// ---- several mailboxes ----

std::optional<Mailbox::Any> Mailbox::receive_any(const std::vector<Mailbox*>& mailboxes, Time time) {
  gate::Thread* thread = gate::current;
  const Deadline deadline(time);
  std::uint64_t which = 0;
  const auto take_number = [](void* context, const void* bytes, std::size_t size) {
    std::memcpy(context, bytes, std::min(size, sizeof(std::uint64_t)));
  };
  if (thread != nullptr && thread->gate->given(*thread, Kind::value, any_name, take_number, &which)) {
    if (which >= mailboxes.size()) return std::nullopt;
    auto taken = mailboxes[which]->receive_passing(*thread, deadline, nullptr);
    return Any{which, std::move(*taken)};
  }
  for (;;) {
    std::vector<pollfd> files;
    for (which = 0; which < mailboxes.size(); ++which) {
      auto taken = thread == nullptr ? mailboxes[which]->receive_live(nullptr, Deadline(Time::zero()), nullptr)
                                     : mailboxes[which]->receive_passing(*thread, Deadline(Time::zero()), &which);
      if (taken) return Any{which, std::move(*taken)};
      files.push_back({mailboxes[which]->poll_file(), POLLIN, 0});
    }
    if (thread != nullptr) thread->done();
    if (deadline.is_over()) break;
    poll(files.data(), files.size(), deadline.milliseconds());
  }
  which = ~std::uint64_t{0};
  if (thread != nullptr) thread->gate->keep(*thread, Kind::value, any_name, &which, sizeof which);
  return std::nullopt;
}

}  // namespace reprise::messaging
