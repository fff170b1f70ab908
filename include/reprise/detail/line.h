// What one statement writes to an ordered output: collected, then written whole at the end of the statement.
#pragma once

#include <ios>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

namespace reprise::detail {

// `Destination` has write_line(text, flush, stream); reprise::out and ofstream are two.
template <typename Destination>
class Line {
 public:
  // Starts with `part`, in the format of `format` if that is not null.
  template <typename T>
  Line(Destination& destination, const std::ios* format, const T& part) : destination_(destination) {
    if (format != nullptr) stream_.copyfmt(*format);
    stream_ << part;
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() noexcept(false) { finish(); }

  template <typename T>
  Line& operator<<(const T& part) {
    stream_ << part;
    return *this;
  }
  Line& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
    stream_ << manipulator;
    return *this;
  }

  // To ask how it went, the line must have been written.
  explicit operator bool() const { return finish().good(); }
  bool operator!() const { return !finish().good(); }
  operator std::ostream&() const { return finish(); }  // NOLINT(google-explicit-constructor): as a stream's statement

 private:
  class Text final : public std::stringbuf {
   public:
    Text() : std::stringbuf(std::ios_base::out) {}
    bool flushed{false};

   protected:
    int sync() override {
      flushed = true;
      return 0;
    }
  };

  Destination& finish() const {
    if (!std::exchange(finished_, true)) destination_.write_line(text_.view(), text_.flushed, stream_);
    return destination_;
  }

  Destination& destination_;
  Text text_;
  std::ostream stream_{&text_};
  mutable bool finished_{false};
};

}  // namespace reprise::detail
