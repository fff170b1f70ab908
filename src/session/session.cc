// The one place that picks what stands behind the gate of this process. Linked, never included.
//
// The environment says it, and is consumed so that children do not inherit it:
//   REPRISE_RECORD=folder   record into it            REPRISE_REPLAY=folder     replay it
//   REPRISE_PROCESS=name    this process's name       REPRISE_SCRATCH=folder    where a replay notes how far it is
//   REPRISE_LEVEL=full,data write every event; keep contents       REPRISE_TRACE=1           the same, on replay
//   REPRISE_CHAOS=seed      yield at random           REPRISE_THEN=live         go on after the recorded end
//   REPRISE_FAVOUR=first|last   the adversary         REPRISE_LAUNCHED=1        `reprise` watches and reports
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "gate/free.h"
#include "gate/perturb.h"
#include "record/recorder.h"
#include "recording/live.h"
#include "recording/log.h"
#include "replay/replayer.h"
#include "session/ends.h"
#include "session/manifest.h"

namespace reprise::session {
namespace {

namespace perturb = gate::perturb;

constexpr int exit_own_failure = 125;

record::Recorder* recorder = nullptr;
replay::Replayer* replayer = nullptr;

std::optional<std::string> take(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::string value = text;
  unsetenv(name);
  return value;
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "reprise: %s\n", why.c_str());
  _exit(exit_own_failure);
}

std::string own_process_name() {
  std::error_code error;
  std::string name = std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
  for (char& c : name) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!fine) c = '_';
  }
  return name.empty() ? "main" : name.substr(0, 64);
}

perturb::Options wanted_perturbation() {
  perturb::Options options;
  if (const auto seed = take("REPRISE_CHAOS")) options.chaos_seed = std::strtoull(seed->c_str(), nullptr, 10);
  const auto favour = take("REPRISE_FAVOUR");
  if (favour == "first") options.favour = perturb::Favour::first;
  if (favour == "last") options.favour = perturb::Favour::last;
  return options;
}

void abandon_in_child() {
  if (recorder != nullptr) recorder->abandon_in_child();
  if (replayer != nullptr) replayer->abandon_in_child();
}

void start_recording(const std::filesystem::path& folder, const std::string& process, bool launched) {
  const std::string level = take("REPRISE_LEVEL").value_or("");  // "full", "data" or both, with a comma
  const bool full = level.find("full") != std::string::npos;
  const bool contents = level.find("data") != std::string::npos;
  if (!launched) {
    if (auto made = make_folder(folder, process); !made) give_up(made.error().message);
  }
  auto live = recording::Live::create(folder / (process + ".live"));
  if (!live) give_up(live.error().message);
  recorder = new record::Recorder(**live, {.full = full, .contents = contents, .perturbed = perturb::active()});
  gate::installed = recorder;
  recorder->start_main();
}

Result<recording::Log> open_log(const std::filesystem::path& folder, const std::string& process) {
  std::error_code error;
  for (const char* suffix : {".trace", ".log", ".live"}) {
    const std::filesystem::path path = folder / (process + suffix);
    if (std::filesystem::exists(path, error)) return recording::Log::open(path);
  }
  return fail(ErrorCode::not_found, "no log of process " + process + " in " + folder.string());
}

void start_replay(const std::filesystem::path& folder, const std::string& process, bool launched) {
  const replay::Options options{
      .trace = take("REPRISE_TRACE").has_value(), .then_live = take("REPRISE_THEN") == "live", .launched = launched};
  auto log = open_log(folder, process);
  if (!log) give_up(log.error().message);
  std::string scratch_folder = take("REPRISE_SCRATCH").value_or("");
  std::string own_scratch = "/tmp/reprise-replay-XXXXXX";
  if (scratch_folder.empty()) {
    if (mkdtemp(own_scratch.data()) == nullptr) give_up("cannot make a folder for the replay's notes in /tmp");
    scratch_folder = own_scratch;
  }
  const std::filesystem::path scratch_path = std::filesystem::path(scratch_folder) / (process + ".live");
  auto scratch = recording::Live::create(scratch_path);
  if (!scratch) give_up(scratch.error().message);
  if (scratch_folder == own_scratch) {
    // Nobody will look at it: it lives as long as it is mapped.
    unlink(scratch_path.c_str());
    rmdir(own_scratch.c_str());
  }
  replayer = new replay::Replayer(*log, **scratch, options);
  gate::installed = replayer;
  replayer->start_main();
}

// Runs before the program's own constructors: libraries are initialised before what depends on them.
[[gnu::constructor]] void start() {
  const auto record_folder = take("REPRISE_RECORD");
  const auto replay_folder = take("REPRISE_REPLAY");
  const std::string process = take("REPRISE_PROCESS").value_or(own_process_name());
  const bool launched = take("REPRISE_LAUNCHED").has_value();
  const perturb::Options perturbation = wanted_perturbation();
  perturb::configure(perturbation);
  if (record_folder) {
    start_recording(*record_folder, process, launched);
  } else if (replay_folder) {
    start_replay(*replay_folder, process, launched);
  } else if (perturbation.any()) {
    auto* free = new gate::Free;
    gate::installed = free;
    free->started(*free->main());
    return;
  } else {
    return;
  }
  watch_ends();
  pthread_atfork(nullptr, nullptr, abandon_in_child);
}

}  // namespace
}  // namespace reprise::session
