#include "analyse/sequence/event.h"

namespace reprise::analyse::sequence {
namespace {

// The printed name of each type; `connect` is read too.
struct TypeName {
  Type type;
  std::string_view name;
};
constexpr std::array type_names{
    TypeName{Type::connection, "connection"},
    TypeName{Type::arrival, "arrival"},
    TypeName{Type::receive, "receive"},
    TypeName{Type::close, "close"},
    TypeName{Type::synchronization, "SRsynchronization"},
    TypeName{Type::else_delay, "elseDelay"},
    TypeName{Type::entry, "entry"},
    TypeName{Type::exit, "exit"},
    TypeName{Type::wait, "wait"},
    TypeName{Type::signal, "signal"},
    TypeName{Type::reentry, "reentry"},
    TypeName{Type::p, "P"},
    TypeName{Type::v, "V"},
    TypeName{Type::connection, "connect"},
};

}  // namespace

std::string_view name(Type type) {
  for (const TypeName& row : type_names) {
    if (row.type == type) return row.name;
  }
  return "event";
}

std::optional<Type> type_named(std::string_view text) {
  for (const TypeName& row : type_names) {
    if (row.name == text) return row.type;
  }
  return std::nullopt;
}

std::optional<Form> form_named(std::string_view text) {
  for (std::size_t i = 0; i < form_names.size(); ++i) {
    if (form_names[i] == text) return static_cast<Form>(i);
  }
  return std::nullopt;
}

std::string text_of(const Event& event) {
  std::string text = std::string(name(event.type));
  const std::string& thread = event.thread.empty() ? event.called : event.thread;
  text += " of thread " + thread;
  if (event.type == Type::synchronization) text += " with thread " + event.called;
  if (!event.object.empty()) text += " at " + event.object;
  if (!event.method.empty()) text += ":" + event.method;
  if (event.number > 0) text += ", number " + std::to_string(event.number_all > 0 ? event.number_all : event.number);
  return text;
}

}  // namespace reprise::analyse::sequence
