#include "analyse/care.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyse/text.h"

namespace reprise::analyse {
namespace {

// As the CARE layer writes them before the bytes of a message; a content also says its type first.
constexpr std::string_view magic = "CARE";
constexpr std::size_t header_bytes = 8;

// `count` words; the last one is the rest of the note, for names of objects may hold spaces.
std::optional<std::vector<std::string>> words_of(std::string_view note, std::size_t count) {
  std::vector<std::string> words;
  while (words.size() + 1 < count) {
    const std::size_t space = note.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    words.push_back(escape(note.substr(0, space)));
    note.remove_prefix(space + 1);
  }
  words.push_back(escape(note));
  return words;
}

std::string text_of(std::string_view bytes) {
  if (bytes.ends_with('\0')) bytes.remove_suffix(1);
  return escape(bytes);
}

std::string message_text(std::string_view content) {
  if (!content.empty()) content.remove_prefix(1);
  if (content.size() >= header_bytes && content.starts_with(magic)) content.remove_prefix(header_bytes);
  return text_of(content);
}

// CARE knew integers only. Of their sizes they still are shown as such.
std::string object_text(std::string_view bytes) {
  if (bytes.size() != 1 && bytes.size() != 2 && bytes.size() != 4 && bytes.size() != 8) return text_of(bytes);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  const std::size_t unused = 64 - 8 * bytes.size();
  return fmt::format("{}", static_cast<std::int64_t>(number << unused) >> unused);
}

std::string with_text(std::string line, const std::string& text) {
  line += " -";
  return text.empty() ? line : line + " " + text;
}

}  // namespace

void CareLog::add(ThreadIndex thread, const recording::Event& event) {
  if (event.kind == Kind::content) {
    contents_before_[thread] = event.value;
  } else if (event.kind == Kind::value && event.name == "care") {
    add_note(event.value, contents_before_[thread]);
    contents_before_[thread].clear();
  }
}

std::vector<std::string>& CareLog::lines_of(const std::string& party) {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&party](const Section& one) { return one.party == party; });
  if (found != sections_.end()) return found->lines;
  return sections_.emplace_back(Section{party, {}}).lines;
}

void CareLog::add_note(std::string_view note, std::string_view content) {
  if (const auto from = words_of(note, 8); from && from->front() == "from") {
    const auto& word = *from;
    std::string line = fmt::format("from {} on host {} id {}", word[2], word[3], word[4]);
    if (contents_) {
      line += fmt::format(" index {} type {} len {}", word[5], word[6], word[7]);
      line = with_text(std::move(line), message_text(content));
    }
    lines_of(word[1]).push_back(std::move(line));
  } else if (const auto reply = words_of(note, 6); reply && reply->front() == "reply") {
    const auto& word = *reply;
    std::string line = fmt::format("reply from {} on host {} to message {}", word[2], word[3], word[4]);
    if (contents_) line = with_text(fmt::format("{} len {}", line, word[5]), text_of(content));
    lines_of(word[1]).push_back(std::move(line));
  } else if (const auto read = words_of(note, 4); read && read->front() == "read") {
    const auto& word = *read;
    std::string line = fmt::format("read object {} version {}", word[3], word[2]);
    if (contents_) line = with_text(line + " contents", object_text(content));
    lines_of(word[1]).push_back(std::move(line));
  } else if (const auto wrote = words_of(note, 5); wrote && wrote->front() == "wrote") {
    const auto& word = *wrote;
    auto& lines = lines_of(word[1]);
    if (!contents_)
      lines.push_back(fmt::format("wrote object {} version {} total readers {}", word[4], word[2], word[3]));
  } else {
    ++unread_;
  }
}

}  // namespace reprise::analyse
