// The kept copy of a program: people rebuild, and a recording replays only with what it recorded.
//
//   keep_image(recording / "image", program, libraries);          // at record
//   auto image = unpack_image(recording / "image", scratch);      // at replay --image
//
// Format    image/program.zst and image/lib/NAME.zst, each one zstd frame with checksum.
// Trust     Unpacking bounds every file (image_bytes_max) and takes names from the folder only, never paths.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "drive/program.h"

namespace reprise::drive {

constexpr std::uint64_t image_bytes_max = std::uint64_t{4} << 30;

// Does nothing where the image is there already. Errors: io.
Result<void> keep_image(const std::filesystem::path& image, const std::filesystem::path& program,
                        const std::vector<Library>& libraries);

bool has_image(const std::filesystem::path& image);

// Unpacks into `target` (which it creates) and returns the path of the program; libraries lie in target/lib.
// Errors: not_found (no image), damaged, io.
Result<std::filesystem::path> unpack_image(const std::filesystem::path& image, const std::filesystem::path& target,
                                           const std::string& program_name);

}  // namespace reprise::drive
