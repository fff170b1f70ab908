#include "drive/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
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

namespace fs = std::filesystem;

constexpr std::string_view prefix = "reprise-";
constexpr std::string_view lock_prefix = "reprise-lock-";
constexpr std::size_t random_letters = 6;

std::string base() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given == '/' ? given : "/tmp";
}

// Beside the folder, not in it: what lies there is the run's.
fs::path lock_of(const fs::path& folder) {
  const std::string letters = folder.filename().string().substr(prefix.size());
  return folder.parent_path() / (std::string(lock_prefix) + letters);
}

bool is_ours(const fs::path& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && facts.st_uid == geteuid();
}

// A program may outlive the tool that started it: then its parties hold their entries here.
bool is_in_use(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const int file = open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    const bool held = flock(file, LOCK_SH | LOCK_NB) != 0;
    close(file);
    if (held) return true;
  }
  return false;
}

constexpr const char* memory = "/dev/shm";
constexpr std::uint64_t room_in_memory = std::uint64_t{1} << 30;

bool has_room_in_memory() {
  struct statvfs about {};
  return statvfs(memory, &about) == 0 && about.f_bavail * about.f_frsize >= room_in_memory && access(memory, W_OK) == 0;
}

std::uint64_t remove_dead_in(const std::string& base) {
  std::uint64_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator at(base, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(lock_prefix) || name.size() != lock_prefix.size() + random_letters || !is_ours(at->path()))
      continue;
    const int lock = open(at->path().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0) continue;
    const fs::path folder = at->path().parent_path() / (std::string(prefix) + name.substr(lock_prefix.size()));
    if (flock(lock, LOCK_EX | LOCK_NB) == 0 && !is_in_use(folder)) {
      std::error_code ignored;
      if (is_ours(folder) && fs::is_directory(fs::symlink_status(folder, ignored))) {
        fs::remove_all(folder, ignored);
        ++removed;
      }
      unlink(at->path().c_str());
    }
    close(lock);
  }
  return removed;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::create() { return create_in(base()); }

Result<ScratchFolder> ScratchFolder::create_in_memory() {
  return std::getenv("TMPDIR") == nullptr && has_room_in_memory() ? create_in(memory) : create();
}

Result<ScratchFolder> ScratchFolder::create_in(const std::string& base) {
  std::string pattern = fmt::format("{}/{}XXXXXX", base, prefix);
  if (mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorCode::io, fmt::format("cannot create a folder {}: {}; set TMPDIR to one that can be written",
                                           pattern, std::strerror(errno)));
  }
  const int lock = open(lock_of(pattern).c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock >= 0) flock(lock, LOCK_EX | LOCK_NB);
  return ScratchFolder(pattern, lock);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ < 0) return;
  unlink(lock_of(path_).c_str());
  close(lock_);
}

// Where create() and create_in_memory() would put one.
std::uint64_t remove_dead_scratch() {
  return remove_dead_in(base()) + (std::getenv("TMPDIR") == nullptr ? remove_dead_in(memory) : 0);
}

}  // namespace reprise::drive
