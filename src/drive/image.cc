#include "drive/image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;

constexpr int level = 1;

struct File {
  int number{-1};
  File() = default;
  explicit File(int file) : number(file) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number >= 0) close(number);
  }
};

tl::unexpected<Error> system_error(const char* what, const fs::path& path) {
  return fail(ErrorCode::io, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

// Reads `from` piece by piece; `step` turns the input into output, and is called with last = true at the end.
struct Compressor {
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};

  Compressor() {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  }
  std::size_t step(ZSTD_outBuffer& out, ZSTD_inBuffer& in, bool last) {
    return ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
  }
};

struct Decompressor {
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context{ZSTD_createDCtx(), ZSTD_freeDCtx};

  std::size_t step(ZSTD_outBuffer& out, ZSTD_inBuffer& in, bool) {
    return ZSTD_decompressStream(context.get(), &out, &in);
  }
};

template <typename Coder>
Result<void> recode(const fs::path& from, const fs::path& to, mode_t mode) {
  const File source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.number < 0) return system_error("read", from);
  const File target(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (target.number < 0) return system_error("create", to);
  Coder coder;
  std::vector<char> input(1 << 17);
  std::vector<char> output(1 << 17);
  std::uint64_t total = 0;
  std::size_t remaining = 0;
  for (bool last = false; !last;) {
    const ssize_t size = read(source.number, input.data(), input.size());
    if (size < 0) return system_error("read", from);
    last = size == 0;
    ZSTD_inBuffer in{input.data(), static_cast<std::size_t>(size), 0};
    bool more = true;
    while (more) {
      ZSTD_outBuffer out{output.data(), output.size(), 0};
      const std::size_t result = coder.step(out, in, last);
      if (ZSTD_isError(result))
        return fail(ErrorCode::damaged, fmt::format("{}: {}", from.string(), ZSTD_getErrorName(result)));
      if (!write_all(target.number, output.data(), out.pos)) return system_error("write", to);
      total += out.pos;
      if (total > image_bytes_max)
        return fail(ErrorCode::damaged, fmt::format("{} is larger than an image may be", from.string()));
      if (in.size > 0) remaining = result;
      more = in.pos < in.size || (result > 0 && (out.pos == out.size || (last && std::is_same_v<Coder, Compressor>)));
    }
  }
  if (std::is_same_v<Coder, Decompressor> && remaining != 0)
    return fail(ErrorCode::damaged, fmt::format("{} is cut short", from.string()));
  return {};
}

Result<void> make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_error("create", folder);
  return {};
}

Result<void> keep_file(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  if (fs::exists(to, ignored)) return {};
  fs::path unfinished = to;
  unfinished += ".unfinished";
  fs::remove(unfinished, ignored);
  if (auto kept = recode<Compressor>(from, unfinished, 0600); !kept) return kept;
  if (std::rename(unfinished.c_str(), to.c_str()) != 0) return system_error("rename", unfinished);
  return {};
}

}  // namespace

Result<void> keep_image(const fs::path& image, const fs::path& program, const std::vector<Library>& libraries) {
  if (auto made = make_folder(image); !made) return made;
  if (!libraries.empty()) {
    if (auto made = make_folder(image / "lib"); !made) return made;
  }
  for (const Library& library : libraries) {
    const std::string name = fs::path(library.name).filename().string();
    if (auto kept = keep_file(library.path, image / "lib" / (name + ".zst")); !kept) return kept;
  }
  return keep_file(program, image / "program.zst");
}

bool has_image(const fs::path& image) {
  std::error_code ignored;
  return fs::is_regular_file(image / "program.zst", ignored);
}

Result<fs::path> unpack_image(const fs::path& image, const fs::path& target, const std::string& program_name) {
  if (!has_image(image))
    return fail(ErrorCode::not_found, fmt::format("{} holds no copy of the program", image.string()));
  for (const fs::path& folder : {target, target / "lib"}) {
    if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
  }
  const fs::path program = target / (program_name.empty() ? "program" : fs::path(program_name).filename().string());
  if (auto unpacked = recode<Decompressor>(image / "program.zst", program, 0700); !unpacked)
    return tl::unexpected(unpacked.error());
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(image / "lib", error)) {
    if (entry.path().extension() != ".zst" || !entry.is_regular_file(error)) continue;
    auto unpacked = recode<Decompressor>(entry.path(), target / "lib" / entry.path().stem(), 0700);
    if (!unpacked) return tl::unexpected(unpacked.error());
  }
  return program;
}

}  // namespace reprise::drive
