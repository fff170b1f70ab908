#include "analyse/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "analyse/text.h"

namespace reprise::analyse {
namespace {

using recording::Event;

// What was done, as a verb with its preposition; ordered and read events name their object after it.
std::string_view verb(Kind kind) {
  switch (kind) {
    case Kind::lock:
      return "locked";
    case Kind::unlock:
      return "unlocked";
    case Kind::wait:
      return "waited on";
    case Kind::relock:
      return "locked again";
    case Kind::relock_timeout:
      return "locked again after a time-out";
    case Kind::notify_one:
      return "notified one at";
    case Kind::notify_all:
      return "notified all at";
    case Kind::wake:
      return "woke at";
    case Kind::wake_timeout:
      return "woke by time-out at";
    case Kind::load:
      return "read";
    case Kind::store:
      return "wrote";
    case Kind::modify:
      return "changed";
    case Kind::compare_failed:
      return "compared in vain";
    case Kind::output:
      return "printed to";
    case Kind::lock_shared:
      return "locked for reading";
    case Kind::unlock_shared:
      return "unlocked after reading";
    case Kind::write_lock:
      return "locked for writing";
    case Kind::guard:
      return "initialised";
    case Kind::try_failed:
      return "failed to lock";
    case Kind::acquire:
      return "acquired";
    case Kind::release:
      return "released";
    case Kind::arrive:
      return "arrived at";
    case Kind::await:
      return "passed";
    case Kind::connect:
      return "connected";
    case Kind::send:
      return "sent by";
    case Kind::receive:
      return "received at";
    case Kind::reply:
      return "replied by";
    default:
      return recording::name(kind);
  }
}

std::string read_value(std::string_view bytes) { return bytes.size() <= 8 ? number_text(bytes) : value_text(bytes); }

std::string_view failed_verb(Family family) {
  switch (family) {
    case Family::semaphore:
      return "failed to acquire";
    case Family::latch:
      return "did not pass";
    default:
      return verb(Kind::try_failed);
  }
}

std::string failure_text(const Names& names, const Event& event) {
  const std::string object = event.object == 0 ? "an object" : names.object(event.object);
  const std::string times = event.number > 1 ? fmt::format(" {} times", grouped(event.number)) : "";
  return fmt::format("{} {}{}", failed_verb(names.family(event.object)), object, times);
}

bool is_printable(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte >= 0x20 && byte < 0x7F; });
}

// Whether a value is a number is not recorded. Of what the library itself asks for it is known; of others, few bytes
// that are no text are most likely one.
bool is_number(const Event& event) {
  constexpr std::array<std::string_view, 6> numbers{"hardware_concurrency", "process_id", "processors",
                                                    "random_device",        "seek",       "size"};
  if (event.value.size() > 8) return false;
  return !is_printable(event.value) || std::find(numbers.begin(), numbers.end(), event.name) != numbers.end();
}

std::string value_event_text(const Event& event) {
  if (event.kind == Kind::clock) return fmt::format("read the clock: {} ns", static_cast<std::int64_t>(event.number));
  if (event.kind == Kind::source) return fmt::format("met a new source: {}", value_text(event.value));
  if (event.kind == Kind::fault) return fmt::format("was told: {}", value_text(event.value));
  if (event.kind == Kind::monitor || event.kind == Kind::semaphore || event.kind == Kind::mailbox) {
    return fmt::format("{} {}: {}", recording::name(event.kind), escape(event.name), value_text(event.value));
  }
  const std::string value = is_number(event) ? number_text(event.value) : value_text(event.value);
  return fmt::format("got {} = {}", escape(event.name), value);
}

std::string plain_text(const Names& names, const Event& event) {
  const auto subject = static_cast<ThreadIndex>(event.number);
  switch (event.kind) {
    case Kind::sleep:
      return "slept";
    case Kind::spawn:
      return fmt::format("started thread {}", names.thread(subject));
    case Kind::join:
      return fmt::format("joined thread {}", names.thread(subject));
    case Kind::detach:
      return fmt::format("detached thread {}", names.thread(subject));
    case Kind::behind:
      return fmt::format("came after {} of other processes", counted(event.number, "write"));
    case Kind::answer:
      return "took the reply to its call";
    default:
      return std::string(recording::name(event.kind));
  }
}

std::string mark_text(const Event& event) {
  const auto code = static_cast<std::int64_t>(event.number);
  switch (event.kind) {
    case Kind::end:
      return "ended";
    case Kind::exit:
      return fmt::format("ended the process with exit code {}", code);
    case Kind::crash:
      return fmt::format("died of {}", signal_name(static_cast<int>(code)));
    default:
      return fmt::format("{} {}", recording::name(event.kind), code);
  }
}

}  // namespace

std::string event_text(const Names& names, const Event& event) {
  using recording::Class;
  switch (recording::info(event.kind).treated) {
    case Class::ordered:
      return fmt::format("{} {} order {}", verb(event.kind), names.object(event.object), event.order);
    case Class::writing:
      return fmt::format("{} {} order {} after {}", verb(event.kind), names.object(event.object), event.order,
                         counted(event.number, "read"));
    case Class::choosing:
      return fmt::format("{} {} order {} from source {}", verb(event.kind), names.object(event.object), event.order,
                         event.number);
    case Class::release:
      return fmt::format("{} {}", verb(event.kind), names.object(event.object));
    case Class::read:
      if (event.kind == Kind::lock_shared) {
        return fmt::format("{} {} order {}", verb(event.kind), names.object(event.object), event.order);
      }
      return fmt::format("{} {} order {} value {}", verb(event.kind), names.object(event.object), event.order,
                         read_value(event.value));
    case Class::failure:
      return failure_text(names, event);
    case Class::value:
      return value_event_text(event);
    case Class::plain:
      return plain_text(names, event);
    case Class::choice:
      return fmt::format("{} {}", recording::name(event.kind), event.number);
    case Class::mark:
      return mark_text(event);
    case Class::label:
      return fmt::format("named an object {}", escape(event.value));
    case Class::note:
      return fmt::format("note {}", escape(event.value));
    case Class::none:
      break;
  }
  return "?";
}

std::string intent_text(Kind kind, const std::string& name) {
  const char* words = nullptr;
  switch (kind) {
    case Kind::relock:
    case Kind::relock_timeout:
      words = "lock again";
      break;
    case Kind::wait:
    case Kind::wake:
    case Kind::wake_timeout:
      words = "be notified at";
      break;
    case Kind::load:
      words = "read";
      break;
    case Kind::join:
    case Kind::spawn:
    case Kind::detach:
      return fmt::format("{} thread {}", recording::name(kind), name);
    case Kind::none:
      return "pass no gate";
    default:
      break;
  }
  const std::string verb = words != nullptr ? words : std::string(recording::name(kind));
  return name.empty() ? verb : fmt::format("{} {}", verb, name);
}

std::string intent_text(const Names& names, Kind kind, ObjectId object) {
  const bool is_thread = kind == Kind::join || kind == Kind::spawn || kind == Kind::detach;
  if (is_thread) return intent_text(kind, names.thread(static_cast<ThreadIndex>(object)));
  return intent_text(kind, object == 0 ? std::string() : names.object(object));
}

std::vector<std::string> context_before(const recording::Log& log, const Names& names, ThreadIndex thread,
                                        std::uint64_t step, std::size_t count) {
  std::deque<std::string> last;
  recording::StreamReader stream = log.stream(thread);
  while (auto event = stream.next()) {
    if (!*event || (*event)->step > step) break;
    if (!recording::is_step(recording::info((*event)->kind).treated)) continue;
    last.push_back(fmt::format("step {}: {}", grouped((*event)->step), event_text(names, **event)));
    if (last.size() > count) last.pop_front();
  }
  return {last.begin(), last.end()};
}

}  // namespace reprise::analyse
