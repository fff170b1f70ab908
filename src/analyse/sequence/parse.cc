#include "analyse/sequence/parse.h"

#include <charconv>

namespace reprise::analyse::sequence {
namespace {

constexpr std::size_t text_bytes_max = std::size_t{1} << 30;

bool is_header_key(const Word& word) {
  return !word.is_quoted && (word.text == "form" || word.text == "numbering" || word.text == "start-id");
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view file, const Assumed& assumed)
      : at_(text, file), file_(file), assumed_(assumed) {}

  Result<std::vector<Sequence>> run() {
    begin();
    for (at_.skip(); !at_.at_end(); at_.skip()) {
      const Result<void> done = at_.peek() == '(' ? events(false) : named();
      if (!done) return tl::unexpected(done.error());
    }
    if (has_any_) sequences_.push_back(std::move(now_));
    if (sequences_.empty()) return at_.expected("a sequence");
    return std::move(sequences_);
  }

 private:
  void begin() {
    now_ = Sequence{};
    now_.file = file_;
    now_.numbering = assumed_.numbering.value_or(Numbering::carc);
    has_form_ = assumed_.form.has_value();
    now_.form = assumed_.form.value_or(Form::node);
    has_any_ = false;
  }

  // A part's name or a header.
  Result<void> named() {
    auto word = at_.word("an event, a name or a header", ":");
    if (!word) return tl::unexpected(word.error());
    at_.skip_on_line();
    if (!at_.take(':')) return at_.expected(": after " + shown(word->text));
    if (is_header_key(*word)) return header(*std::move(word));
    if (at_.skip_on_line() && at_.peek() != '(') return at_.expected("( or the end of the line after a name");
    now_.parts.push_back({word->text, word->place, {}});
    has_any_ = true;
    at_.skip();
    return at_.peek() == '(' ? events(true) : Result<void>{};
  }

  Result<void> header(Word key) {
    if (has_any_) {
      sequences_.push_back(std::move(now_));
      begin();
    }
    for (;;) {
      at_.skip_on_line();
      const auto value = at_.word("a value for " + key.text);
      if (!value) return tl::unexpected(value.error());
      if (auto set = pair(key, *value); !set) return set;
      const bool more = at_.skip_on_line();
      if (!more) return {};
      if (!at_.take(',')) return at_.expected(", or the end of the line");
      at_.skip_on_line();
      auto next = at_.word("form:, numbering: or start-id:", ":");
      if (!next) return tl::unexpected(next.error());
      if (!is_header_key(*next)) return at_.expected_at(*next, "form, numbering or start-id");
      at_.skip_on_line();
      if (!at_.take(':')) return at_.expected(":");
      key = *std::move(next);
    }
  }

  Result<void> pair(const Word& key, const Word& value) {
    if (key.text == "form") {
      const auto form = form_named(value.text);
      if (!form) {
        return at_.expected_at(value,
                               "object, thread1, thread2, total, node, simple, monitor, simple_monitor or semaphore");
      }
      now_.form = *form;
      has_form_ = true;
    } else if (key.text == "numbering") {
      if (value.text != "carc" && value.text != "all") return at_.expected_at(value, "carc or all");
      now_.numbering = value.text == "all" ? Numbering::all : Numbering::carc;
    } else {
      const std::size_t equals = value.text.rfind('=');
      std::uint64_t first = 0;
      const char* const end = value.text.data() + value.text.size();
      const bool has_number = equals != std::string::npos && equals > 0 && equals + 1 < value.text.size();
      const auto read =
          has_number ? std::from_chars(value.text.data() + equals + 1, end, first) : std::from_chars_result{};
      if (!has_number || read.ec != std::errc{} || read.ptr != end || first > (std::uint64_t{1} << 62)) {
        return at_.expected_at(value, "process=number");
      }
      now_.start_ids.push_back({value.text.substr(0, equals), first});
    }
    return {};
  }

  // Events after a name (`named`), or without one.
  Result<void> events(bool named) {
    if (!named && (now_.parts.empty() || closed_)) now_.parts.push_back({{}, at_.place(), {}});
    has_any_ = true;
    closed_ = false;
    Place begin = at_.place();
    at_.take('(');
    at_.skip();
    if (at_.peek() == '(') return group();
    if (named && at_.take(')')) return end_of_events();  // nothing happened there
    for (;;) {
      if (auto read = fields(begin); !read) return read;
      at_.skip();
      at_.take(',');
      at_.skip();
      if (at_.peek() != '(') return end_of_events();
      begin = at_.place();
      at_.take('(');
    }
  }

  // The tuples between the brackets of a whole part.
  Result<void> group() {
    while (at_.peek() == '(') {
      const Place begin = at_.place();
      at_.take('(');
      if (auto read = fields(begin); !read) return read;
      at_.skip();
      if (at_.take(',')) {
        at_.skip();
        if (at_.peek() != '(') return at_.expected("( after ,");
      }
    }
    if (!at_.take(')')) return at_.expected("( or )");
    at_.skip();
    return end_of_events();
  }

  Result<void> end_of_events() {
    at_.skip();
    if (at_.at_dots()) return at_.expected("an event");
    closed_ = at_.take('.');
    return {};
  }

  // After "(": the fields of a tuple and its ")".
  Result<void> fields(Place begin) {
    Tuple tuple{{}, begin};
    for (;;) {
      at_.skip();
      if (at_.peek() == '(') return at_.expected("a name or a number (is a ) missing before it?)");
      auto word = at_.word("a name or a number");
      if (!word) return tl::unexpected(word.error());
      if (tuple.fields.size() == fields_max) return at_.wrong(word->place, "no event has more than 6 fields");
      tuple.fields.push_back(*std::move(word));
      at_.skip();
      if (at_.take(')')) break;
      if (!at_.take(',')) return at_.expected(", or )");
    }
    if (!has_form_) {
      const auto form = form_of(tuple);
      if (!form) {
        return at_.wrong(
            begin,
            "expected a line `form: object` (or thread1, thread2, total) before this event: it may be of any of them");
      }
      now_.form = *form;
      has_form_ = true;
    }
    auto event = event_of(at_, now_, now_.parts.back(), tuple);
    if (!event) return tl::unexpected(event.error());
    now_.parts.back().events.push_back(*std::move(event));
    return {};
  }

  Cursor at_;
  std::string file_;
  Assumed assumed_;
  std::vector<Sequence> sequences_;
  Sequence now_;
  bool has_form_{false};
  bool has_any_{false};
  bool closed_{false};  // a dot ended the last part
};

}  // namespace

Result<std::vector<Sequence>> read(std::string_view text, std::string_view file, const Assumed& assumed) {
  if (text.size() > text_bytes_max)
    return fail(ErrorCode::usage, std::string(file) + ":1:1: the file is longer than 1 GiB");
  return Parser(text, file, assumed).run();
}

}  // namespace reprise::analyse::sequence
