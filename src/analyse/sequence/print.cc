#include "analyse/sequence/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyse/sequence/cursor.h"

namespace reprise::analyse::sequence {
namespace {

tl::unexpected<Error> refuse(const Event& event, const std::string& why) {
  return fail(ErrorCode::unsupported, fmt::format("cannot print {}: {}", shown(text_of(event), 400), why));
}

bool has_control(const std::string& name) {
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

// Lines under names, in the order in which the names came first.
class Parts {
 public:
  void add(const std::string& name, const std::string& line) {
    const auto [place, is_new] = places_.emplace(name, parts_.size());
    if (is_new) parts_.push_back({name, {}});
    parts_[place->second].second += line + "\n";
  }
  std::string text() const {
    std::string text;
    for (const auto& [name, lines] : parts_) {
      if (!name.empty()) text += (name.find(':') == std::string::npos ? printed_name(name) : quoted(name)) + ":\n";
      text += lines;
    }
    return text;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::string>> parts_;
};

class Printer {
 public:
  Printer(const Execution& execution, const PrintOptions& options) : all_(execution), options_(options) {}

  Result<std::string> run() {
    for (const Event& event : all_.events) {
      if (belongs(event)) events_.events.push_back(event);
    }
    if (const auto fine = check_names(); !fine) return tl::unexpected(fine.error());
    if (const auto fine = check_gaps(); !fine) return tl::unexpected(fine.error());
    Result<void> done;
    if (const Form form = options_.form; form == Form::thread1) {
      done = thread1();
    } else if (form == Form::thread2) {
      done = thread2();
    } else if (form == Form::total || form == Form::simple) {
      done = in_send_order();
    } else {
      done = in_order();
    }
    if (!done) return tl::unexpected(done.error());
    return header() + parts_.text();
  }

 private:
  bool belongs(const Event& event) const {
    switch (options_.form) {
      case Form::monitor:
        return is_monitor_type(event.type);
      case Form::simple_monitor:
        return event.type == Type::entry || event.type == Type::reentry;
      case Form::semaphore:
        return is_semaphore_type(event.type);
      default:
        return is_mailbox_type(event.type);
    }
  }

  std::string header() const {
    if (!options_.has_header) return {};
    std::string text = fmt::format("form: {}, numbering: {}", name(options_.form), name(options_.numbering));
    for (const StartId& id : options_.start_ids) text += fmt::format(", start-id: {}={}", id.process, id.first);
    return text + "\n";
  }

  Result<void> check_names() const {
    for (const Event& event : events_.events) {
      for (const std::string* name : {&event.thread, &event.called, &event.object, &event.method, &event.condition}) {
        if (has_control(*name)) return refuse(event, "a name with control characters cannot be written");
        if (name->size() > name_bytes_max) return refuse(event, "a name is longer than 256 bytes");
      }
      if (event.object.find(':') != std::string::npos && is_monitor_type(event.type))
        return refuse(event, "a monitor's name must not hold a colon");
    }
    return {};
  }

  // ---- numbers, or why there are none ----

  bool counts_all() const { return options_.numbering == Numbering::all; }
  std::uint64_t number(const Event& event) const { return counts_all() ? event.number_all : event.number; }
  std::uint64_t called_number(const Event& event) const {
    return counts_all() ? event.called_number_all : event.called_number;
  }
  Result<void> check_numbers(const Event& event) const {
    const bool has_called = event.type == Type::synchronization;
    if (number(event) > 0 && (!has_called || called_number(event) > 0)) return {};
    return refuse(event, fmt::format("it has no order number in the way of numbering {}", name(options_.numbering)));
  }

  // Forms that count a thread's events cannot say that one of its messages never arrived.
  Result<void> check_gaps() const {
    const Form form = options_.form;
    if (form != Form::thread1 && form != Form::thread2 && form != Form::total && form != Form::simple) return {};
    std::map<std::string, std::map<std::uint64_t, const Event*>> threads;
    for (const Event& event : all_.events) {
      if (event.number > 0) threads[event.thread][event.number] = &event;
      if (event.called_number > 0) threads[event.called][event.called_number] = &event;
    }
    for (const auto& [thread, numbered] : threads) {
      std::uint64_t last = 0;
      for (const auto& [number, event] : numbered) {
        if (number != last + 1) {
          return refuse(*event, fmt::format("a message that {} sent before it never arrived, which form {} cannot say; "
                                            "node and object can",
                                            thread, name(form)));
        }
        last = number;
      }
    }
    return {};
  }

  // ---- object, node, monitor, semaphore: each event in its part, one after the other ----

  Result<void> in_order() {
    for (const Event& event : events_.events) {
      if (event.type == Type::else_delay) return refuse_else_delay(event);
      const bool is_numbered = options_.form == Form::object || options_.form == Form::node;
      if (auto fine = is_numbered ? check_numbers(event) : Result<void>{}; !fine) return fine;
      parts_.add(options_.form == Form::object ? event.object : event.home, tuple(event));
    }
    return {};
  }
  tl::unexpected<Error> refuse_else_delay(const Event& event) const {
    return refuse(event, fmt::format("form {} has no place for it; thread2 and simple have", name(options_.form)));
  }

  std::string tuple(const Event& event) const {
    const std::string thread = printed_name(event.thread);
    const std::string object = printed_name(event.object);
    const std::string called = event.called.empty() ? "-1" : printed_name(event.called);
    const std::string calls = called_number(event) == 0 ? "-1" : std::to_string(called_number(event));
    switch (options_.form) {
      case Form::object:
        if (!event.is_synchronous) return fmt::format("({},{},{})", thread, number(event), name(event.type));
        return fmt::format("({},{},{},{},{})", thread, called, number(event), calls, name(event.type));
      case Form::node:
        if (!event.is_synchronous) {
          return fmt::format("({},{},{},{})", name(event.type), thread, object, number(event));
        }
        return fmt::format("({},{},{},{},{},{})", name(event.type), thread, called, number(event), calls, object);
      case Form::total:
        if (!event.is_synchronous) return fmt::format("({},{},{})", thread, object, name(event.type));
        return fmt::format("({},{},{},{})", thread, called, object, name(event.type));
      case Form::simple:
        if (event.type == Type::else_delay) return fmt::format("(-1,{})", called);
        return event.is_synchronous ? fmt::format("({},{})", thread, called) : fmt::format("({})", thread);
      case Form::monitor:
        return fmt::format("({},{},{},{})", name(event.type), thread, printed_name(event.object + ":" + event.method),
                           event.condition.empty() ? "NA" : printed_name(event.condition));
      case Form::simple_monitor:
        return fmt::format("({})", thread);
      case Form::semaphore:
        return fmt::format("({},{},{})", name(event.type), thread, object);
      case Form::thread1:
        return fmt::format("({},{},{})", object, event.object_number, name(event.type));
      case Form::thread2:
        break;
    }
    if (event.type == Type::else_delay) return "(-1,-1,-1,elseDelay)";
    if (event.type == Type::receive) return fmt::format("(-1,-1,{},receive)", object);
    return fmt::format("({},{},{},{})", thread, number(event), object, name(event.type));
  }

  // ---- total and simple: a thread's events are told by their order alone ----

  // The events stand in an order that respects causality, and in the order of sends if any such order does: so an
  // arrival that stands after what its thread did later cannot be put before it, whatever mailboxes alone would allow.
  Result<void> in_send_order() {
    std::map<std::string, std::uint64_t> latest;
    const auto overtakes = [&](const std::string& thread, std::uint64_t number) {
      std::uint64_t& last = latest[thread];
      const bool is_late = number > 0 && number < last;
      last = std::max(last, number);
      return is_late;
    };
    for (const Event& event : events_.events) {
      const bool is_late = overtakes(event.thread, event.number);
      if (is_late && event.type == Type::arrival) {
        return refuse(event, fmt::format("it arrived out of its thread's send order, which form {} cannot say; "
                                         "node, object and thread forms can",
                                         name(options_.form)));
      }
      if (overtakes(event.called, event.called_number) || is_late)
        return refuse(event, "the orders of threads and objects contradict each other");
      if (event.type == Type::else_delay && options_.form == Form::total) return refuse_else_delay(event);
      parts_.add(options_.form == Form::total ? std::string() : event.home, tuple(event));
    }
    return {};
  }

  // ---- thread-based ----

  Result<void> thread1() {
    std::map<std::string, std::vector<std::pair<std::uint64_t, const Event*>>> threads;
    std::vector<std::string> names;
    std::set<std::pair<std::string, std::string>> connected;
    const auto add = [&](const std::string& thread, std::uint64_t number, const Event& event) {
      auto& list = threads[thread];
      if (list.empty()) names.push_back(thread);
      list.emplace_back(number, &event);
    };
    for (const Event& event : events_.events) {
      if (event.type == Type::connection) connected.insert({event.object, event.thread});
    }
    for (const Event& event : events_.events) {
      if (event.type == Type::else_delay) return refuse_else_delay(event);
      if (event.type == Type::synchronization &&
          (!connected.contains({event.object, event.thread}) || connected.contains({event.object, event.called}))) {
        return refuse(event, "format 1 tells who sends only by who connected");
      }
      add(event.thread, event.number, event);
      if (!event.called.empty()) add(event.called, event.called_number, event);
    }
    for (const std::string& thread : names) {
      auto& list = threads[thread];
      std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [number, event] : list) parts_.add(thread, tuple(*event));
    }
    return {};
  }

  Result<void> thread2() {
    if (counts_all()) {
      return fail(ErrorCode::unsupported,
                  "format 2 cannot be numbered `all`: its receives have no numbers of their own");
    }
    std::map<std::string, std::string> owners;
    for (const Event& event : events_.events) {
      const std::string& receiver = event.type == Type::receive ? event.thread : event.called;
      if (receiver.empty() || event.object.empty()) continue;
      const auto [owner, is_new] = owners.emplace(event.object, receiver);
      if (!is_new && owner->second != receiver) {
        return refuse(event, fmt::format("mailbox {} has several receivers, {} too; format 2 gives it one owner",
                                         event.object, owner->second));
      }
    }
    for (const Event& event : events_.events) {
      const std::string owner = event.type == Type::else_delay ? event.called : owners[event.object];
      if (owner.empty()) {
        return refuse(event, fmt::format("nobody received from {}, so no thread owns it in format 2", event.object));
      }
      const bool is_sent = event.type != Type::receive && event.type != Type::else_delay;
      if (is_sent && event.number == 0) return refuse(event, "it has no order number");
      parts_.add(owner, tuple(event));
    }
    return {};
  }

  const Execution& all_;
  PrintOptions options_;
  Execution events_;
  Parts parts_;
};

}  // namespace

std::string printed_name(const std::string& name) {
  const bool is_plain = !name.empty() && name != "-1" && name != "NA" &&
                        name.find_first_of(" \t()\",") == std::string::npos && name.find("//") == std::string::npos &&
                        name.front() != '.' && name != "form" && name != "numbering" && name != "start-id";
  return is_plain ? name : quoted(name);
}

Result<std::string> print(const Execution& execution, const PrintOptions& options) {
  return Printer(execution, options).run();
}

}  // namespace reprise::analyse::sequence
