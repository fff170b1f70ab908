#include "drive/scratch.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace reprise::drive {

Result<ScratchFolder> ScratchFolder::create() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = fmt::format("{}/reprise-XXXXXX", base != nullptr && *base == '/' ? base : "/tmp");
  if (mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorCode::io, fmt::format("cannot create a folder {}: {}; set TMPDIR to one that can be written",
                                           pattern, std::strerror(errno)));
  }
  return ScratchFolder(pattern);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace reprise::drive
