// A recording's folder: NAME.reprise/ with a manifest, one log per process and what else the tool keeps there.
//
//   auto folder = create_folder(home(), "run");            auto folder = find_folder(home(), "run");
//   Live::create(folder->live("main"));                    Log::open(folder->best("main"));
//
// Trust     Names come from users and from file systems: only valid ones ever become part of a path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reprise::recording {

constexpr std::string_view folder_suffix = ".reprise";
constexpr std::string_view manifest_name = "manifest.json";
constexpr std::size_t name_bytes_max = 64;

// [A-Za-z0-9._-]{1,64}, not starting with '.' or '-'.
bool is_valid_name(std::string_view name);

// A valid name, followed by '#' and a number from 2 for the second and later incarnations.
bool is_valid_process(std::string_view process);

// The name a process was launched under: without its incarnation (#2), image (.exec2) and forks (-0-1).
std::string_view launched_as(std::string_view process);

// Is `process` this one, a later image of it, or one that it forked?
bool descends_from(std::string_view process, std::string_view ancestor);
// Where `chosen` is replayed without its relatives: does `process` run too? Those that it descends from do; what a
// launched process starts does with it.
bool is_needed_for(std::string_view chosen, std::string_view process);

struct Folder {
  std::filesystem::path path;

  std::string name() const;  // without .reprise

  // REQUIRES is_valid_process(process).
  std::filesystem::path live(std::string_view process) const;
  std::filesystem::path log(std::string_view process) const;
  std::filesystem::path trace(std::string_view process) const;
  std::filesystem::path manifest() const { return path / manifest_name; }

  // The log of `process` that is there: sealed, or else live (also when there is neither).
  std::filesystem::path best(std::string_view process) const;

  // The processes that left a log, sealed or live, by name.
  std::vector<std::string> processes() const;
};

// Where recordings lie: $REPRISE_HOME, or else the working folder.
std::filesystem::path home();

// Makes home/NAME.reprise, mode 0700 (home too, if need be).
// Errors: usage (not a valid name, or there already); io.
Result<Folder> create_folder(const std::filesystem::path& home, std::string_view name);

// Finds a recording by name, by NAME.reprise, or by the path of its folder.
// Errors: usage (neither a name nor a path); not_found; not_a_recording (a folder without a manifest).
Result<Folder> find_folder(const std::filesystem::path& home, std::string_view name_or_path);

// All recordings in `home`, the newest manifest first. A home that is not there holds none.
// Errors: io.
Result<std::vector<Folder>> list_folders(const std::filesystem::path& home);

// Errors: not_found (there is none); io.
Result<Folder> latest_folder(const std::filesystem::path& home);

// Removes a recording with all that is in it. Errors: not_a_recording (no manifest: refused); io.
Result<void> remove_folder(const Folder& folder);

}  // namespace reprise::recording
