// The one place that picks what stands behind the gate of this process.
#include "session/session.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "gate/free.h"
#include "gate/run_order.h"
#include "record/inputs.h"
#include "record/steer.h"
#include "recording/folder.h"
#include "recording/live.h"
#include "recording/log.h"
#include "session/checkpoint.h"
#include "session/ends.h"
#include "session/manifest.h"
#include "session/place.h"

namespace reprise::session {
namespace {

constexpr int exit_own_failure = 125;
constexpr int incarnations_max = 10000;

Session* the_session = nullptr;  // never destroyed

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "reprise: %s\n", why.c_str());
  for (;;) syscall(SYS_exit_group, exit_own_failure);
}

// What others know this process by. Not freed: somebody may just be reading the one before.
void tell_name(const Settings& settings) { gate::process_name = strdup(settings.process.c_str()); }

// A process that starts again under its name is its next incarnation: server, server#2, ...
Result<recording::Live*> create_live(const std::string& folder, std::string& process) {
  std::error_code error;
  const std::filesystem::path base(folder);
  for (int incarnation = 1; incarnation <= incarnations_max; ++incarnation) {
    const std::string name = incarnation == 1 ? process : process + "#" + std::to_string(incarnation);
    if (std::filesystem::exists(base / (name + ".live"), error) ||
        std::filesystem::exists(base / (name + ".log"), error))
      continue;
    auto live = recording::Live::create(base / (name + ".live"));
    if (!live && errno == EEXIST) continue;
    if (live) process = name;
    return live;
  }
  return fail(ErrorCode::io, "process " + process + " was started too often into " + folder);
}

Result<recording::Log> open_log(const std::string& folder, const std::string& process) {
  std::error_code error;
  for (const char* suffix : {".trace", ".log", ".live"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / (process + suffix);
    if (std::filesystem::exists(path, error)) return recording::Log::open(path);
  }
  return fail(ErrorCode::not_found, "no log of process " + process + " in " + folder);
}

// Only a launcher makes a run of several processes; where some are left out nobody waits for them.
void join_run(const Settings& settings) {
  if (!settings.launched || !settings.only.empty()) return;
  const std::string& replayed = settings.outputs.empty() ? settings.scratch : settings.outputs;
  gate::run_order::join(settings.mode == Mode::record ? settings.folder : replayed);
}

record::Steer* steer_of(const Settings& settings) {
  return settings.steer.empty() ? nullptr : new record::Steer(settings.steer, settings.process);
}

void start_recording(Session& self) {
  Settings& settings = self.settings;
  if (!settings.launched) {
    if (auto made = make_folder(settings.folder, settings.process); !made) give_up(made.error().message);
    std::error_code error;
    settings.folder = std::filesystem::absolute(settings.folder, error).string();
  }
  auto live = create_live(settings.folder, settings.process);
  if (!live) give_up(live.error().message);
  join_run(settings);
  const bool perturbed = settings.perturbation().any();
  self.checkpoints = Maker::start(settings.checkpoint);
  if (self.checkpoints != nullptr) (*live)->keep_track();
  self.recorder = new record::Recorder(
      **live,
      {.full = settings.full,
       .contents = settings.contents,
       .perturbed = perturbed,
       .checkpoints = self.checkpoints,
       .inputs = settings.inputs.empty() ? nullptr : record::Inputs::open(settings.inputs, settings.process).release(),
       .steer = steer_of(settings)});
  gate::installed = self.recorder;
  self.recorder->start_main();
}

// Without a launcher nobody looks at a replay's notes: they live as long as they are mapped.
recording::Live* unwatched_scratch(const std::string& process) {
  std::string folder = (std::filesystem::temp_directory_path() / "reprise-replay-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) give_up("cannot make a folder for the replay's notes in " + folder);
  const std::filesystem::path path = std::filesystem::path(folder) / (process + ".live");
  auto scratch = recording::Live::create(path);
  unlink(path.c_str());
  rmdir(folder.c_str());
  if (!scratch) give_up(scratch.error().message);
  return *scratch;
}

recording::Live* make_scratch(Settings& settings) {
  if (settings.scratch.empty()) return unwatched_scratch(settings.process);
  auto scratch = create_live(settings.scratch, settings.process);
  if (!scratch) give_up(scratch.error().message);
  return *scratch;
}

// What `reprise merge` left for a replay is found also without the tool.
void find_routes(Settings& settings) {
  std::error_code error;
  const std::filesystem::path routes = std::filesystem::absolute(settings.folder, error) / "routes";
  if (!settings.routes.empty() || !std::filesystem::exists(routes, error)) return;
  settings.routes = routes.string();
  setenv("REPRISE_ROUTES", settings.routes.c_str(), 1);
}

void start_replay(Session& self) {
  find_routes(self.settings);
  self.replayer = replayer_of(self);
  gate::installed = self.replayer;
  self.replayer->start_main();
}

// Runs before the program's own constructors: libraries are initialised before what depends on them.
[[gnu::constructor]] void start(int, char** arguments, char**) {
  stand_first(arguments);
  Settings settings = take_settings();
  gate::perturb::configure(settings.perturbation());
  tell_name(settings);
  if (settings.mode == Mode::off) return;
  the_session = new Session{.settings = std::move(settings)};
  switch (the_session->settings.mode) {
    case Mode::off:
      return;
    case Mode::free: {
      auto* free = new gate::Free;
      gate::installed = free;
      free->started(*free->main());
      return;
    }
    case Mode::record:
      start_recording(*the_session);
      break;
    case Mode::replay:
      start_replay(*the_session);
      break;
  }
  tell_name(the_session->settings);
  watch_ends();
}

}  // namespace

Session* session() { return the_session; }

bool is_left_out(const std::string& name) {
  const Settings& settings = the_session->settings;
  if (settings.mode != Mode::replay || settings.alone.empty()) return false;
  for (std::string_view rest = settings.alone; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (recording::is_needed_for(rest.substr(0, end), name)) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

void end_as_recorded(const std::string& name) {
  recording::LogInfo info{};
  info.end_kind = recording::EndKind::exited;  // nothing is known of it
  std::string image = name;
  for (int number = 2;; ++number) {
    const auto log = open_log(the_session->settings.folder, image);
    if (!log) break;
    info = log->info();
    if (info.end_kind != recording::EndKind::replaced) break;
    image = name + ".exec" + std::to_string(number);
  }
  const bool exited = info.end_kind == recording::EndKind::exited || info.end_kind == recording::EndKind::replaced;
  if (!exited) {
    const int number = info.end_kind == recording::EndKind::signalled ? info.end_code : SIGKILL;
    std::signal(number, SIG_DFL);
    kill(getpid(), number);
  }
  for (;;) syscall(SYS_exit_group, info.end_code);
}

replay::Replayer* replayer_of(Session& self) {
  Settings& settings = self.settings;
  recording::Live* scratch = make_scratch(settings);
  join_run(settings);
  auto log = open_log(settings.folder, settings.process);
  if (!log) give_up(log.error().message);
  return new replay::Replayer(
      *log, *scratch, {.trace = settings.trace, .then_live = settings.then_live, .launched = settings.launched});
}

void continue_in_child(const std::string& name, const gate::Slot& forked) {
  Session& self = *the_session;
  self.settings.process = name;
  join_run(self.settings);
  if (self.settings.mode == Mode::record) {
    auto live = create_live(self.settings.folder, self.settings.process);
    if (!live) give_up(live.error().message);
    if (self.checkpoints != nullptr) {
      self.checkpoints->forget();
      (*live)->keep_track();
    }
    self.recorder->continue_in_child(**live, forked, steer_of(self.settings));
  } else if (self.settings.mode == Mode::replay) {
    recording::Live* scratch = make_scratch(self.settings);
    auto log = open_log(self.settings.folder, self.settings.process);
    if (!log) give_up(log.error().message);
    self.replayer->continue_in_child(*log, *scratch, forked);
  }
  tell_name(self.settings);
}

}  // namespace reprise::session
