// reprise::out: standard output whose writes are ordered among threads, so that the replayed bytes come in the same
// order.
//
//   reprise::out << "balance " << balance << '\n';      // one write, whole, at the end of the statement
//
// Threads   Any; statements do not mix.
// Cost      One passage of the gate and one write(2) per statement.
#pragma once

#include <reprise/detail/gate.h>

#include <sstream>
#include <string_view>

namespace reprise {

class Output {
 public:
  // What one statement writes.
  class Line {
   public:
    template <typename T>
    explicit Line(const T& part) {
      text_ << part;
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() { write(text_.view()); }

    template <typename T>
    Line& operator<<(const T& part) {
      text_ << part;
      return *this;
    }
    Line& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
      text_ << manipulator;
      return *this;
    }

   private:
    std::ostringstream text_;
  };

  template <typename T>
  Line operator<<(const T& part) const {
    return Line(part);
  }

  // Writes `text` to standard output in this thread's turn.
  REPRISE_API static void write(std::string_view text);
};

inline constexpr Output out{};

}  // namespace reprise
