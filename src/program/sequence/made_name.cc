#include "program/sequence/made_name.h"

#include <xxhash.h>

#include <cstdio>

#include "program/message/wire.h"

namespace reprise::detail {

// The path, digits and dots alone, comes first: what follows it cannot be taken for a part of it.
std::string made_name(std::string_view process, std::string_view path, char what, std::uint64_t number) {
  std::string own = "m";
  own.append(path).append(1, '.').append(1, what).append(std::to_string(number)).append(1, '.');
  std::string name = own + std::string(process);
  if (messaging::is_valid_party(name)) return name;
  const XXH128_hash_t hash = XXH3_128bits(name.data(), name.size());
  char digits[2 * 16 + 1];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return std::string("mx") + digits;
}

}  // namespace reprise::detail
