// What each kind of event is called and what is written for it: the one table (format/recording.md shows the same).
#pragma once

#include <reprise/detail/kind.h>

#include <array>
#include <optional>
#include <string_view>

namespace reprise::recording {

// How a kind of event is treated.
enum class Class : std::uint8_t {
  none,
  ordered,   // raises the object's order; written when another thread passed there last (or when explicit)
  release,   // ends an ordered passage; has no order of its own; never written below level full
  writing,   // ordered, and also says how many reads passed since the order was last raised
  choosing,  // ordered, and also says which of the sources that meet there it was
  read,      // sees an order without raising it; written when that order is new to the thread
  failure,   // an attempt failed; run-length coded
  value,     // bytes from outside; always written
  plain,     // determined by the thread's own program; written at level full only (or when explicit)
  choice,    // a number that could have been another; written when it is not the expected one
  mark,      // explicit: end of a thread or process, with a number; always written
  label,     // names an object; not a step
  note,      // says more of what was done; not a step; in full logs only
};

struct KindInfo {
  Kind kind;
  std::string_view name;
  Class treated;
  bool is_explicit;  // written even where it could be predicted
};

constexpr std::array kinds{
    KindInfo{Kind::lock, "lock", Class::ordered, false},
    KindInfo{Kind::unlock, "unlock", Class::release, false},
    KindInfo{Kind::try_failed, "try_failed", Class::failure, true},
    KindInfo{Kind::wait, "wait", Class::ordered, false},
    KindInfo{Kind::relock, "relock", Class::ordered, false},
    KindInfo{Kind::relock_timeout, "relock_timeout", Class::ordered, true},
    KindInfo{Kind::notify_one, "notify_one", Class::ordered, false},
    KindInfo{Kind::notify_all, "notify_all", Class::ordered, false},
    KindInfo{Kind::wake, "wake", Class::ordered, false},
    KindInfo{Kind::wake_timeout, "wake_timeout", Class::ordered, true},
    KindInfo{Kind::load, "load", Class::read, false},
    KindInfo{Kind::store, "store", Class::ordered, false},
    KindInfo{Kind::modify, "modify", Class::ordered, false},
    KindInfo{Kind::compare_failed, "compare_failed", Class::read, false},
    KindInfo{Kind::value, "value", Class::value, true},
    KindInfo{Kind::clock, "clock", Class::value, true},
    KindInfo{Kind::sleep, "sleep", Class::plain, false},
    KindInfo{Kind::spawn, "spawn", Class::plain, false},
    KindInfo{Kind::join, "join", Class::plain, false},
    KindInfo{Kind::end, "end", Class::mark, true},
    KindInfo{Kind::output, "output", Class::ordered, false},
    KindInfo{Kind::guard, "guard", Class::ordered, true},
    KindInfo{Kind::exit, "exit", Class::mark, true},
    KindInfo{Kind::crash, "crash", Class::mark, true},
    KindInfo{Kind::detach, "detach", Class::plain, false},
    KindInfo{Kind::lock_nested, "lock_nested", Class::plain, false},
    KindInfo{Kind::unlock_nested, "unlock_nested", Class::plain, false},
    KindInfo{Kind::acquire, "acquire", Class::ordered, false},
    KindInfo{Kind::release, "release", Class::ordered, false},
    KindInfo{Kind::arrive, "arrive", Class::ordered, false},
    KindInfo{Kind::await, "await", Class::ordered, false},
    KindInfo{Kind::connect, "connect", Class::ordered, false},
    KindInfo{Kind::send, "send", Class::ordered, false},
    KindInfo{Kind::receive, "receive", Class::choosing, false},
    KindInfo{Kind::reply, "reply", Class::ordered, false},
    KindInfo{Kind::answer, "answer", Class::plain, false},
    KindInfo{Kind::source, "source", Class::value, true},
    KindInfo{Kind::fault, "fault", Class::value, true},
    KindInfo{Kind::lock_shared, "lock_shared", Class::read, false},
    KindInfo{Kind::unlock_shared, "unlock_shared", Class::release, false},
    KindInfo{Kind::write_lock, "write_lock", Class::writing, false},
    KindInfo{Kind::content, "content", Class::value, true},
    KindInfo{Kind::fork, "fork", Class::plain, false},
    KindInfo{Kind::exec, "exec", Class::mark, true},
    KindInfo{Kind::monitor, "monitor", Class::value, true},
    KindInfo{Kind::semaphore, "semaphore", Class::value, true},
    KindInfo{Kind::mailbox, "mailbox", Class::value, true},
    KindInfo{Kind::behind, "behind", Class::plain, true},
    KindInfo{Kind::mcapi_send, "mcapi_send", Class::choice, false},
    KindInfo{Kind::mcapi_recv, "mcapi_recv", Class::choice, false},
    KindInfo{Kind::mcapi_sender, "mcapi_sender", Class::value, true},
    KindInfo{Kind::mcapi_test, "mcapi_test", Class::choice, false},
    KindInfo{Kind::mcapi_wait, "mcapi_wait", Class::choice, false},
    KindInfo{Kind::mcapi_index, "mcapi_index", Class::choice, false},
    KindInfo{Kind::mcapi_value, "mcapi_value", Class::choice, false},
    KindInfo{Kind::mcapi_cancel, "mcapi_cancel", Class::choice, false},
    KindInfo{Kind::mcapi_endpoint, "mcapi_endpoint", Class::choice, false},
    KindInfo{Kind::mcapi_channel, "mcapi_channel", Class::choice, false},
    KindInfo{Kind::mcapi_arrival, "mcapi_arrival", Class::choice, false},
    KindInfo{Kind::mcapi_node, "mcapi_node", Class::choice, false},
    KindInfo{Kind::note, "note", Class::note, true},
    KindInfo{Kind::label, "label", Class::label, true},
};

constexpr KindInfo unknown_kind{Kind::none, "?", Class::none, false};

constexpr std::size_t kind_limit = 64;

constexpr auto kinds_by_value = [] {
  std::array<KindInfo, kind_limit> table{};
  table.fill(unknown_kind);
  for (const KindInfo& row : kinds) table[static_cast<std::size_t>(row.kind)] = row;
  return table;
}();

// The row of `kind`, or unknown_kind: bytes from a recording may hold anything.
constexpr const KindInfo& info(Kind kind) {
  const auto value = static_cast<std::size_t>(kind);
  return value < kind_limit ? kinds_by_value[value] : unknown_kind;
}

constexpr std::string_view name(Kind kind) { return info(kind).name; }

constexpr std::optional<Kind> kind_named(std::string_view text) {
  for (const KindInfo& row : kinds) {
    if (row.name == text) return row.kind;
  }
  return std::nullopt;
}

// What is written without being a step of the program.
constexpr bool is_step(Class treated) { return treated != Class::label && treated != Class::note; }
constexpr bool has_object(Class treated) {
  return treated == Class::ordered || treated == Class::writing || treated == Class::choosing ||
         treated == Class::release || treated == Class::read || treated == Class::label;
}
constexpr bool raises_order(Class treated) {
  return treated == Class::ordered || treated == Class::writing || treated == Class::choosing;
}
constexpr bool has_order(Class treated) { return raises_order(treated) || treated == Class::read; }

}  // namespace reprise::recording
