// What the fields of a tuple mean, form by form.
#include <fmt/format.h>

#include <charconv>

#include "analyse/sequence/parse.h"

namespace reprise::analyse::sequence {
namespace {

constexpr std::uint64_t number_max = std::uint64_t{1} << 62;
constexpr std::string_view mailbox_types = "connection, arrival, receive, close, SRsynchronization or elseDelay";

bool is_none(const Word& word) { return !word.is_quoted && word.text == "-1"; }

// One tuple, field by field.
class Fields {
 public:
  Fields(const Cursor& at, const Sequence& sequence, const Part& part, const Tuple& tuple)
      : at_(at), sequence_(sequence), part_(part), tuple_(tuple) {
    event_.place = tuple.place;
    if (part.name.empty()) return;
    if (sequence.form == Form::object) {
      event_.object = part.name;
    } else if (sequence.form != Form::thread1 && sequence.form != Form::thread2 && sequence.form != Form::total) {
      event_.home = part.name;
    }
  }

  Result<Event> read() {
    Result<void> done = part_has_name();
    if (!done) return tl::unexpected(done.error());
    switch (sequence_.form) {
      case Form::object:
        done = object();
        break;
      case Form::thread1:
        done = thread1();
        break;
      case Form::thread2:
        done = thread2();
        break;
      case Form::total:
        done = total();
        break;
      case Form::node:
        done = node();
        break;
      case Form::simple:
        done = simple();
        break;
      case Form::monitor:
        done = monitor();
        break;
      case Form::simple_monitor:
        done = simple_monitor();
        break;
      case Form::semaphore:
        done = semaphore();
        break;
    }
    if (!done) return tl::unexpected(done.error());
    return std::move(event_);
  }

 private:
  std::size_t size() const { return tuple_.fields.size(); }
  const Word& field(std::size_t i) const { return tuple_.fields[i]; }
  tl::unexpected<Error> shape(std::string_view what) const {
    return at_.wrong(tuple_.place, fmt::format("expected {}, found {} field{}", what, size(), size() == 1 ? "" : "s"));
  }

  Result<void> part_has_name() const {
    if (!part_.name.empty()) return {};
    if (sequence_.form == Form::object)
      return at_.wrong(tuple_.place, "expected the mailbox's name and : before its events");
    if (sequence_.form == Form::thread1 || sequence_.form == Form::thread2) {
      return at_.wrong(tuple_.place, "expected the thread's name and : before its events");
    }
    return {};
  }

  Result<void> type_at(std::size_t i, bool (*fits)(Type), std::string_view what) {
    const auto type = field(i).is_quoted ? std::nullopt : type_named(field(i).text);
    if (!type || !fits(*type)) {
      return at_.expected_at(field(i), fmt::format("{} as field {} (of form {})", what, i + 1, name(sequence_.form)));
    }
    event_.type = *type;
    return {};
  }
  Result<void> mailbox_type_at(std::size_t i) {
    return type_at(
        i, [](Type type) { return is_mailbox_type(type); }, mailbox_types);
  }

  Result<void> number_at(std::size_t i, std::uint64_t& number) const {
    const std::string& text = field(i).text;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    if (field(i).is_quoted || !whole || number == 0 || number > number_max) {
      return at_.expected_at(field(i), "an order number, from 1");
    }
    return {};
  }
  Result<void> none_at(std::size_t i) const {
    if (is_none(field(i))) return {};
    return at_.expected_at(field(i), fmt::format("-1: {} has none", name(event_.type)));
  }
  // The thread's number in whichever way this sequence counts.
  Result<void> thread_number_at(std::size_t i) {
    return number_at(i, sequence_.numbering == Numbering::all ? event_.number_all : event_.number);
  }
  Result<void> called_number_at(std::size_t i) {
    return number_at(i, sequence_.numbering == Numbering::all ? event_.called_number_all : event_.called_number);
  }
  Result<void> thread_at(std::size_t i, std::string& thread) const {
    if (is_none(field(i))) return at_.expected_at(field(i), "a thread");
    thread = field(i).text;
    return {};
  }

  // A called thread, which only a synchronisation has, and the two shapes of mailbox events in general.
  Result<void> called_at(std::size_t i) {
    event_.is_synchronous = true;
    if (event_.type == Type::synchronization) return thread_at(i, event_.called);
    return none_at(i);
  }
  Result<void> asynchronous() const {
    if (event_.type == Type::else_delay) return at_.wrong(tuple_.place, refused_else_delay());
    if (event_.type != Type::synchronization) return {};
    return at_.wrong(tuple_.place, "SRsynchronization names a calling and a called thread");
  }
  Result<void> synchronous() const {
    if (event_.type == Type::else_delay) return at_.wrong(tuple_.place, refused_else_delay());
    if (event_.type != Type::arrival && event_.type != Type::receive) return {};
    return at_.wrong(tuple_.place, fmt::format("{} has no called thread", name(event_.type)));
  }
  std::string refused_else_delay() const {
    return fmt::format("elseDelay has no place in form {}: it belongs to no mailbox. Forms thread2 and simple hold it",
                       name(sequence_.form));
  }

  template <typename... Steps>
  static Result<void> all(Steps... steps) {
    Result<void> done;
    (void)((done = steps(), done.has_value()) && ...);
    return done;
  }

  // (thread, number, type), or (calling, called, calling number, called number, type)
  Result<void> object() {
    if (size() == 3) {
      return all([&] { return mailbox_type_at(2); }, [&] { return asynchronous(); },
                 [&] { return thread_at(0, event_.thread); }, [&] { return thread_number_at(1); });
    }
    if (size() != 5) return shape("(thread, number, type) or (calling, called, number, number, type)");
    return all([&] { return mailbox_type_at(4); }, [&] { return synchronous(); },
               [&] { return thread_at(0, event_.thread); }, [&] { return called_at(1); },
               [&] { return thread_number_at(2); },
               [&] { return event_.type == Type::synchronization ? called_number_at(3) : none_at(3); });
  }

  // (mailbox, number, type)
  Result<void> thread1() {
    if (size() != 3) return shape("(mailbox, mailbox's number, type)");
    event_.object = field(0).text;
    event_.thread = part_.name;
    return all([&] { return mailbox_type_at(2); },
               [&]() -> Result<void> {
                 if (event_.type == Type::else_delay) return at_.wrong(tuple_.place, refused_else_delay());
                 return {};
               },
               [&] { return number_at(1, event_.object_number); });
  }

  // (sending thread, its number, mailbox, type)
  Result<void> thread2() {
    if (size() != 4) return shape("(sending thread, its number, mailbox, type)");
    if (auto type = mailbox_type_at(3); !type) return type;
    if (event_.type == Type::else_delay) {
      event_.called = part_.name;
      return all([&] { return none_at(0); }, [&] { return none_at(1); }, [&] { return none_at(2); });
    }
    event_.object = field(2).text;
    if (is_none(field(2))) return at_.expected_at(field(2), "a mailbox");
    if (event_.type == Type::receive) {
      event_.thread = part_.name;
      return all([&] { return none_at(0); }, [&] { return none_at(1); });
    }
    if (event_.type == Type::synchronization) event_.called = part_.name;
    return all([&] { return thread_at(0, event_.thread); }, [&] { return thread_number_at(1); });
  }

  // (thread, mailbox, type), or (calling, called, mailbox, type)
  Result<void> total() {
    if (size() != 3 && size() != 4) return shape("(thread, mailbox, type) or (calling, called, mailbox, type)");
    event_.object = field(size() - 2).text;
    return all(
        [&] { return mailbox_type_at(size() - 1); }, [&] { return size() == 3 ? asynchronous() : synchronous(); },
        [&] { return thread_at(0, event_.thread); }, [&] { return size() == 3 ? Result<void>{} : called_at(1); });
  }

  // (type, thread, mailbox, number), or (type, calling, called, calling number, called number, mailbox)
  Result<void> node() {
    if (auto type = mailbox_type_at(0); !type) return type;
    if (size() == 4) {
      event_.object = field(2).text;
      return all([&] { return asynchronous(); }, [&] { return thread_at(1, event_.thread); },
                 [&] { return thread_number_at(3); });
    }
    if (size() != 6)
      return shape("(type, thread, mailbox, number) or (type, calling, called, number, number, mailbox)");
    event_.object = field(5).text;
    return all([&] { return synchronous(); }, [&] { return thread_at(1, event_.thread); }, [&] { return called_at(2); },
               [&] { return thread_number_at(3); },
               [&] { return event_.type == Type::synchronization ? called_number_at(4) : none_at(4); });
  }

  // (thread), or (calling, called) with -1 for none
  Result<void> simple() {
    if (size() > 2) return shape("(thread) or (calling, called)");
    if (size() == 1) return thread_at(0, event_.thread);
    event_.is_synchronous = true;
    if (!is_none(field(0))) event_.thread = field(0).text;
    if (!is_none(field(1))) event_.called = field(1).text;
    if (event_.thread.empty() && event_.called.empty()) return at_.expected_at(field(1), "a thread");
    if (event_.thread.empty()) event_.type = Type::else_delay;
    if (!event_.thread.empty() && !event_.called.empty()) event_.type = Type::synchronization;
    return {};
  }

  // (type, thread, monitor:method, condition or NA)
  Result<void> monitor() {
    if (size() != 4) return shape("(type, thread, monitor:method, condition or NA)");
    const std::string& place = field(2).text;
    const std::size_t colon = place.find(':');
    const bool good = colon != std::string::npos && colon > 0 && colon + 1 < place.size();
    return all(
        [&] {
          return type_at(
              0, [](Type type) { return is_monitor_type(type); }, "entry, exit, wait, signal or reentry");
        },
        [&] { return thread_at(1, event_.thread); },
        [&]() -> Result<void> {
          if (!good) return at_.expected_at(field(2), "monitor:method");
          event_.object = place.substr(0, colon);
          event_.method = place.substr(colon + 1);
          return {};
        },
        [&] { return condition_at(3); });
  }
  Result<void> condition_at(std::size_t i) {
    const bool has_none = !field(i).is_quoted && field(i).text == "NA";
    const bool wants_none = event_.type == Type::entry || event_.type == Type::exit;
    if (wants_none && !has_none) return at_.expected_at(field(i), "NA");
    if (!wants_none && has_none) return at_.expected_at(field(i), "a condition");
    if (!has_none) event_.condition = field(i).text;
    return {};
  }

  Result<void> simple_monitor() {
    if (size() != 1) return shape("(thread)");
    event_.type = Type::entry;
    return thread_at(0, event_.thread);
  }

  // (P or V, thread, semaphore)
  Result<void> semaphore() {
    if (size() != 3) return shape("(P or V, thread, semaphore)");
    event_.object = field(2).text;
    return all(
        [&] {
          return type_at(
              0, [](Type type) { return is_semaphore_type(type); }, "P or V");
        },
        [&] { return thread_at(1, event_.thread); });
  }

  const Cursor& at_;
  const Sequence& sequence_;
  const Part& part_;
  const Tuple& tuple_;
  Event event_;
};

}  // namespace

std::optional<Form> form_of(const Tuple& tuple) {
  if (tuple.fields.size() <= 2) return Form::simple;
  if (tuple.fields[0].is_quoted) return std::nullopt;
  const auto type = type_named(tuple.fields[0].text);
  if (!type) return std::nullopt;
  return is_mailbox_type(*type) ? Form::node : is_monitor_type(*type) ? Form::monitor : Form::semaphore;
}

Result<Event> event_of(const Cursor& at, const Sequence& sequence, const Part& part, const Tuple& tuple) {
  return Fields(at, sequence, part, tuple).read();
}

}  // namespace reprise::analyse::sequence
