#include "drive/pack.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Folder;

constexpr std::string_view magic{"REPRPACK", 8};
constexpr std::uint32_t pack_version = 1;
constexpr std::size_t path_bytes_max = 300;
constexpr std::uint64_t files_max = 100'000;
constexpr std::size_t checksum_bytes = 8;

// What a recording may hold: plain files, at most two folders down, with names that are safe anywhere.
bool is_fine_path(std::string_view path) {
  if (path.empty() || path.size() > path_bytes_max || path.front() == '/' || path.back() == '/') return false;
  int depth = 0;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part.front() == '.' || ++depth > 3) return false;
    at = end + 1;
  }
  return std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-#+~/").find(c) != std::string_view::npos;
  });
}

// Writes a pack; its last eight bytes are the checksum of all others.
class Packer {
 public:
  explicit Packer(base::AtomicFile& out) : out_(out) { XXH3_64bits_reset(&state_); }

  void write(std::span<const std::uint8_t> bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
    out_.write(bytes);
  }
  void text(std::string_view text) {
    number(text.size());
    raw(text);
  }
  void raw(std::string_view text) { write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}); }
  void number(std::uint64_t value) {
    std::uint8_t bytes[8];
    base::put_u64(bytes, value);
    write(bytes);
  }
  void finish() { number(XXH3_64bits_digest(&state_)); }

 private:
  base::AtomicFile& out_;
  XXH3_state_t state_;
};

Result<void> put_file(Packer& out, const fs::path& file, const std::string& path) {
  auto mapped = base::MappedFile::open(file);
  if (!mapped) return tl::unexpected(mapped.error());
  out.text(path);
  out.number(mapped->bytes().size());
  out.write(mapped->bytes());
  return {};
}

bool is_whole(std::span<const std::uint8_t> pack) {
  if (pack.size() < checksum_bytes) return false;
  const auto covered = pack.first(pack.size() - checksum_bytes);
  base::Cursor stored(pack.data() + covered.size(), pack.data() + pack.size());
  return XXH3_64bits(covered.data(), covered.size()) == stored.u64();
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorCode::io, "cannot write " + path.string() + ": " + std::strerror(errno));
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) {
      const int why = errno;
      close(file);
      return fail(ErrorCode::io, "cannot write " + path.string() + ": " + std::strerror(why));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  close(file);
  return {};
}

Result<void> unpack_files(base::Cursor& cursor, const fs::path& into) {
  const std::uint64_t files = cursor.u64();
  if (!cursor.good() || files > files_max) return fail(ErrorCode::damaged, "the pack is damaged: it ends in its head");
  for (std::uint64_t i = 0; i < files; ++i) {
    const std::string path(cursor.bytes(cursor.u64()));
    const std::string_view bytes = cursor.bytes(cursor.u64());
    if (!cursor.good()) return fail(ErrorCode::damaged, "the pack is damaged: it ends too early");
    if (!is_fine_path(path))
      return fail(ErrorCode::damaged, "the pack is damaged: a file has a name that no recording has");
    if (auto written = write_file(into / path, bytes); !written) return written;
  }
  if (cursor.left() != 0) return fail(ErrorCode::damaged, "the pack is damaged: something follows its end");
  return {};
}

}  // namespace

Result<void> pack(const Folder& folder, const fs::path& to) {
  std::error_code error;
  std::vector<std::string> paths;
  for (auto at = fs::recursive_directory_iterator(folder.path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_regular_file()) continue;
    paths.push_back(fs::relative(at->path(), folder.path, error).generic_string());
    if (!is_fine_path(paths.back())) {
      return fail(ErrorCode::damaged,
                  folder.path.string() + " holds a file that no recording has; move it out of the folder first");
    }
  }
  if (error) return fail(ErrorCode::io, "cannot read " + folder.path.string() + ": " + error.message());
  std::ranges::sort(paths);
  auto out = base::AtomicFile::create(to);
  if (!out) return tl::unexpected(out.error());
  Packer packer(*out);
  packer.raw(magic);
  packer.number(pack_version);
  packer.text(folder.name());
  packer.number(paths.size());
  for (const std::string& path : paths) {
    if (auto put = put_file(packer, folder.path / path, path); !put) return put;
  }
  packer.finish();
  return out->commit();
}

Result<Folder> unpack(const fs::path& from, const fs::path& home, std::string_view name) {
  auto mapped = base::MappedFile::open(from);
  if (!mapped) return tl::unexpected(mapped.error());
  const std::span<const std::uint8_t> bytes = mapped->bytes();
  base::Cursor cursor(bytes.data(), bytes.data() + bytes.size() - std::min(bytes.size(), checksum_bytes));
  if (cursor.bytes(magic.size()) != magic)
    return fail(ErrorCode::not_a_recording, from.string() + " is not a packed recording");
  const std::uint64_t version = cursor.u64();
  if (cursor.good() && version != pack_version) {
    return fail(ErrorCode::version_unsupported, from.string() + " has version " + std::to_string(version) +
                                                    "; this reprise reads version " + std::to_string(pack_version) +
                                                    ": use the reprise that packed it");
  }
  if (!is_whole(bytes)) return fail(ErrorCode::damaged, from.string() + " is damaged: its checksum does not hold");
  const std::string packed_name(cursor.bytes(cursor.u64()));
  const std::string wanted = name.empty() ? packed_name : std::string(name);
  if (!cursor.good() || !recording::is_valid_name(packed_name))
    return fail(ErrorCode::damaged, "the pack is damaged: it has no name");
  auto folder = recording::create_folder(home, wanted);
  if (!folder) return tl::unexpected(folder.error());
  if (auto files = unpack_files(cursor, folder->path); !files) {
    std::error_code ignored;
    fs::remove_all(folder->path, ignored);
    return tl::unexpected(files.error());
  }
  return *folder;
}

}  // namespace reprise::drive
