#include "analyse/senders.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

#include "analyse/text.h"

namespace reprise::analyse {

using recording::Event;
using recording::Log;

std::string text_of(const Sender& sender) {
  const std::string which = sender.from.incarnation > 1 ? fmt::format("#{}", sender.from.incarnation) : "";
  const std::string who = escape(sender.from.party) + which;
  if (sender.thread.empty()) return fmt::format("{}, message {}", who, sender.number);
  return fmt::format("{}, thread {}, message {}", who, sender.thread, sender.thread_number);
}

Senders::Senders(const Log& receiver, const Find& find) {
  for (MessageSource& source : message_sources(receiver))
    sources_[{source.mailbox, source.number}] = std::move(source.from);
  if (sources_.empty()) return;
  read_receiver(receiver);
  read_senders(find);
}

// Who came at the orders that were written is known; now how many of the same had come before.
void Senders::count(Stretches& stretches) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (auto at = stretches.begin(); at != stretches.end(); ++at) {
    std::uint64_t& so_far = counts[at->second.whose];
    at->second.before = so_far;
    if (const auto next = std::next(at); next != stretches.end()) so_far += next->first - at->first;
  }
}

void Senders::read_receiver(const Log& log) {
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    for (auto event = stream.next(); event && *event; event = stream.next()) {
      if ((*event)->kind == Kind::receive) mailboxes_[(*event)->object][(*event)->order].whose = (*event)->number;
    }
  }
  for (auto& [mailbox, stretches] : mailboxes_) count(stretches);
}

void Senders::read_senders(const Find& find) {
  std::map<std::string, std::set<ObjectId>> wanted;
  for (const auto& [key, from] : sources_) wanted[from.process].insert(from.connection);
  for (const auto& [process, objects] : wanted) {
    const std::optional<Log> log = find(process);
    if (!log) continue;
    for (const recording::ThreadInfo& thread : log->threads()) {
      threads_[{process, thread.index}] = thread.path;
      recording::StreamReader stream = log->stream(thread.index);
      for (auto event = stream.next(); event && *event; event = stream.next()) {
        const bool is_turn = (*event)->kind == Kind::connect || (*event)->kind == Kind::send;
        if (is_turn && objects.contains((*event)->object))
          connections_[{process, (*event)->object}][(*event)->order].whose = thread.index;
      }
    }
  }
  for (auto& [connection, stretches] : connections_) count(stretches);
}

std::optional<Sender> Senders::of(const Event& receive) const {
  const auto source = sources_.find({receive.object, receive.number});
  const auto mailbox = mailboxes_.find(receive.object);
  if (source == sources_.end() || mailbox == mailboxes_.end()) return std::nullopt;
  const auto in = mailbox->second.upper_bound(receive.order);
  if (in == mailbox->second.begin()) return std::nullopt;
  const auto& [first, stretch] = *std::prev(in);
  Sender sender{.from = source->second, .number = stretch.before + receive.order - first + 1};
  const auto connection = connections_.find({sender.from.process, sender.from.connection});
  if (connection == connections_.end()) return sender;
  const std::uint64_t order = sender.number + 1;  // the first order of a connection is its making
  const auto after = connection->second.upper_bound(order);
  if (after == connection->second.begin()) return sender;
  const auto& [begin, turn] = *std::prev(after);
  const auto maker = connection->second.begin();
  const auto thread = threads_.find({sender.from.process, static_cast<ThreadIndex>(turn.whose)});
  if (thread == threads_.end()) return sender;
  sender.thread = thread->second;
  sender.thread_number = turn.before + order - begin + 1 - (turn.whose == maker->second.whose ? 1 : 0);
  return sender;
}

}  // namespace reprise::analyse
