// Walks through the text of a sequence file, knows line and column, skips blanks and // comments.
//
//   Cursor at(text, "file.seq");
//   if (!at.take('(')) return at.expected("(");
//
// Errors    "file.seq:3:17: expected a number, found withdraw".
#pragma once

#include <string>
#include <string_view>

#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::analyse::sequence {

constexpr std::size_t name_bytes_max = 256;

// A name or a number, as it stands in the text.
struct Word {
  std::string text;
  bool is_quoted{false};
  Place place{};
};

class Cursor {
 public:
  Cursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // Over blanks, line ends and comments.
  void skip();
  // Over blanks of this line only. True: something but a comment stands there.
  bool skip_on_line();

  bool at_end() const { return next_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[next_]; }
  bool take(char wanted);
  // "...", which stands for events that are not written down.
  bool at_dots() const { return text_.substr(next_).starts_with("..."); }
  Place place() const { return {line_, column_}; }

  // A bare or quoted name. `ends`: characters that end a bare one, besides blanks, brackets, commas and quotes.
  Result<Word> word(std::string_view what, std::string_view ends = {});

  tl::unexpected<Error> expected(std::string_view what) const;
  tl::unexpected<Error> wrong(Place place, std::string_view message) const;
  tl::unexpected<Error> expected_at(const Word& word, std::string_view what) const;

 private:
  void step();
  bool at_comment() const { return text_.substr(next_).starts_with("//"); }
  Result<Word> quoted();
  std::string_view found_here() const;

  std::string_view text_;
  std::string file_;
  std::size_t next_{0};
  std::uint32_t line_{1};
  std::uint32_t column_{1};
};

// Long text is cut. Control characters stay: who prints it escapes them, once.
std::string shown(std::string_view text, std::size_t bytes_max = 60);

}  // namespace reprise::analyse::sequence
