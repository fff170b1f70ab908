// A folder for one run of the tool; gone with the object.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace reprise::drive {

class ScratchFolder {
 public:
  // In TMPDIR or /tmp, mode 0700. Errors: io.
  static Result<ScratchFolder> create();

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace reprise::drive
