// The name of a mailbox or sender to which the program gave none: the same in every run, and nobody else's.
//
//   made_name("server", "0.1", 'b', 3)        "m0.1.b3.server"
//
// Who makes it and the how-manyth it is for that thread tell it apart. Where that is too long for a party, or holds
// what a party's name may not, its 128-bit hash takes the place of what does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::detail {

std::string made_name(std::string_view process, std::string_view path, char what, std::uint64_t number);

}  // namespace reprise::detail
