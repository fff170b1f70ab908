#include "drive/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyse/sources.h"
#include "base/file.h"
#include "drive/manifest.h"
#include "drive/subject.h"
#include "drive/version.h"
#include "recording/log.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Folder;
using recording::Log;

struct Part {
  Folder folder;
  Manifest manifest;
  std::vector<std::string> processes;
};

Result<Part> open_part(const Folder& folder) {
  auto manifest = read_manifest(folder.manifest());
  if (!manifest) return tl::unexpected(manifest.error());
  Part part{folder, std::move(*manifest), processes_of(folder)};
  if (part.processes.empty())
    return fail(ErrorCode::not_a_recording, fmt::format("{} holds no log: there is nothing to merge", folder.name()));
  return part;
}

// Names of processes stand in the logs of others: they must mean one process.
Result<void> check_parts(const std::vector<Part>& parts) {
  std::map<std::string, std::string> owners;
  for (const Part& part : parts) {
    for (const std::string& process : part.processes) {
      const auto [owner, is_new] = owners.emplace(process, part.folder.name());
      if (is_new) continue;
      return fail(ErrorCode::usage,
                  fmt::format("{} and {} both hold a process {}; record one of them with another name "
                              "(--process NAME, or its line in the Procfile)",
                              owner->second, part.folder.name(), process));
    }
    if (part.manifest.level != parts.front().manifest.level) {
      return fail(ErrorCode::usage,
                  fmt::format("{} was recorded at level {}, {} at level {}; record all of them at the same level",
                              parts.front().folder.name(), parts.front().manifest.level, part.folder.name(),
                              part.manifest.level));
    }
  }
  return {};
}

// The lines of a part; a part of a single program is one line.
std::vector<ManifestLine> lines_of(const Part& part) {
  const Manifest& manifest = part.manifest;
  if (!manifest.lines.empty()) return manifest.lines;
  ManifestLine line;
  line.name = part.processes.front();
  line.command = manifest.command;
  line.program = manifest.program;
  line.libraries = manifest.libraries;
  line.end = manifest.end;
  line.end_code = manifest.end_code;
  const auto move_into_line = [&line](ManifestImage& image) {
    if (image.image.starts_with("image/")) image.image = fmt::format("image/{}/{}", line.name, image.image.substr(6));
  };
  move_into_line(line.program);
  for (ManifestImage& library : line.libraries) move_into_line(library);
  return {line};
}

void add_lines(const Part& part, std::uint32_t parts_before, Manifest& merged) {
  for (ManifestLine& line : lines_of(part)) {
    if (line.part == 0) {
      line.host = part.manifest.host;
      line.directory = part.manifest.directory;
      line.environment = part.manifest.environment;
      line.part = 1;
    }
    line.part += parts_before;
    if (merged.end_code == 0 && !line.service) {
      merged.end = line.end;
      merged.end_code = line.end_code;
    }
    merged.lines.push_back(std::move(line));
  }
}

Manifest merge_manifests(const std::string& name, const std::vector<Part>& parts) {
  Manifest merged = parts.front().manifest;
  merged.name = name;
  merged.created = now_utc();
  merged.reprise_version = version;
  merged.program.image.clear();  // the lines say where
  merged.libraries.clear();
  merged.lines.clear();
  merged.processes.clear();
  merged.groups.clear();
  merged.chaos.reset();
  merged.timeout_s.reset();
  merged.end = ManifestEnd::exit;
  merged.end_code = 0;
  for (const Part& part : parts) {
    add_lines(part, merged.lines.empty() ? 0 : merged.lines.back().part, merged);
    merged.processes.insert(merged.processes.end(), part.processes.begin(), part.processes.end());
    merged.groups.insert(merged.groups.end(), part.manifest.groups.begin(), part.manifest.groups.end());
    merged.randomize_off = merged.randomize_off && part.manifest.randomize_off;
    merged.full = merged.full && part.manifest.full;
    merged.simulates_errors = merged.simulates_errors && part.manifest.simulates_errors;
  }
  return merged;
}

Result<void> copy_part(const Part& part, const Folder& to) {
  for (const std::string& process : part.processes) {
    auto sealed = recording::seal(part.folder.best(process), to.log(process));
    if (!sealed) return sealed;
  }
  std::error_code error;
  const fs::path image = part.folder.path / "image";
  if (!fs::exists(image, error)) return {};
  const bool is_system = !part.manifest.lines.empty();
  fs::create_directories(to.path / "image", error);
  fs::copy(image, is_system ? to.path / "image" : to.path / "image" / part.processes.front(),
           fs::copy_options::recursive, error);
  if (error) return fail(ErrorCode::io, fmt::format("cannot copy {}: {}", image.string(), error.message()));
  return {};
}

// Who received from which connection, of all processes.
Result<void> write_routes(Merged& merged) {
  std::string text;
  const std::set<std::string> known(merged.processes.begin(), merged.processes.end());
  std::set<std::string> missing;
  for (const std::string& process : merged.processes) {
    const auto log = Log::open(merged.folder.log(process));
    if (!log) return tl::unexpected(log.error());
    for (const analyse::MessageSource& source : analyse::message_sources(*log)) {
      if (!known.contains(source.from.process)) missing.insert(source.from.process);
      text += fmt::format("{} {} {} {}\n", source.from.process, source.from.connection, source.incarnation, process);
      ++merged.routes;
    }
  }
  for (const std::string& process : missing) {
    merged.warnings.push_back(
        fmt::format("messages came from process {}, which is in none of the parts: merge its recording too", process));
  }
  auto file = base::AtomicFile::create(merged.folder.path / routes_name);
  if (!file) return tl::unexpected(file.error());
  file->write(text);
  return file->commit();
}

Result<void> fill(Merged& merged, const std::vector<Part>& parts) {
  const Manifest manifest = merge_manifests(merged.folder.name(), parts);
  for (const Part& part : parts) {
    if (auto copied = copy_part(part, merged.folder); !copied) return copied;
  }
  merged.processes = manifest.processes;
  if (auto written = write_routes(merged); !written) return written;
  return write_manifest(merged.folder.manifest(), manifest);
}

}  // namespace

Result<Merged> merge(const fs::path& home, std::string_view name, const std::vector<Folder>& folders) {
  std::vector<Part> parts;
  for (const Folder& folder : folders) {
    auto part = open_part(folder);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(std::move(*part));
  }
  if (auto fine = check_parts(parts); !fine) return tl::unexpected(fine.error());
  auto folder = recording::create_folder(home, name);
  if (!folder) return tl::unexpected(folder.error());
  Merged merged{*folder, {}, 0, {}};
  if (auto filled = fill(merged, parts); !filled) {
    std::error_code ignored;
    fs::remove_all(folder->path, ignored);
    return tl::unexpected(filled.error());
  }
  return merged;
}

}  // namespace reprise::drive
