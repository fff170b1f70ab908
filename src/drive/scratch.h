// A folder for one run of the tool; gone with the object.
#pragma once

#include <filesystem>
#include <string>

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
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace reprise::drive
