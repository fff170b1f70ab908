#include "drive/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analyse/mcapi.h"
#include "analyse/sources.h"
#include "drive/image.h"
#include "drive/merge.h"
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

bool is_listed(const std::string& list, std::string_view name) {
  return fmt::format(",{},", list).find(fmt::format(",{},", name)) != std::string::npos;
}

// The process in which a party of this name was made.
const SubjectProcess* process_of_party(const Subject& subject, std::string_view party) {
  const std::string wanted = fmt::format("party {}", party);
  for (const SubjectProcess& process : subject.processes) {
    for (const recording::ThreadInfo& thread : process.log.threads()) {
      recording::StreamReader stream = process.log.stream(thread.index);
      while (auto event = stream.next()) {
        if (!*event) break;
        if ((*event)->kind == Kind::value && (*event)->name == wanted && (*event)->value.starts_with('+'))
          return &process;
      }
    }
  }
  return nullptr;
}

// The process in which an MCAPI node of this name (DOMAIN/NODE) was made.
const SubjectProcess* process_of_node(const Subject& subject, std::string_view node) {
  for (const SubjectProcess& process : subject.processes) {
    for (const analyse::McapiNode& each : analyse::mcapi_nodes(process.log)) {
      if (each.name() == node) return &process;
    }
  }
  return nullptr;
}

// Of the processes that were launched together, MCAPI nodes whose messages are in the recording need no other.
void leave_relatives_out(Subject& subject, const SubjectProcess& chosen) {
  if (chosen.name == recording::launched_as(chosen.name)) return;
  const auto nodes = analyse::mcapi_nodes(chosen.log);
  const auto has_data = [](const analyse::McapiNode& node) { return node.technique == analyse::McapiTechnique::data; };
  if (nodes.empty() || !std::all_of(nodes.begin(), nodes.end(), has_data)) return;
  subject.alone = chosen.name;
}

void append(std::string& list, std::string_view name) {
  if (is_listed(list, name)) return;
  if (!list.empty()) list += ',';
  list += name;
}

bool is_in_group(const std::string& group, const SubjectProcess& process) {
  if (is_listed(group, process.name) || is_listed(group, recording::launched_as(process.name))) return true;
  const auto nodes = analyse::mcapi_nodes(process.log);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const analyse::McapiNode& node) { return is_listed(group, node.name()); });
}

// Of MCAPI nodes that were recorded in groups: the one that `chosen` is in, with the processes that start it. Whoever
// is in no group is one of its own. False: these are none.
bool choose_group_of_nodes(Subject& subject, const SubjectProcess& chosen) {
  const auto nodes = analyse::mcapi_nodes(chosen.log);
  const auto is_grouped = [](const analyse::McapiNode& node) {
    return node.technique == analyse::McapiTechnique::groups;
  };
  if (std::none_of(nodes.begin(), nodes.end(), is_grouped)) return false;
  const auto& groups = subject.manifest.groups;
  const auto group =
      std::find_if(groups.begin(), groups.end(), [&](const std::string& each) { return is_in_group(each, chosen); });
  bool has_forked = false;
  std::string members;
  for (const SubjectProcess& process : subject.processes) {
    const auto own = analyse::mcapi_nodes(process.log);
    if (own.empty() || (group == groups.end() ? &process != &chosen : !is_in_group(*group, process))) continue;
    append(subject.only, recording::launched_as(process.name));
    append(members, process.name);
    has_forked = has_forked || process.name != recording::launched_as(process.name);
    for (const analyse::McapiNode& node : own) append(subject.nodes, node.name());
  }
  if (has_forked) subject.alone = members;
  return true;
}

bool is_left_out(const Subject& subject, std::string_view process) {
  if (!is_listed(subject.only, recording::launched_as(process))) return true;
  if (subject.alone.empty()) return false;
  for (std::string_view rest = subject.alone; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (recording::is_needed_for(rest.substr(0, end), process)) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

// --only: leaves the processes that are replayed, which are that one or its group.
Result<void> choose(Subject& subject, const std::string& only) {
  if (only.empty()) return {};
  const SubjectProcess* process = subject.find(only);
  if (process == nullptr) process = process_of_party(subject, only);
  if (process == nullptr) process = process_of_node(subject, only);
  if (process == nullptr) {
    return fail(ErrorCode::usage, fmt::format("there is no process, party or node {} in {}; reprise info lists them",
                                              only, subject.folder.name()));
  }
  const Manifest& manifest = subject.manifest;
  std::string launched(recording::launched_as(process->name));
  const auto is_line = [&](const ManifestLine& line) { return line.name == launched; };
  const bool is_launched = manifest.lines.empty() ? launched == manifest.processes.front()
                                                  : std::any_of(manifest.lines.begin(), manifest.lines.end(), is_line);
  if (!is_launched) return fail(ErrorCode::unsupported, fmt::format("{} cannot be started by itself", process->name));
  const bool has_data = manifest.level == "data";
  if (!has_data && choose_group_of_nodes(subject, *process)) {
    std::erase_if(subject.processes, [&](const SubjectProcess& other) { return is_left_out(subject, other.name); });
    return {};
  }
  if (!has_data) {
    const auto holds = [&](const std::string& group) { return is_listed(group, launched); };
    const auto group = std::find_if(manifest.groups.begin(), manifest.groups.end(), holds);
    if (group == manifest.groups.end()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} holds the order of messages, not what came from others: record it with --level data "
                              "(or --group) to replay {} alone",
                              subject.folder.name(), launched));
    }
    launched = *group;
  }
  subject.only = launched;
  leave_relatives_out(subject, *process);
  std::erase_if(subject.processes, [&](const SubjectProcess& other) { return is_left_out(subject, other.name); });
  return {};
}

// Where REPRISE_PEERS was set, others may have recorded the rest of this run.
Result<void> check_whole(const Subject& subject) {
  std::error_code ignored;
  const auto names_peers = [](const std::string& variable) { return variable.starts_with("REPRISE_PEERS="); };
  const std::vector<std::string>& environment = subject.manifest.environment;
  const bool has_hosts = std::any_of(environment.begin(), environment.end(), names_peers);
  if (!has_hosts || !subject.only.empty() || fs::exists(subject.folder.path / routes_name, ignored)) return {};
  for (const SubjectProcess& process : subject.processes) {
    std::set<std::string> others = analyse::found_processes(process.log);
    for (const analyse::MessageSource& source : analyse::message_sources(process.log))
      others.insert(source.from.process);
    for (const std::string& other : others) {
      if (subject.find(other) != nullptr) continue;
      return fail(
          ErrorCode::unsupported,
          fmt::format("{} is one part of a run on several hosts: process {} is not in it. Put the parts together "
                      "with reprise merge, or replay one process with --only (level data)",
                      subject.folder.name(), other));
    }
  }
  return {};
}

// A program as it was recorded, and where its copy is.
struct Recorded {
  const ManifestImage& program;
  const std::vector<ManifestImage>& libraries;
  fs::path image;
};

// The kept copy, unpacked. Its own libraries come first; libreprise is taken from where the tool's own lies.
Result<void> use_image(Subject& subject, const Recorded& recorded, SubjectLine& line) {
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  subject.unpacked.push_back(std::make_shared<ScratchFolder>(std::move(*scratch)));
  const fs::path target = subject.unpacked.back()->path() / "image";
  const std::string name = fs::path(recorded.program.path).filename().string();
  auto program = unpack_image(recorded.image, target, name);
  if (!program) return tl::unexpected(program.error());
  line.program = *program;
  std::error_code ignored;
  std::vector<fs::path> folders{target / "lib"};
  for (const ManifestImage& library : recorded.libraries) {
    if (library.image.empty()) folders.push_back(fs::path(library.path).parent_path());
  }
  folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "lib");
  prepend_library_path(line.environment, folders);
  return {};
}

Result<void> use_program(SubjectLine& line, const std::string& path) {
  auto program = find_program(path);
  if (!program) return tl::unexpected(program.error());
  line.program = *program;
  return {};
}

// The recorded path, if the same build lies there; otherwise what lies there now, with a warning; otherwise the kept
// copy.
Result<void> use_recorded(Subject& subject, const Recorded& recorded, SubjectLine& line) {
  const std::string& path = recorded.program.path;
  const auto now = read_program(path);
  if (!now) {
    if (!has_image(recorded.image)) {
      return fail(ErrorCode::not_found,
                  fmt::format("the program {} is gone and no copy was kept; give one with --program PATH", path));
    }
    subject.warnings.push_back(fmt::format("{} is gone; running the copy that the recording keeps", path));
    return use_image(subject, recorded, line);
  }
  line.program = path;
  if (!recorded.program.build_id.empty() && now->build_id != recorded.program.build_id) {
    subject.is_other_build = true;
    subject.warnings.push_back(fmt::format(
        "{} is another build than the recorded one; going on with it (--image runs the recorded one)", path));
  }
  return {};
}

// Where a program ran, or here.
fs::path restored_folder(Subject& subject, const std::string& directory) {
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return directory;
  const std::string warning = fmt::format("the working folder {} is gone; running here", directory);
  if (std::find(subject.warnings.begin(), subject.warnings.end(), warning) == subject.warnings.end())
    subject.warnings.push_back(warning);
  return {};
}

Result<void> add_line(Subject& subject, const SubjectOptions& options, const Recorded& recorded, SubjectLine line) {
  auto found = !options.program.empty() ? use_program(line, options.program)
               : options.image          ? use_image(subject, recorded, line)
                                        : use_recorded(subject, recorded, line);
  subject.lines.push_back(std::move(line));
  return found;
}

Result<void> add_lines(Subject& subject, const SubjectOptions& options) {
  const Manifest& manifest = subject.manifest;
  const fs::path image = subject.folder.path / "image";
  if (manifest.lines.empty()) {
    return add_line(subject, options, {manifest.program, manifest.libraries, image},
                    {.process = subject.processes.front().name,
                     .program = {},
                     .arguments = manifest.command,
                     .environment = manifest.environment,
                     .working_folder = restored_folder(subject, manifest.directory),
                     .end = manifest.end,
                     .end_code = manifest.end_code});
  }
  if (!options.program.empty() && (manifest.lines.size() > 1 && subject.only.empty()))
    return fail(ErrorCode::usage, "--program stands for one program; with several, use it with --only NAME");
  for (const ManifestLine& line : manifest.lines) {
    if (!subject.only.empty() && !is_listed(subject.only, line.name)) continue;
    auto added =
        add_line(subject, options, {line.program, line.libraries, image / line.name},
                 {.process = line.name,
                  .program = {},
                  .arguments = line.command,
                  .environment = line.part != 0 ? line.environment : manifest.environment,
                  .working_folder = restored_folder(subject, line.part != 0 ? line.directory : manifest.directory),
                  .part = line.part,
                  .end = line.end,
                  .end_code = line.end_code});
    if (!added) return added;
  }
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
    if (opened->log.info().is_dropped) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} is kept from its oldest checkpoint on only (--keep-checkpoints): reprise replay {} "
                              "--from-checkpoint",
                              subject.folder.name(), subject.folder.name()));
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
                  .lines = {},
                  .only = {},
                  .alone = {},
                  .nodes = {},
                  .folder = folder,
                  .manifest = *manifest,
                  .fixed_addresses = manifest->randomize_off,
                  .is_other_build = false,
                  .warnings = {},
                  .unpacked = {}};
  if (auto opened = open_processes(subject); !opened) return tl::unexpected(opened.error());
  if (auto chosen = choose(subject, options.only); !chosen) return tl::unexpected(chosen.error());
  if (auto whole = check_whole(subject); !whole) return tl::unexpected(whole.error());
  if (auto added = add_lines(subject, options); !added) return tl::unexpected(added.error());
  return subject;
}

}  // namespace reprise::drive
