// Sequences: the events of an execution as people write them, in every form of docs/design/sequences.md.
//
//   auto read = sequence::read(text, "buffer.seq");         // parse.h: text to sequences
//   auto counted = sequence::count_numbers(read->front());  // number.h: what the form leaves to be counted
//   auto text = sequence::print(*counted, {.form = Form::node});    // print.h: and back
//
// Trust     A sequence comes from a person: nothing in it is believed before it was checked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::analyse::sequence {

enum class Type : std::uint8_t {
  unknown,  // the simple form does not say
  connection,
  arrival,
  receive,
  close,
  synchronization,
  else_delay,
  entry,
  exit,
  wait,
  signal,
  reentry,
  p,
  v,
};

std::string_view name(Type type);
std::optional<Type> type_named(std::string_view text);

enum class Form : std::uint8_t { object, thread1, thread2, total, node, simple, monitor, simple_monitor, semaphore };
constexpr std::array<std::string_view, 9> form_names{"object", "thread1", "thread2",        "total",    "node",
                                                     "simple", "monitor", "simple_monitor", "semaphore"};
inline std::string_view name(Form form) { return form_names[static_cast<std::size_t>(form)]; }
std::optional<Form> form_named(std::string_view text);

constexpr bool is_monitor_type(Type type) { return type >= Type::entry && type <= Type::reentry; }
constexpr bool is_semaphore_type(Type type) { return type == Type::p || type == Type::v; }
constexpr bool is_mailbox_type(Type type) { return type >= Type::connection && type <= Type::else_delay; }

// What an order number counts: a thread's mailbox events, or its monitor calls too.
enum class Numbering : std::uint8_t { carc, all };
inline std::string_view name(Numbering numbering) { return numbering == Numbering::carc ? "carc" : "all"; }

struct Place {
  std::uint32_t line{0};  // from 1; 0: nowhere
  std::uint32_t column{0};
  std::uint32_t file{0};  // from 1, where several are read; 0: nobody said
};

// Empty names and zero numbers: the form did not say, or there is none.
struct Event {
  Type type{Type::unknown};
  std::string thread;          // who did it; of a synchronisation: who sent. Not of an else_delay.
  std::string called;          // of a synchronisation: who received; of an else_delay: who waited
  std::string object;          // mailbox, monitor or semaphore
  std::string method;          // monitors: which of its methods
  std::string condition;       // monitors, wait, signal and reentry: at which condition
  std::string home;            // where the object lives: a node for mailboxes, a process for monitors and semaphores
  bool is_synchronous{false};  // its mailbox is

  std::uint64_t number{0};         // of its thread's mailbox events, from 1
  std::uint64_t number_all{0};     // the same, monitor calls counted too
  std::uint64_t called_number{0};  // of the called thread
  std::uint64_t called_number_all{0};
  std::uint64_t object_number{0};     // at its object, from 1
  std::string selection;              // the process, of an event that its selective waits see
  std::uint64_t selection_number{0};  // among all of these

  Place place{};
};

// Events under one name: that of an object, a thread, a node or a process.
struct Part {
  std::string name;
  Place place{};
  std::vector<Event> events;
};

// --start-id process=N: the number of the process's first thread or mailbox.
struct StartId {
  std::string process;
  std::uint64_t first{1};
};

// One sequence of a file, as it was written.
struct Sequence {
  Form form{Form::node};
  Numbering numbering{Numbering::carc};
  std::vector<StartId> start_ids;
  std::vector<Part> parts;
  std::string file;  // for messages

  std::size_t size() const {
    std::size_t count = 0;
    for (const Part& part : parts) count += part.events.size();
    return count;
  }
};

// All events with their numbers.
struct Execution {
  std::vector<Event> events;
};

// "(arrival, 1, deposit, 2)" and the like, for messages.
std::string text_of(const Event& event);

}  // namespace reprise::analyse::sequence
