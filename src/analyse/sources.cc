#include "analyse/sources.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace reprise::analyse {
namespace {

using recording::Event;

constexpr std::string_view mailbox_label = "mailbox ";

std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <typename Number>
bool to_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "party incarnation process host connection kept"
std::optional<MessageSource::From> parse_from(std::string_view text) {
  MessageSource::From from;
  from.party = next_word(text);
  const std::string_view incarnation = next_word(text);
  from.process = next_word(text);
  from.host = next_word(text);
  const std::string_view connection = next_word(text);
  if (!to_number(incarnation, from.incarnation) || !to_number(connection, from.connection)) return std::nullopt;
  return from;
}

// "mailbox server", "mailbox server#2"
bool parse_label(std::string_view label, MessageSource& source) {
  if (!label.starts_with(mailbox_label)) return false;
  label.remove_prefix(mailbox_label.size());
  const std::size_t mark = label.find('#');
  source.party = label.substr(0, mark);
  source.incarnation = 1;
  return mark == std::string_view::npos || to_number(label.substr(mark + 1), source.incarnation);
}

template <typename Use>
void for_each_event(const recording::Log& log, const Use& use) {
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    for (auto event = stream.next(); event && *event; event = stream.next()) use(thread.index, **event);
  }
}

}  // namespace

std::vector<MessageSource> message_sources(const recording::Log& log) {
  std::map<ObjectId, std::string> labels;
  std::vector<MessageSource> sources;
  std::map<ThreadIndex, MessageSource::From> introduced;
  for_each_event(log, [&](ThreadIndex thread, const Event& event) {
    if (event.kind == Kind::label && event.value.starts_with(mailbox_label)) labels[event.object] = event.value;
    if (event.kind == Kind::source) {
      if (auto from = parse_from(event.value)) introduced[thread] = std::move(*from);
    }
    if (event.kind != Kind::receive) return;
    const auto found = introduced.find(thread);
    if (found == introduced.end()) return;
    MessageSource& source = sources.emplace_back();
    source.mailbox = event.object;
    source.number = event.number;
    source.from = std::move(found->second);
    introduced.erase(found);
  });
  std::erase_if(sources, [&](MessageSource& source) {
    const auto label = labels.find(source.mailbox);
    return label == labels.end() || !parse_label(label->second, source);
  });
  return sources;
}

// "+ incarnation process host kept", or "=" for one that was known
std::set<std::string> found_processes(const recording::Log& log) {
  std::set<std::string> processes;
  for_each_event(log, [&](ThreadIndex, const Event& event) {
    if (event.kind != Kind::value || !event.name.starts_with("find ")) return;
    std::string_view text = event.value;
    const std::string_view outcome = next_word(text);
    next_word(text);
    const std::string_view process = next_word(text);
    if ((outcome == "+" || outcome == "=") && process != "-" && !process.empty()) processes.emplace(process);
  });
  return processes;
}

}  // namespace reprise::analyse
