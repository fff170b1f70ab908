// Text for people: what comes from a recording is escaped, numbers are grouped.
//
//   escape("a\x1b[31m")  ->  a\x1b[31m (the four characters \x1b, not the control character)
//
// Trust     Whatever stands in a recording may reach a terminal only through escape().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::analyse {

// Control characters, backslashes and bytes that are no UTF-8 as \n, \\, \xNN. The rest stays.
std::string escape(std::string_view text);

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t number);

// "1 thread", "2 threads", "1,234 steps"
std::string counted(std::uint64_t number, std::string_view noun);

// The same for nouns whose plural is another word.
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

// 3123 -> "3.1 kB"
std::string human_bytes(std::uint64_t bytes);

// "SIGSEGV", or "signal 77" for one without a name.
std::string signal_name(int signal);

// The value of a read: a small number as such, anything else as escaped text, cut after `limit` characters.
std::string value_text(std::string_view bytes, std::size_t limit = 60);
// A little-endian number of at most eight bytes, leading zero bytes left out.
std::string number_text(std::string_view bytes);

}  // namespace reprise::analyse
