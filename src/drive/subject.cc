#include "drive/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "drive/image.h"
#include "drive/program.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Folder;
using recording::Log;

void prepend_library_path(std::vector<std::string>& environment, const std::vector<fs::path>& folders) {
  constexpr std::string_view variable = "LD_LIBRARY_PATH=";
  std::string value;
  for (const fs::path& folder : folders) value += (value.empty() ? "" : ":") + folder.string();
  for (std::string& text : environment) {
    if (!text.starts_with(variable)) continue;
    text = fmt::format("{}{}:{}", variable, value, text.substr(variable.size()));
    return;
  }
  environment.push_back(fmt::format("{}{}", variable, value));
}

// The kept copy, unpacked. Its own libraries come first; libreprise is taken from where the tool's own lies.
Result<void> use_image(Subject& subject) {
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  subject.unpacked = std::make_shared<ScratchFolder>(std::move(*scratch));
  const fs::path target = subject.unpacked->path() / "image";
  const std::string name = fs::path(subject.manifest.program.path).filename().string();
  auto program = unpack_image(subject.folder.path / "image", target, name);
  if (!program) return tl::unexpected(program.error());
  subject.program = *program;
  std::error_code ignored;
  std::vector<fs::path> folders{target / "lib"};
  for (const ManifestImage& library : subject.manifest.libraries) {
    if (library.image.empty()) folders.push_back(fs::path(library.path).parent_path());
  }
  folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "lib");
  prepend_library_path(subject.environment, folders);
  return {};
}

Result<void> use_program(Subject& subject, const std::string& path) {
  auto program = find_program(path);
  if (!program) return tl::unexpected(program.error());
  subject.program = *program;
  return {};
}

// The recorded path, if the same build lies there; otherwise what lies there now, with a warning; otherwise the kept
// copy.
Result<void> use_recorded(Subject& subject) {
  const ManifestImage& recorded = subject.manifest.program;
  const auto now = read_program(recorded.path);
  if (!now) {
    if (!has_image(subject.folder.path / "image")) {
      return fail(
          ErrorCode::not_found,
          fmt::format("the program {} is gone and no copy was kept; give one with --program PATH", recorded.path));
    }
    subject.warnings.push_back(fmt::format("{} is gone; running the copy that the recording keeps", recorded.path));
    return use_image(subject);
  }
  subject.program = recorded.path;
  if (!recorded.build_id.empty() && now->build_id != recorded.build_id) {
    subject.is_other_build = true;
    subject.warnings.push_back(fmt::format(
        "{} is another build than the recorded one; going on with it (--image runs the recorded one)", recorded.path));
  }
  return {};
}

Result<void> restore_folder(Subject& subject) {
  std::error_code ignored;
  subject.working_folder = subject.manifest.directory;
  if (fs::is_directory(subject.working_folder, ignored)) return {};
  subject.warnings.push_back(fmt::format("the working folder {} is gone; running here", subject.manifest.directory));
  subject.working_folder.clear();
  return {};
}

// A replay reads as it goes; it must not find in its midst that there is nothing more to read.
Result<Log> open_whole(const fs::path& path) {
  auto log = Log::open(path);
  if (!log) return log;
  if (auto whole = log->check(); !whole) return tl::unexpected(whole.error());
  return log;
}

Result<void> open_processes(Subject& subject) {
  std::vector<std::string> names = processes_of(subject.folder);
  if (names.empty()) names.emplace_back();  // open_log says what is wrong
  for (const std::string& name : names) {
    auto opened = open_log(subject.folder, name);
    if (!opened) return tl::unexpected(opened.error());
    if (auto whole = opened->log.check(); !whole) return tl::unexpected(whole.error());
    if (opened->log.info().flags & recording::live_unsupported) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} cannot be replayed: {}", subject.folder.name(), opened->log.info().reason));
    }
    SubjectProcess process{opened->process, opened->log, {}};
    std::error_code ignored;
    if (const fs::path trace = subject.folder.trace(name); fs::exists(trace, ignored)) {
      auto log = open_whole(trace);
      if (!log) return tl::unexpected(log.error());
      process.trace = *log;
    }
    subject.processes.push_back(std::move(process));
  }
  return {};
}

}  // namespace

std::vector<std::string> processes_of(const Folder& folder) {
  std::vector<std::string> processes = folder.processes();
  const auto manifest = read_manifest(folder.manifest());
  if (!manifest || manifest->processes.empty()) return processes;
  const auto first = std::find(processes.begin(), processes.end(), manifest->processes.front());
  if (first != processes.end()) std::rotate(processes.begin(), first, first + 1);
  return processes;
}

Result<OpenedLog> open_log(const Folder& folder, std::string_view process, bool prefer_trace) {
  const std::vector<std::string> processes = processes_of(folder);
  if (processes.empty()) {
    return fail(ErrorCode::not_a_recording,
                fmt::format("{} holds no log: no gate was met; is the program linked with libreprise?", folder.name()));
  }
  const auto chosen = process.empty() ? processes.begin() : std::find(processes.begin(), processes.end(), process);
  if (chosen == processes.end()) {
    return fail(ErrorCode::usage, fmt::format("there is no process {} in {}; there are: {}", process, folder.name(),
                                              fmt::join(processes, " ")));
  }
  std::error_code ignored;
  const bool traced = prefer_trace && fs::exists(folder.trace(*chosen), ignored);
  auto log = Log::open(traced ? folder.trace(*chosen) : folder.best(*chosen));
  if (!log) return tl::unexpected(log.error());
  return OpenedLog{*chosen, *log};
}

const SubjectProcess* Subject::find(std::string_view name) const {
  for (const SubjectProcess& process : processes) {
    if (process.name == name) return &process;
  }
  return nullptr;
}

Result<Subject> prepare(const Folder& folder, const SubjectOptions& options) {
  auto manifest = read_manifest(folder.manifest());
  if (!manifest) return tl::unexpected(manifest.error());
  Subject subject{.processes = {},
                  .folder = folder,
                  .manifest = *manifest,
                  .program = {},
                  .arguments = manifest->command,
                  .environment = manifest->environment,
                  .working_folder = {},
                  .fixed_addresses = manifest->randomize_off,
                  .is_other_build = false,
                  .warnings = {},
                  .unpacked = {}};
  if (auto opened = open_processes(subject); !opened) return tl::unexpected(opened.error());
  if (auto restored = restore_folder(subject); !restored) return tl::unexpected(restored.error());
  auto found = !options.program.empty() ? use_program(subject, options.program)
               : options.image          ? use_image(subject)
                                        : use_recorded(subject);
  if (!found) return tl::unexpected(found.error());
  return subject;
}

}  // namespace reprise::drive
