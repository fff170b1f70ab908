#include "analyse/sequence/cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::analyse::sequence {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string shown(std::string_view text, std::size_t bytes_max) {
  return std::string(text.substr(0, bytes_max)) + (text.size() > bytes_max ? "..." : "");
}

void Cursor::step() {
  if (text_[next_++] == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
}

void Cursor::skip() {
  while (!at_end()) {
    if (at_comment()) {
      while (!at_end() && peek() != '\n') step();
    } else if (is_blank(peek())) {
      step();
    } else {
      return;
    }
  }
}

bool Cursor::skip_on_line() {
  while (!at_end() && peek() != '\n' && is_blank(peek())) step();
  return !at_end() && peek() != '\n' && !at_comment();
}

bool Cursor::take(char wanted) {
  if (at_end() || peek() != wanted) return false;
  step();
  return true;
}

Result<Word> Cursor::quoted() {
  Word word{{}, true, place()};
  step();
  for (;;) {
    if (at_end() || peek() == '\n') return expected("\" at the end of the name");
    if (take('"')) break;
    if (peek() == '\\') {
      step();
      if (peek() != '"' && peek() != '\\') return expected("a quote or a backslash after a backslash");
    }
    if (is_control(peek())) return expected("a name without control characters");
    word.text += peek();
    step();
    if (word.text.size() > name_bytes_max) return wrong(word.place, "a name has at most 256 bytes");
  }
  if (word.text.empty()) return wrong(word.place, "expected a name, found \"\"");
  return word;
}

Result<Word> Cursor::word(std::string_view what, std::string_view ends) {
  if (at_dots()) return expected(what);
  if (peek() == '"') return quoted();
  Word word{{}, false, place()};
  while (!at_end() && !is_blank(peek()) && !at_comment()) {
    const char c = peek();
    if (c == '(' || c == ')' || c == ',' || c == '"' || ends.find(c) != std::string_view::npos) break;
    if (is_control(c)) return expected(what);
    word.text += c;
    step();
    if (word.text.size() > name_bytes_max) return wrong(word.place, "a name has at most 256 bytes");
  }
  if (word.text.empty()) return expected(what);
  return word;
}

tl::unexpected<Error> Cursor::wrong(Place place, std::string_view message) const {
  return fail(ErrorCode::usage,
              fmt::format("{}:{}:{}: {}", shown(file_, file_.size()), place.line, place.column, message));
}

// What stands here, as a reader sees it: a word, or one sign.
std::string_view Cursor::found_here() const {
  const std::string_view rest = text_.substr(next_);
  const auto is_in_word = [](char c) {
    return !is_blank(c) && !is_control(c) && c != '(' && c != ')' && c != ',' && c != '"';
  };
  std::size_t size = 0;
  while (size < rest.size() && is_in_word(rest[size]) && !rest.substr(size).starts_with("//")) ++size;
  return rest.substr(0, std::max<std::size_t>(size, 1));
}

tl::unexpected<Error> Cursor::expected(std::string_view what) const {
  if (at_dots()) return wrong(place(), "partial sequences (...) are not supported: write all events");
  std::string found = "the end of the file";
  if (!at_end()) found = peek() == '\n' ? "the end of the line" : shown(found_here());
  return wrong(place(), fmt::format("expected {}, found {}", what, found));
}

tl::unexpected<Error> Cursor::expected_at(const Word& word, std::string_view what) const {
  return wrong(word.place, fmt::format("expected {}, found {}", what, shown(word.text)));
}

}  // namespace reprise::analyse::sequence
