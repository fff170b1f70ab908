#include "drive/record_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "drive/image.h"
#include "drive/live_view.h"
#include "drive/scratch.h"
#include "drive/subject.h"
#include "drive/version.h"
#include "recording/live.h"
#include "recording/log.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Folder;
using recording::Log;

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "unknown";
}

// Where the program and its libraries lie, and where their copies are kept.
void describe(const Target& target, const std::string& image, const RecordOptions& options, ManifestImage& program,
              std::vector<ManifestImage>& libraries) {
  const auto kept = [&](const std::string& file) { return options.keeps_image ? image + "/" + file : ""; };
  program = {target.path.string(), target.facts.build_id, kept("program.zst")};
  for (const Library& library : target.libraries.own) {
    const std::string name = fs::path(library.name).filename().string();
    libraries.push_back({library.path.string(), "", kept(fmt::format("lib/{}.zst", name))});
  }
  if (target.libraries.reprise.is_absolute()) libraries.push_back({target.libraries.reprise.string(), "", ""});
}

Manifest manifest_of(const Folder& folder, const Target& target, const RecordOptions& options,
                     const std::string& process) {
  std::error_code ignored;
  Manifest manifest;
  manifest.name = folder.name();
  manifest.created = now_utc();
  manifest.reprise_version = version;
  manifest.command = options.command;
  manifest.directory = fs::current_path(ignored).string();
  manifest.environment = environment();
  describe(target, "image", options, manifest.program, manifest.libraries);
  manifest.processes = {process};
  manifest.groups = options.groups;
  manifest.simulates_errors = options.simulates_errors;
  manifest.level = options.level;
  manifest.full = options.full;
  manifest.chaos = options.chaos;
  manifest.timeout_s = options.timeout_s;
  manifest.randomize_off = can_fix_addresses();
  manifest.host = host_name();
  return manifest;
}

std::vector<std::string> record_environment(const Folder& folder, const RecordOptions& options,
                                            const std::string& process, const fs::path& run_folder) {
  std::error_code ignored;
  std::vector<std::string> result = environment();
  const auto set = [&](std::string_view name, const std::string& value) {
    result.push_back(fmt::format("{}={}", name, value));
  };
  // An MCAPI program meets its own nodes only.
  if (std::getenv("MCAPI_RUN") == nullptr) set("MCAPI_RUN", "reprise-" + std::to_string(getpid()));
  if (!options.technique.empty()) set("MCAPI_TECHNIQUE", options.technique);
  set("REPRISE_LAUNCHED", "1");
  set("REPRISE_RECORD", fs::absolute(folder.path, ignored).string());
  set("REPRISE_PROCESS", process);
  set("REPRISE_RUN", run_folder.string());
  const std::string level = fmt::format("{}{}", options.full ? "full" : "", options.level == "data" ? ",data" : "");
  if (!level.empty()) set("REPRISE_LEVEL", level);
  if (!options.checkpoint.empty()) set("REPRISE_CHECKPOINT", options.checkpoint);
  if (options.chaos) set("REPRISE_CHAOS", std::to_string(*options.chaos));
  if (!options.favour.empty()) set("REPRISE_FAVOUR", options.favour);
  if (!options.delay.empty()) set("REPRISE_DELAY", options.delay);
  result.insert(result.end(), options.variables.begin(), options.variables.end());
  if (!options.groups.empty()) set("REPRISE_GROUPS", fmt::format("{}", fmt::join(options.groups, ";")));
  return result;
}

// Collects the output of a run and looks for a text in it, across the seams of the pieces.
class Listener {
 public:
  Listener(std::string wanted, RecordedRun& run) : wanted_(std::move(wanted)), run_(run) {}

  void hear(std::string_view bytes, bool error) {
    search(bytes, error ? tail_of_error_ : tail_of_output_);
    const std::size_t room = output_bytes_max - size_;
    if (bytes.size() > room) run_.output_cut = true;
    bytes = bytes.substr(0, room);
    size_ += bytes.size();
    if (bytes.empty()) return;
    if (run_.output.empty() || run_.output.back().error != error) run_.output.push_back({"", error});
    run_.output.back().bytes += bytes;
  }

 private:
  void search(std::string_view bytes, std::string& tail) {
    if (wanted_.empty() || run_.found_text) return;
    tail += bytes;
    run_.found_text = tail.find(wanted_) != std::string::npos;
    if (tail.size() >= wanted_.size()) tail.erase(0, tail.size() - wanted_.size() + 1);
  }

  std::string wanted_;
  RecordedRun& run_;
  std::string tail_of_output_;
  std::string tail_of_error_;
  std::size_t size_{0};
};

// Waits for the end; at the time limit says so in the manifest before it kills.
void wait_for(Child& child, const Folder& folder, Manifest& manifest) {
  const auto limit = std::chrono::duration<double>(manifest.timeout_s.value_or(0));
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  while (!child.ended()) {
    child.wait_until(manifest.timeout_s ? deadline : Clock::now() + std::chrono::hours(1));
    if (child.ended() || !manifest.timeout_s || Clock::now() < deadline) continue;
    manifest.end = ManifestEnd::time_limit;
    manifest.end_code = SIGKILL;
    (void)write_manifest(folder.manifest(), manifest);
    child.kill();
  }
}

void note_end(const Child& child, Manifest& manifest) {
  const Ended& ended = *child.ended();
  manifest.end_code = ended.code;
  if (manifest.end == ManifestEnd::time_limit && ended.signalled) return;
  const bool interrupted = child.interrupted() != 0 && ended.signalled && ended.code == child.interrupted();
  manifest.end = interrupted ? ManifestEnd::interrupted : ended.signalled ? ManifestEnd::signal : ManifestEnd::exit;
}

// A process that the program started may outlive it. Its log stays live.
bool is_running(const fs::path& live) {
  LiveView view(live);
  return view.look() && view.pid() > 0 && kill(view.pid(), 0) == 0;
}

// Live logs become sealed ones; a live log that cannot be sealed stays.
Result<void> seal_all(const Folder& folder, Manifest& manifest) {
  std::error_code ignored;
  const std::vector<std::string> processes = processes_of(folder);
  manifest.gates_met = !processes.empty();
  if (!processes.empty()) manifest.processes = processes;
  Result<void> all;
  for (const std::string& process : processes) {
    if (!fs::exists(folder.live(process), ignored) || is_running(folder.live(process))) continue;
    if (const auto log = Log::open(folder.live(process)); log && log->info().is_pieced) continue;
    auto sealed = recording::seal(folder.live(process), folder.log(process));
    if (sealed) fs::remove(folder.live(process), ignored);
    if (!sealed && all) all = std::move(sealed);
  }
  return all;
}

Result<void> count(const Folder& folder, const std::string& process, RecordedRun& run) {
  const fs::path path = folder.best(process);
  auto log = Log::open(path);
  if (!log) return tl::unexpected(log.error());
  std::error_code ignored;
  struct stat facts {};
  const bool is_sparse = log->info().is_dropped && stat(path.c_str(), &facts) == 0;
  run.bytes += is_sparse ? static_cast<std::uint64_t>(facts.st_blocks) * 512 : fs::file_size(path, ignored);
  const recording::LogInfo& info = log->info();
  run.is_dropped = run.is_dropped || info.is_dropped;
  if (info.flags & recording::live_unsupported) run.unsupported = info.reason;
  if (info.flags & recording::live_no_space)
    run.incomplete = "the disk was full; the recording ends there, the program went on";
  run.threads += log->threads().size();
  for (const recording::ThreadInfo& thread : log->threads()) {
    run.steps += thread.steps;
    recording::StreamReader stream = log->stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      ++run.written;
    }
  }
  return {};
}

// The program has run and its end stands, whatever becomes of its recording now: what goes wrong is told beside it.
void finish(const Folder& folder, Manifest& manifest, RecordedRun& run) {
  const auto note = [&run](const Result<void>& done) {
    if (!done && run.unfinished.empty()) run.unfinished = done.error().message;
  };
  note(seal_all(folder, manifest));
  std::error_code ignored;
  fs::remove(folder.path / "outputs.order", ignored);  // what the processes wrote in turns with
  note(write_manifest(folder.manifest(), manifest));
  run.gates_met = manifest.gates_met;
  if (!run.gates_met) return;
  for (const std::string& process : manifest.processes) note(count(folder, process, run));
}

}  // namespace

std::string valid_name(std::string_view text) {
  std::string name(text.substr(0, recording::name_bytes_max));
  for (char& letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool allowed = byte < 0x80 && (std::isalnum(byte) != 0 || letter == '.' || letter == '_' || letter == '-');
    if (!allowed) letter = '_';
  }
  if (!name.empty() && (name[0] == '.' || name[0] == '-')) name[0] = '_';
  return name.empty() ? "program" : name;
}

Result<Target> find_target(const std::vector<std::string>& command) {
  auto path = find_program(command.front());
  if (!path) return tl::unexpected(path.error());
  auto facts = read_program(*path);
  if (!facts) return tl::unexpected(facts.error());
  Libraries libraries = find_libraries(*path, *facts);
  return Target{*path, std::move(*facts), std::move(libraries)};
}

Result<RecordedRun> record_once(const Folder& folder, const Target& target, const RecordOptions& options,
                                Interrupts& interrupts) {
  const std::string process = options.process.empty() ? valid_name(target.path.filename().string()) : options.process;
  Manifest manifest = manifest_of(folder, target, options, process);
  if (options.keeps_image) {
    auto kept = keep_image(folder.path / "image", target.path, target.libraries.own);
    if (!kept) return tl::unexpected(kept.error());
  }
  auto written = write_manifest(folder.manifest(), manifest, !options.only_failures);
  if (!written) return tl::unexpected(written.error());
  auto run_folder = ScratchFolder::create();
  if (!run_folder) return tl::unexpected(run_folder.error());
  RecordedRun run;
  Listener listener(options.grep, run);
  Launch launch{.program = target.path,
                .arguments = options.command,
                .environment = record_environment(folder, options, process, run_folder->path()),
                .folder = {},
                .fixed_addresses = manifest.randomize_off,
                .silent = false,
                .output_to_error = options.output_to_error,
                .dies_with_us = false,
                .captured = options.captured || !options.grep.empty()};
  auto child =
      Child::start(launch, interrupts, [&](std::string_view bytes, bool error) { listener.hear(bytes, error); });
  if (!child) return tl::unexpected(child.error());
  wait_for(*child, folder, manifest);
  note_end(*child, manifest);
  run.ended = *child->ended();
  run.how = manifest.end;
  if (options.only_failures && !run.failed()) return run;
  finish(folder, manifest, run);
  return run;
}

namespace {

bool is_service(const RecordOptions& options, const std::string& name) {
  return std::find(options.services.begin(), options.services.end(), name) != options.services.end();
}

// The programs of a system while they run.
class System {
 public:
  System(const Folder& folder, Manifest& manifest) : folder_(folder), manifest_(manifest) {}

  Result<void> start(const std::vector<TargetLine>& lines, const RecordOptions& options, const fs::path& run_folder,
                     Interrupts& interrupts) {
    for (const TargetLine& line : lines) {
      Launch launch{.program = line.target.path,
                    .arguments = line.line.command,
                    .environment = record_environment(folder_, options, line.line.name, run_folder),
                    .folder = {},
                    .fixed_addresses = manifest_.randomize_off,
                    .silent = options.silent,
                    .output_to_error = options.output_to_error,
                    .dies_with_us = options.is_over != nullptr,
                    .captured = false};
      auto child = Child::start(launch, interrupts);
      if (!child) return tl::unexpected(child.error());
      children_.push_back(std::move(*child));
    }
    return {};
  }

  void run(const RecordOptions& options) {
    const auto limit = std::chrono::duration<double>(manifest_.timeout_s.value_or(0));
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    while (!has_ended(false)) {
      look();
      if (options.is_over && options.is_over(running())) Child::kill_all(children_);
      if (!manifest_.timeout_s || Clock::now() < deadline) continue;
      manifest_.end = ManifestEnd::time_limit;
      Child::kill_all(children_);
    }
    stop_services();
  }

  // How each line ended; the first failure among them is how the system did.
  Ended note_ends() {
    Ended first{};
    for (std::size_t i = 0; i < children_.size(); ++i) {
      ManifestLine& line = manifest_.lines[i];
      const Ended& ended = *children_[i].ended();
      line.end = ended.signalled ? ManifestEnd::signal : ManifestEnd::exit;
      line.end_code = ended.code;
      if (!line.service && first == Ended{}) first = ended;
    }
    if (manifest_.end == ManifestEnd::unknown)
      manifest_.end = interrupted_ != 0 ? ManifestEnd::interrupted
                      : first.signalled ? ManifestEnd::signal
                                        : ManifestEnd::exit;
    manifest_.end_code = first.code;
    return first;
  }

 private:
  // One after the other for a moment each; a signal to one of us goes to all.
  void look() {
    for (Child& child : children_) {
      if (child.ended()) continue;
      child.wait_until(Clock::now() + std::chrono::milliseconds(2));
      if (child.interrupted() == 0 || interrupted_ != 0) continue;
      interrupted_ = child.interrupted();
      for (Child& other : children_) {
        if (&other != &child && !other.ended()) ::kill(other.pid(), interrupted_);
      }
    }
  }
  std::vector<pid_t> running() const {
    std::vector<pid_t> pids;
    for (const Child& child : children_) {
      if (!child.ended()) pids.push_back(child.pid());
    }
    return pids;
  }
  bool has_ended(bool with_services) const {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (!children_[i].ended() && (with_services || !manifest_.lines[i].service)) return false;
    }
    return true;
  }
  void stop_services() {
    constexpr auto patience = std::chrono::seconds(5);
    for (Child& child : children_) {
      if (!child.ended()) ::kill(child.pid(), SIGTERM);
    }
    const auto deadline = Clock::now() + patience;
    while (!has_ended(true) && Clock::now() < deadline) look();
    Child::kill_all(children_);
  }

  const Folder& folder_;
  Manifest& manifest_;
  std::vector<Child> children_;
  int interrupted_{0};
};

}  // namespace

Result<RecordedRun> record_system(const Folder& folder, const std::vector<TargetLine>& lines,
                                  const RecordOptions& options, Interrupts& interrupts) {
  Manifest manifest = manifest_of(folder, lines.front().target, options, lines.front().line.name);
  manifest.program.image.clear();  // the lines say where
  manifest.libraries.clear();
  for (const TargetLine& line : lines) {
    ManifestLine& kept = manifest.lines.emplace_back();
    kept.name = line.line.name;
    kept.command = line.line.command;
    kept.service = is_service(options, kept.name);
    const std::string image = "image/" + kept.name;
    describe(line.target, image, options, kept.program, kept.libraries);
    if (!options.keeps_image) continue;
    std::error_code ignored;
    fs::create_directory(folder.path / "image", ignored);
    auto done = keep_image(folder.path / image, line.target.path, line.target.libraries.own);
    if (!done) return tl::unexpected(done.error());
  }
  if (auto written = write_manifest(folder.manifest(), manifest); !written) return tl::unexpected(written.error());
  auto run_folder = ScratchFolder::create();
  if (!run_folder) return tl::unexpected(run_folder.error());
  System system(folder, manifest);
  if (auto started = system.start(lines, options, run_folder->path(), interrupts); !started)
    return tl::unexpected(started.error());
  system.run(options);
  RecordedRun run;
  run.ended = system.note_ends();
  run.how = manifest.end;
  finish(folder, manifest, run);
  return run;
}

void forget_run(const Folder& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path, ignored)) {
    if (entry.path().filename() == "image" || entry.path().filename() == recording::manifest_name) continue;
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace reprise::drive
