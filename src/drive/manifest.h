// The manifest of a recording: what was run, where, with what, and how it ended. Grammar: format/recording.md,
// "manifest".
//
//   Manifest manifest{.name = "run", .command = {"./bank", "100"}};
//   write_manifest(folder.manifest(), manifest);
//   auto again = read_manifest(folder.manifest());
//
// Trust     Input: every type and length is checked on reading. Members this version does not know are kept in
// `unknown`
//           and written back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reprise::drive {

constexpr std::uint32_t manifest_version = 1;
constexpr std::uint64_t manifest_bytes_max = std::uint64_t{64} << 20;

enum class ManifestEnd { unknown, exit, signal, time_limit, interrupted };

// The program or one of its libraries.
struct ManifestImage {
  std::string path;      // absolute, on the machine that recorded
  std::string build_id;  // hex, or empty
  std::string image;     // the kept copy, relative to the recording's folder; empty: none

  friend bool operator==(const ManifestImage&, const ManifestImage&) = default;
};

// One program of a system of several (record -f).
struct ManifestLine {
  std::string name;  // of its process
  std::vector<std::string> command;
  ManifestImage program;
  std::vector<ManifestImage> libraries;
  bool service{false};  // stopped when all that are none had ended
  // Of a merged recording: which of the parts this line comes from, counted from 1, and what was the parts' own. 0: not
  // merged, the recording's own hold.
  std::uint32_t part{0};
  std::string host;
  std::string directory;
  std::vector<std::string> environment;
  ManifestEnd end{ManifestEnd::unknown};
  std::int32_t end_code{0};

  friend bool operator==(const ManifestLine&, const ManifestLine&) = default;
};

struct Manifest {
  std::uint32_t version{manifest_version};
  std::string name;
  std::string created;  // ISO 8601, UTC: 2024-05-01T12:34:56Z
  std::string reprise_version;
  std::vector<std::string> command;      // with argv[0]
  std::string directory;                 // the working folder
  std::vector<std::string> environment;  // NAME=value, in the order the process had them
  ManifestImage program;
  std::vector<ManifestImage> libraries;
  std::vector<std::string> processes;
  std::string level{"order"};  // or "data"
  bool full{false};
  std::optional<std::uint64_t> chaos;  // seed
  std::optional<double> timeout_s;
  bool randomize_off{false};  // address randomisation was switched off
  std::string host;
  ManifestEnd end{ManifestEnd::unknown};
  std::int32_t end_code{0};  // exit code or signal
  bool gates_met{false};
  std::vector<ManifestLine> lines;  // record -f: the programs; else empty
  std::vector<std::string> groups;  // record --group: names of processes, separated by commas
  bool simulates_errors{true};      // record --exceptions: recorded errors of messages come again on replay
  std::string unknown;              // a JSON object with the members this version does not know; empty: none

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// The word for an end, in the manifest and on the screen.
std::string_view name(ManifestEnd end);

// Now, as `created` wants it.
std::string now_utc();

// Errors: not_found, version_unsupported (names both versions), damaged (one line: which member, what is wrong), io.
Result<Manifest> read_manifest(const std::filesystem::path& path);

// By way of a temporary file and rename, mode 0600. Errors: io.
Result<void> write_manifest(const std::filesystem::path& path, const Manifest& manifest, bool durable = true);

// The same without a file. Errors: version_unsupported, damaged.
Result<Manifest> parse_manifest(std::string_view text);
std::string format_manifest(const Manifest& manifest);

}  // namespace reprise::drive
