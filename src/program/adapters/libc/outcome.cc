#include "program/adapters/libc/outcome.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace reprise::libc {

std::string outcome_of(const void* buffer, ssize_t result) {
  if (result < 0) return "-" + std::to_string(errno);
  return "+" + std::string(static_cast<const char*>(buffer), static_cast<std::size_t>(result));
}

ssize_t give(const std::string& outcome, void* buffer, std::size_t size) {
  if (!outcome.starts_with('+')) {
    errno = outcome.empty() ? EIO : std::atoi(outcome.c_str() + 1);
    return -1;
  }
  const std::size_t given = std::min(size, outcome.size() - 1);
  if (given > 0) std::memcpy(buffer, outcome.data() + 1, given);
  return static_cast<ssize_t>(given);
}

}  // namespace reprise::libc
