// What a search for a party came to, as it is recorded: "= 1 server host-a 0", the first word "+" for a new connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "program/message/registry.h"

namespace reprise::messaging {

struct Found {
  Located where;
  bool is_kept{false};   // the contents that come from there are recorded
  bool is_known{false};  // there was a connection already
};
std::string text_of(const Found& found);
// Without the first word; what follows is left in `text`.
std::optional<Found> parse_found(std::string_view& text);

// The party of a recorded connection, waited for where it is replayed; -1: it leads nowhere.
int reach_again(const std::string& name, Located where, std::uint64_t connection);

}  // namespace reprise::messaging
