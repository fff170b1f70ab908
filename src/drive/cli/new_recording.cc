#include "drive/cli/new_recording.h"

#include <fmt/format.h>

#include <filesystem>

#include "drive/record_run.h"

namespace reprise::drive::cli {

namespace fs = std::filesystem;
using recording::Folder;

namespace {

// The first free NAME-1, NAME-2, ...
Result<Folder> create_numbered(const fs::path& home, const std::string& wanted) {
  std::error_code ignored;
  const std::string base = valid_name(wanted).substr(0, recording::name_bytes_max - 8);
  for (int number = 1; number < 1'000'000; ++number) {
    const std::string name = fmt::format("{}-{}", base, number);
    if (fs::exists(home / (name + std::string(recording::folder_suffix)), ignored)) continue;
    auto folder = recording::create_folder(home, name);
    // Somebody else may have taken the name since: the next one then.
    if (folder || folder.error().code != ErrorCode::usage) return folder;
  }
  return fail(ErrorCode::io, fmt::format("{} is full of recordings of {}; remove some", home.string(), base));
}

}  // namespace

Result<Folder> new_recording(const Arguments& arguments, const std::string& base) {
  const fs::path home = recording::home();
  if (arguments.output.empty()) return create_numbered(home, base);
  if (!recording::is_valid_name(arguments.output)) {
    return fail(
        ErrorCode::usage,
        fmt::format("{} is no name for a recording: letters, digits, '.', '_' and '-', at most {}, not starting "
                    "with '.' or '-'",
                    arguments.output, recording::name_bytes_max));
  }
  std::error_code ignored;
  const bool there = fs::exists(home / (arguments.output + std::string(recording::folder_suffix)), ignored);
  if (there && !arguments.force) {
    return fail(ErrorCode::usage,
                fmt::format("there is a recording {} already; --force replaces it", arguments.output));
  }
  if (there) {
    auto old = recording::find_folder(home, arguments.output);
    if (!old) return tl::unexpected(old.error());
    if (auto removed = recording::remove_folder(*old); !removed) return tl::unexpected(removed.error());
  }
  return recording::create_folder(home, arguments.output);
}

}  // namespace reprise::drive::cli
