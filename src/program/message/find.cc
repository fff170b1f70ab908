// How a party finds another one: in the run's folder, or where REPRISE_PEERS says; on replay, that very incarnation.
#include <unistd.h>

#include "program/message/connection.h"
#include "program/message/found.h"
#include "program/message/world.h"

namespace reprise::messaging {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(2);
constexpr std::string_view unknown_process = "-";  // of a party on another host

// Another party, and perhaps a connection to it.
struct Reached {
  Located where;
  int file{-1};
};

std::string key_of(const std::string& name, std::uint32_t incarnation) {
  return name + "#" + std::to_string(incarnation);
}

// One attempt. What is known and whole is not connected to again.
std::optional<Reached> reach_once(Mailbox& mailbox, Run& run, const std::string& name, const Deadline& deadline) {
  if (auto where = run.look(name); where && where->is_alive) {
    Mailbox::Partners& partners = mailbox.partners();
    {
      const std::lock_guard lock(partners.mutex);
      const auto known = partners.known.find(key_of(name, where->incarnation));
      if (known != partners.known.end() && !known->second->is_broken()) return Reached{*where, -1};
    }
    const int file = connect_unix(run.folder(), socket_name(name));
    if (file >= 0) return Reached{*where, file};
    return std::nullopt;
  }
  if (!run.peers()) return std::nullopt;
  const auto place = run.peers()->places.find(name);
  if (place == run.peers()->places.end()) return std::nullopt;
  const auto& [host, port] = place->second;
  const int file = connect_tcp(host, port, deadline);
  if (file < 0) return std::nullopt;
  return Reached{Located{.incarnation = 1, .process = std::string(unknown_process), .host = host, .is_alive = true},
                 file};
}

std::optional<Reached> reach(Mailbox& mailbox, const std::string& name, const Deadline& deadline) {
  auto run = world().run();
  if (!run) throw message_error(message_fault::system, run.error().message);
  for (;;) {
    if (auto reached = reach_once(mailbox, **run, name, deadline)) return reached;
    if (deadline.is_over()) return std::nullopt;
    await(-1, 0, Deadline(look_interval), false);
  }
}

// The recorded incarnation, which is waited for. -1: it has been there and is gone.
int reach_recorded(const std::string& name, const Located& where) {
  auto run = world().run();
  if (!run) throw message_error(message_fault::system, run.error().message);
  const std::string entry = key_of(name, where.incarnation);
  for (;;) {
    const auto now = (*run)->look(entry);
    if (now) {
      const int file = connect_unix((*run)->folder(), socket_name(entry));
      if (file >= 0 || !now->is_alive) return file;
    }
    await(-1, 0, Deadline(look_interval), true);
  }
}

}  // namespace

std::string text_of(const Found& found) {
  return std::string(found.is_known ? "=" : "+") + " " + std::to_string(found.where.incarnation) + " " +
         found.where.process + " " + found.where.host + " " + (found.is_kept ? "1" : "0");
}

std::optional<Found> parse_found(std::string_view& text) {
  const auto incarnation = next_number(text);
  const auto process = next_word(text);
  const auto host = next_word(text);
  const auto kept = next_number(text);
  if (!incarnation || !process || !host || !kept) return std::nullopt;
  Found found;
  found.where.incarnation = static_cast<std::uint32_t>(*incarnation);
  found.where.process = *process;
  found.where.host = *host;
  found.is_kept = *kept != 0;
  return found;
}

// Of a party on another host nothing is known when it is found; where the hosts' recordings were merged it has been
// learnt who received from this connection. Nobody: then it leads nowhere.
int reach_again(const std::string& name, Located where, std::uint64_t connection) {
  if (where.process == unknown_process && world().has_routes()) {
    const auto route = world().route(connection);
    if (!route) return -1;
    where.incarnation = route->incarnation;
    where.process = route->process;
  }
  return world().is_replayed(where.process, name) ? reach_recorded(name, where) : -1;
}

namespace {

// Nobody came in time when it was recorded. Is anybody there now, in this replay?
void look_again(const std::string& name, gate::Thread& thread, Time time) {
  auto run = world().run();
  if (world().simulates_errors() || world().is_alone() || !run) return;
  for (const Deadline deadline(time);;) {
    for (std::uint32_t incarnation = 1; auto where = (*run)->look(key_of(name, incarnation)); ++incarnation) {
      if (!where->is_alive) continue;
      return thread.gate->differs(thread, Kind::value,
                                  "recorded: no " + name + " came in time; now it is there, in process " +
                                      where->process + " (--exceptions trace-only)");
    }
    if (deadline.is_over()) return;
    await(-1, 0, Deadline(look_interval), true);
  }
}

std::shared_ptr<Connection> find_recorded(Mailbox& mailbox, const std::string& name, gate::Thread& thread,
                                          std::string_view text, Time time) {
  if (text.empty() || text[0] == '-') {
    look_again(name, thread, time);
    return nullptr;
  }
  const bool is_known = next_word(text) == "=";
  const auto recorded = parse_found(text);
  if (!recorded)
    throw message_error(message_fault::system, "the recorded outcome of find(" + name + ") cannot be read");
  const Located& where = recorded->where;
  Mailbox::Partners& partners = mailbox.partners();
  thread.gate->arrive(thread, partners.object, Kind::connect);
  std::unique_lock lock(partners.mutex);
  thread.gate->pass(thread, partners.object, Kind::connect);
  std::shared_ptr<Connection>& known = partners.known[key_of(name, where.incarnation)];
  if (!is_known || !known) {
    known = std::make_shared<Connection>(name, where.incarnation, where.process, where.host, recorded->is_kept, -1);
    known->open(mailbox, [&](std::uint64_t connection) { return reach_again(name, where, connection); });
  }
  std::shared_ptr<Connection> found = known;
  lock.unlock();
  thread.gate->left(thread, partners.object);
  return found;
}

void take_text(void* context, const void* bytes, std::size_t size) {
  static_cast<std::string*>(context)->assign(static_cast<const char*>(bytes), size);
}

}  // namespace

std::shared_ptr<Connection> find(Mailbox& mailbox, std::string_view wanted, Time time) {
  const std::string name(wanted);
  if (!is_valid_party(name))
    throw message_error(message_fault::bad_name, "\"" + name.substr(0, 80) + "\" is no name for a party");
  gate::Thread* thread = gate::current;
  const std::string what = "find " + name;
  std::string text;
  if (thread != nullptr && thread->gate->given(*thread, Kind::value, what, take_text, &text))
    return find_recorded(mailbox, name, *thread, text, time);
  for (const Deadline deadline(time);;) {
    const auto reached = reach(mailbox, name, deadline);
    if (!reached) {
      if (thread != nullptr) thread->gate->keep(*thread, Kind::value, what, "-", 1);
      return nullptr;
    }
    const Located& where = reached->where;
    const bool kept =
        thread != nullptr && (thread->gate->keeps_contents() || world().is_other_group(where.process, name));
    Mailbox::Partners& partners = mailbox.partners();
    if (thread != nullptr) thread->gate->arrive(*thread, partners.object, Kind::connect);
    std::unique_lock lock(partners.mutex);
    std::shared_ptr<Connection>& known = partners.known[key_of(name, where.incarnation)];
    const bool is_known = known && !known->is_broken();
    if (!is_known && reached->file < 0) continue;  // it broke just now
    text = text_of(Found{where, kept, is_known});
    if (thread != nullptr) {
      thread->gate->keep(*thread, Kind::value, what, text.data(), text.size());
      thread->gate->pass(*thread, partners.object, Kind::connect);
    }
    if (is_known && reached->file >= 0) close(reached->file);
    if (!is_known) {
      known = std::make_shared<Connection>(name, where.incarnation, where.process, where.host, kept, reached->file);
      known->open(mailbox);
    }
    std::shared_ptr<Connection> found = known;
    lock.unlock();
    if (thread != nullptr) thread->gate->left(*thread, partners.object);
    return found;
  }
}

}  // namespace reprise::messaging
