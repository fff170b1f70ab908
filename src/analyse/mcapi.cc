#include "analyse/mcapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace reprise::analyse {
namespace {

constexpr std::uint32_t node_bits = 12;  // of a node's number; the domain stands above
constexpr std::size_t bytes_shown_max = 16;

// The next word of `text`, which loses it.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// CRC-32 as the paper has it, and zlib.
std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, bytes_shown_max))
    text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return bytes.size() > bytes_shown_max ? fmt::format("{}..{}", text, bytes.size()) : text;
}

}  // namespace

std::string mcapi_name(std::uint32_t id) { return fmt::format("{}/{}", id >> node_bits, id & ((1u << node_bits) - 1)); }

std::vector<McapiNode> mcapi_nodes(const recording::Log& log) {
  std::vector<McapiNode> nodes;
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      if ((*event)->kind != Kind::mcapi_node) continue;
      nodes.push_back({thread.index, static_cast<std::uint32_t>((*event)->number / 4),
                       static_cast<McapiTechnique>((*event)->number % 4)});
    }
  }
  return nodes;
}

Result<void> McapiTables::add(const recording::Log& log) {
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    for (;;) {
      auto event = stream.next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) break;
      if ((*event)->kind == Kind::mcapi_node) {
        const std::uint64_t number = (*event)->number;
        techniques_[static_cast<std::uint32_t>(number / 4)] = static_cast<McapiTechnique>(number % 4);
      } else if ((*event)->kind == Kind::note && (*event)->value.starts_with("mcapi ")) {
        ++notes_;
        if (!read((*event)->value)) ++unread_;
      }
    }
  }
  return {};
}

// mcapi WHAT NODE NUMBERS... [SENDER THREAD ENDPOINT NUMBER ARRIVAL, a new line, the bytes]
bool McapiTables::read(std::string_view text) {
  struct Row {
    std::string_view name;
    Call call;
    std::size_t numbers;
  };
  constexpr Row rows[] = {{"send", Call::send, 5},
                          {"recv", Call::receive, 3},
                          {"wait", Call::wait, 1},
                          {"any", Call::wait_any, 2},
                          {"test", Call::test, 2}};
  const std::size_t line_end = text.find('\n');
  std::string_view line = text.substr(0, line_end);
  next_word(line);
  const std::string_view name = next_word(line);
  const Row* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.name == name; });
  const auto id = number_of(next_word(line));
  if (row == std::end(rows) || !id) return false;
  Note note;
  note.call = row->call;
  note.has_message = line_end != std::string_view::npos;
  while (!line.empty()) {
    const auto number = number_of(next_word(line));
    if (!number) return false;
    note.numbers.push_back(*number);
  }
  if (note.numbers.size() != row->numbers + (note.has_message ? note.message.size() + 1 : 0)) return false;
  if (note.has_message) {
    std::copy_n(note.numbers.begin() + static_cast<std::ptrdiff_t>(row->numbers), note.message.size(),
                note.message.begin());
    note.arrival = note.numbers.back();
    note.bytes = text.substr(line_end + 1);
    arrivals_[note.message] = note.arrival;
  }
  calls_[static_cast<std::uint32_t>(*id)].push_back(std::move(note));
  return true;
}

// Table 2: S:Node/Port/SendOrder/UAO, A:Node/Order/Index, T:Node/ReqInitOrder/Count.
std::string McapiTables::sender_text(std::uint32_t id, const Note& note) const {
  const std::string node = id >> node_bits == 0 ? fmt::format("{}", id) : mcapi_name(id);
  const auto& numbers = note.numbers;
  if (note.call == Call::wait_any) return fmt::format("A:{}/{}/{}", node, numbers[0], numbers[1]);
  if (note.call == Call::test) return fmt::format("T:{}/{}/{}", node, numbers[0], numbers[1]);
  if (note.call != Call::send) return "";
  const auto arrival = arrivals_.find({id, numbers[2], numbers[3], numbers[4]});
  return fmt::format("S:{}/{}/{}/{}", node, numbers[0], numbers[1],
                     arrival == arrivals_.end() ? "-" : std::to_string(arrival->second));
}

McapiTables::Record McapiTables::record_of(std::uint32_t id, McapiTechnique technique, const Note& note) const {
  Record record{"", note.arrival, note.has_message ? mcapi_name(static_cast<std::uint32_t>(note.message[0])) : ""};
  if (technique == McapiTechnique::sender) {
    record.text = sender_text(id, note);
    return record;
  }
  const bool is_data = technique == McapiTechnique::data;
  const auto& numbers = note.numbers;
  switch (note.call) {
    case Call::send:
      return record;
    case Call::receive:
      record.text = fmt::format("R:{}/{}", numbers[0], is_data ? numbers[1] : numbers[2]);
      break;
    case Call::wait:
      record.text = fmt::format("W:{}", numbers[0]);
      break;
    case Call::wait_any:
      record.text = fmt::format("A:{}/{}", numbers[0], numbers[1]);
      break;
    case Call::test:
      record.text = fmt::format("T:{}/{}", numbers[0], numbers[1]);
      break;
  }
  if (note.has_message)
    record.text += is_data ? "/" + hex_of(note.bytes) : fmt::format("/{:08x}", crc32_of(note.bytes));
  return record;
}

std::vector<McapiTables::Section> McapiTables::sections() const {
  std::vector<Section> sections;
  for (const auto& [id, calls] : calls_) {
    const auto found = techniques_.find(id);
    Section section{mcapi_name(id), found == techniques_.end() ? McapiTechnique::receiver : found->second, {}};
    for (const Note& note : calls) {
      Record record = record_of(id, section.technique, note);
      if (!record.text.empty()) section.records.push_back(std::move(record));
    }
    if (!section.records.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace reprise::analyse
