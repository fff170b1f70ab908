#include "drive/scratch.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace reprise::drive {

namespace {

constexpr const char* memory = "/dev/shm";
constexpr std::uint64_t room_in_memory = std::uint64_t{1} << 30;

bool has_room_in_memory() {
  struct statvfs about {};
  return statvfs(memory, &about) == 0 && about.f_bavail * about.f_frsize >= room_in_memory && access(memory, W_OK) == 0;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::create() {
  const char* base = std::getenv("TMPDIR");
  return create_in(base != nullptr && *base == '/' ? base : "/tmp");
}

Result<ScratchFolder> ScratchFolder::create_in_memory() {
  return std::getenv("TMPDIR") == nullptr && has_room_in_memory() ? create_in(memory) : create();
}

Result<ScratchFolder> ScratchFolder::create_in(const std::string& base) {
  std::string pattern = fmt::format("{}/reprise-XXXXXX", base);
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
