#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace reprise::base {
namespace {

tl::unexpected<Error> system_error(const char* what, const std::filesystem::path& path, int error) {
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
  return fail(code, std::string(what) + " " + path.string() + ": " + std::strerror(error));
}

void sync_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return system_error("cannot open", path, errno);
  struct stat status {};
  if (fstat(file, &status) != 0) {
    const int error = errno;
    close(file);
    return system_error("cannot open", path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    close(file);
    return fail(ErrorCode::not_a_recording, path.string() + " is not a file");
  }
  MappedFile mapped;
  if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* at = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    const int error = errno;
    close(file);
    if (at == MAP_FAILED) return system_error("cannot map", path, error);
    mapped.data_ = static_cast<const std::uint8_t*>(at);
    mapped.size_ = size;
  } else {
    close(file);
  }
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

// Whole pages, and what stands around them: with what is read the system maps up to 64 KiB.
void MappedFile::forget(std::size_t offset, std::size_t size) const {
  constexpr std::size_t page = 4096;
  constexpr std::size_t around = std::size_t{64} << 10;
  if (data_ == nullptr || offset >= size_) return;
  const std::size_t first = (offset - std::min(offset, around)) / page * page;
  const std::size_t end = offset + std::min(size, size_ - offset);
  const std::size_t last = end + std::min(around, size_ - end);
  madvise(const_cast<std::uint8_t*>(data_) + first, last - first, MADV_DONTNEED);
}

AtomicFile::AtomicFile(int file, std::filesystem::path place, std::filesystem::path temporary)
    : file_(file), place_(std::move(place)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      error_(other.error_),
      size_(other.size_),
      place_(std::move(other.place_)),
      temporary_(std::move(other.temporary_)) {}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  static std::atomic<unsigned> how_manyth{0};
  std::filesystem::path temporary = path;
  temporary += ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(how_manyth.fetch_add(1));
  unlink(temporary.c_str());  // left by an earlier process of the same number
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorCode::io, "cannot create " + path.string() + ": " + std::strerror(errno));
  return AtomicFile(file, path, std::move(temporary));
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::uint8_t> bytes) {
  size_ += bytes.size();
  while (!bytes.empty() && error_ == 0) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Result<void> AtomicFile::commit(bool durable) {
  if (error_ == 0 && durable && fsync(file_) != 0) error_ = errno;
  if (error_ == 0 && rename(temporary_.c_str(), place_.c_str()) != 0) error_ = errno;
  if (error_ != 0) return fail(ErrorCode::io, "cannot write " + place_.string() + ": " + std::strerror(error_));
  close(std::exchange(file_, -1));
  if (durable) sync_folder(place_.parent_path());
  return {};
}

}  // namespace reprise::base
