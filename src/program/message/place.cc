// How a party is found at a place, by host and port: whoever listens there is asked who it is, before anything of the
// connection is recorded. On replay that very incarnation is met in the run's folder, and no network is used.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "program/message/connection.h"
#include "program/message/found.h"
#include "program/message/world.h"

namespace reprise::messaging {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(5);
constexpr auto answer_time = std::chrono::seconds(1);  // where no time is given

// What an attempt came to: somebody who listens there, or why there is none.
struct Attempt {
  std::optional<Welcome> who;
  int file{-1};
  message_fault fault{message_fault::none};
  std::string why;
  bool may_come{false};  // it is worth another attempt
};

Attempt failed(message_fault fault, std::string why, bool may_come) {
  return {std::nullopt, -1, fault, std::move(why), may_come};
}

Attempt failed(int file, message_fault fault, std::string why, bool may_come) {
  close(file);
  return failed(fault, std::move(why), may_come);
}

// The first frame that comes; `in` holds it.
bool await_frame(int file, Inflow& in, const Deadline& deadline) {
  while (!in.has_frame()) {
    pollfd waiting{file, POLLIN, 0};
    if (in.is_broken() || poll(&waiting, 1, deadline.milliseconds()) == 0) return false;
    if (in.fill(file, false) == Inflow::Filled::ended) return in.has_frame();
  }
  return true;
}

Attempt ask(int file, const Mailbox& mailbox, const std::string& there, const Deadline& deadline) {
  const std::string& run = mailbox.run();
  const Header header{.length = static_cast<std::uint32_t>(run.size()), .type = FrameType::inquiry};
  if (const int error = send_frame(file, header, run, false); error != 0)
    return failed(file, message_fault::refused, there + " broke the connection: " + std::strerror(error), true);
  Inflow in;
  in.limit(greeting_bytes_max);
  if (!await_frame(file, in, deadline.is_now ? Deadline(answer_time) : deadline)) {
    if (in.held() == 0 && !in.is_broken())
      return failed(file, message_fault::no_party, "who listens at " + there + " does not answer", true);
    return failed(file, message_fault::no_party, "what listens at " + there + " is no mailbox", false);
  }
  if (in.header().type == FrameType::refusal)
    return failed(file, message_fault::refused, there + " refuses: " + std::string(in.payload()), false);
  auto who = in.header().type == FrameType::welcome ? parse_welcome(in.payload()) : std::nullopt;
  if (!who) return failed(file, message_fault::no_party, "what listens at " + there + " is no mailbox", false);
  if (!who->is_same_run && gate::installed != nullptr && gate::installed->lives())
    return failed(file, message_fault::refused, "mailbox " + who->party + " at " + there + " belongs to another run",
                  false);
  return {std::move(who), file, message_fault::none, {}, false};
}

Attempt attempt(const Mailbox& mailbox, const at& place, const Deadline& deadline) {
  const std::string there = text_of(place);
  bool may_come = false;
  if (const std::string why = unknown_host(place.host, may_come); !why.empty())
    return failed(message_fault::unknown_host, "there is no host " + place.host + ": " + why, may_come);
  const int file = connect_tcp(place.host, place.port, deadline);
  if (file >= 0) return ask(file, mailbox, there, deadline);
  return failed(message_fault::refused, "nobody listens at " + there + ": " + std::strerror(errno), true);
}

Attempt reach(const Mailbox& mailbox, const at& place, Time time) {
  for (const Deadline deadline(time);;) {
    Attempt made = attempt(mailbox, place, deadline);
    if (made.who || !made.may_come || deadline.is_over()) return made;
    await(-1, 0, Deadline(look_interval), false);
  }
}

std::string failure_text(const Attempt& made) {
  return "- " + std::to_string(static_cast<int>(made.fault)) + " " + made.why;
}

[[noreturn]] void throw_recorded(const at& place, std::string_view text) {
  next_word(text);
  const auto fault = next_number(text);
  if (!fault || *fault > static_cast<std::uint64_t>(message_fault::unknown_host))
    throw message_error(message_fault::system, "the recorded outcome of " + text_of(place) + " cannot be read");
  throw message_error(static_cast<message_fault>(*fault), std::string(text));
}

// An error was recorded. Without simulation it is tried again: another outcome is a difference.
[[noreturn]] void fail_again(Mailbox& mailbox, const at& place, std::string_view text, Time time) {
  if (world().simulates_errors() || world().is_alone()) throw_recorded(place, text);
  Attempt made = reach(mailbox, place, time);
  if (made.file >= 0) close(made.file);
  std::string_view rest = text;
  next_word(rest);
  const auto what = [](std::string_view why) { return why.substr(0, why.find(": ")); };
  const bool is_same = next_number(rest) == static_cast<std::uint64_t>(made.fault) && what(rest) == what(made.why);
  if (is_same) throw message_error(made.fault, made.why);
  const std::string now =
      made.who ? "mailbox " + made.who->party + " of process " + made.who->process + " answers" : made.why;
  gate::Thread& thread = *gate::current;
  thread.gate->differs(thread, Kind::value,
                       "recorded: " + std::string(rest) + "; now: " + now + " (--exceptions trace-only)");
  throw message_error(message_fault::system, now);
}

std::shared_ptr<Connection> find_recorded_at(Mailbox& mailbox, const at& place, std::string_view text, Time time) {
  if (text.empty() || text[0] == '-') fail_again(mailbox, place, text, time);
  next_word(text);
  const auto found = parse_found(text);
  const auto name = next_word(text);
  if (!found || !name)
    throw message_error(message_fault::system, "the recorded outcome of " + text_of(place) + " cannot be read");
  const Located& where = found->where;
  auto connection = std::make_shared<Connection>(std::string(*name), where.incarnation, where.process, where.host,
                                                 found->is_kept, -1);
  connection->open(mailbox,
                   [&](std::uint64_t number) { return reach_again(std::string(*name), found->where, number); });
  return connection;
}

void take_text(void* context, const void* bytes, std::size_t size) {
  static_cast<std::string*>(context)->assign(static_cast<const char*>(bytes), size);
}

}  // namespace

std::shared_ptr<Connection> find_at(Mailbox& mailbox, const at& place, Time time) {
  gate::Thread* thread = gate::current;
  const std::string what = "find " + text_of(place);
  std::string text;
  if (thread != nullptr && thread->gate->given(*thread, Kind::value, what, take_text, &text))
    return find_recorded_at(mailbox, place, text, time);
  Attempt made = reach(mailbox, place, time);
  const auto keep = [&](const std::string& outcome) {
    if (thread != nullptr) thread->gate->keep(*thread, Kind::value, what, outcome.data(), outcome.size());
  };
  if (!made.who) {
    keep(failure_text(made));
    throw message_error(made.fault, made.why);
  }
  const Welcome& who = *made.who;
  const bool kept =
      thread != nullptr && (thread->gate->keeps_contents() || world().is_other_group(who.process, who.party));
  Located where;
  where.incarnation = who.incarnation;
  where.process = who.process;
  where.host = who.host;
  keep(text_of(Found{where, kept, false}) + " " + who.party);
  auto connection = std::make_shared<Connection>(who.party, who.incarnation, who.process, who.host, kept, made.file);
  connection->open(mailbox);
  return connection;
}

}  // namespace reprise::messaging
