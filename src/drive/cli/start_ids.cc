#include "drive/cli/start_ids.h"

#include <fmt/format.h>

#include <charconv>

namespace reprise::drive::cli {

Result<std::vector<analyse::sequence::StartId>> start_ids_of(const std::vector<std::string>& texts) {
  std::vector<analyse::sequence::StartId> ids;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    std::uint64_t first = 0;
    const char* const end = text.data() + text.size();
    const bool has_number = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
    const auto read = has_number ? std::from_chars(text.data() + equals + 1, end, first) : std::from_chars_result{};
    if (!has_number || read.ec != std::errc{} || read.ptr != end || first > (std::uint64_t{1} << 62)) {
      return fail(ErrorCode::usage, fmt::format("--start-id {}: it is PROCESS=N, as server=5", text));
    }
    ids.push_back({text.substr(0, equals), first});
  }
  return ids;
}

}  // namespace reprise::drive::cli
