// A folder for one run of the tool; gone with the object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace reprise::drive {

class ScratchFolder {
 public:
  // In TMPDIR or /tmp, mode 0700. Errors: io.
  static Result<ScratchFolder> create();
  // The same, but in memory where there is room for it and TMPDIR says nothing else: for what is soon thrown away.
  static Result<ScratchFolder> create_in_memory();

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  static Result<ScratchFolder> create_in(const std::string& base);
  ScratchFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_{-1};  // held as long as we live: who can take it knows that the folder is nobody's
};

// Removes the folders of this user's runs that ended without it. Returns how many there were.
std::uint64_t remove_dead_scratch();

}  // namespace reprise::drive
