// Files as reprise needs them: mapped to be read, or written whole or not at all.
//
//   auto file = MappedFile::open(path);               auto out = AtomicFile::create(path);
//   parse(file->bytes());                             out->write(bytes);  ...  out->commit();
//
// Threads   One thread per object; a MappedFile's bytes may be read by any.
// Trust     The bytes of a MappedFile are input. The file must not be cut while it is mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.h"

namespace reprise::base {

class MappedFile {
 public:
  // Errors: not_found; not_a_recording (a folder or a device); io.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

  // Of these bytes none will be read for a while: they need not stay in memory. They can still be read.
  void forget(std::size_t offset, std::size_t size) const;

 private:
  const std::uint8_t* data_{nullptr};
  std::size_t size_{0};
};

// Written beside its place and renamed into it by commit(); until then, and without it, the place is untouched.
class AtomicFile {
 public:
  // Mode 0600. Errors: io.
  static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // Errors are kept for commit().
  void write(std::span<const std::uint8_t> bytes);
  void write(std::string_view text);
  std::uint64_t size() const { return size_; }

  // Flushes to the disk and renames. Errors: io (the first one met).
  // Not `durable`: a crash of the machine may lose it.
  Result<void> commit(bool durable = true);

 private:
  AtomicFile(int file, std::filesystem::path place, std::filesystem::path temporary);

  int file_;
  int error_{0};
  std::uint64_t size_{0};
  std::filesystem::path place_;
  std::filesystem::path temporary_;
};

}  // namespace reprise::base
