// Recording programs with an MCAPI library that is not ours: an interposing library, made for that library.
//
//   auto made = make_profile("/opt/mcapi/include", "/opt/mcapi/lib/libmcapi.so", "mcapi-profile.so");
//   auto used = use_profile("mcapi-profile.so", target);     // then start the program
//
// A preload cannot guess another library's argument orders, handles and status numbers, so it is compiled against that
// library's own header (src/drive/foreign).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "drive/record_run.h"

namespace reprise::drive {

// Errors: not_found (no header, no library, no compiler), unsupported (no MCAPI that we know; what c++ said).
Result<void> make_profile(const std::filesystem::path& include, const std::filesystem::path& library,
                          const std::filesystem::path& output);

// Sets LD_PRELOAD of this process, which the program and its recording get. Errors: not_found; unsupported: the
// program has the library inside, and must be linked anew.
Result<void> use_profile(const std::filesystem::path& profile, const Target& target);

}  // namespace reprise::drive
