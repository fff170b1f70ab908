// reprise record -- PROGRAM - runs a program and records what its threads decide.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/new_recording.h"
#include "drive/profile.h"
#include "drive/record_run.h"
#include "recording/checkpoint.h"
#include "recording/folder.h"

namespace reprise::drive::cli {
namespace {

namespace fs = std::filesystem;
using recording::Folder;

RecordOptions options_of(const Arguments& arguments) {
  RecordOptions options;
  options.command = arguments.program;
  options.process = arguments.process;
  if (!arguments.level.empty()) options.level = arguments.level;
  options.technique = arguments.technique;
  if (options.technique == "data") options.level = "data";
  if (!arguments.checkpoint.empty()) {
    options.checkpoint = fmt::format("{}:{}", arguments.checkpoint, arguments.keep_checkpoints.value_or(3));
    if (arguments.keep_checkpoints) options.checkpoint += ":drop";
    options.level = "data";  // what others did is in the log, or there is no going on without them
  }
  options.full = arguments.full;
  options.keeps_image = !arguments.no_image;
  options.only_failures = arguments.until_failure.has_value();
  options.captured = arguments.until_failure.has_value();
  options.output_to_error = arguments.json;
  options.timeout_s = arguments.timeout_s;
  options.chaos = arguments.chaos;
  options.favour = arguments.favour;
  options.grep = arguments.grep;
  options.delay = arguments.delay;
  options.services = arguments.services;
  options.groups = arguments.groups;
  options.simulates_errors = arguments.exceptions != "trace-only";
  return options;
}

void show_output(const RecordedRun& run, bool json, Console& console) {
  for (const Piece& piece : run.output) {
    std::FILE* file = piece.error || json ? stderr : stdout;
    std::fwrite(piece.bytes.data(), 1, piece.bytes.size(), file);
    std::fflush(file);
  }
  if (run.output_cut) console.note(fmt::format("the output was cut after {}", analyse::human_bytes(output_bytes_max)));
}

void tell(const Folder& folder, const RecordedRun& run, const Arguments& arguments, Console& console) {
  if (run.how == ManifestEnd::time_limit)
    console.note(fmt::format("the time limit of {:g} s ended the program", arguments.timeout_s.value_or(0)));
  if (!run.gates_met && run.ended.exit_code() == own_failure) return;  // refused by the runtime, which has said why
  if (!run.unfinished.empty())
    console.note(fmt::format("the recording {} could not be finished: {}", folder.name(), run.unfinished));
  if (!run.gates_met && !run.unfinished.empty()) return;
  if (!run.gates_met) {
    console.note(fmt::format("recorded {}, but no gate was met; is {} linked with libreprise?", folder.name(),
                             arguments.program.empty() ? "any of the programs" : arguments.program.front()));
    return;
  }
  if (!run.incomplete.empty()) console.note(run.incomplete);
  if (!run.unsupported.empty()) {
    console.note(fmt::format("recorded {}, but it cannot be replayed: {}", folder.name(), run.unsupported));
    return;
  }
  console.note(fmt::format("recorded {} ({}, {}, {} written, {}); replay it with: reprise replay {}{}", folder.name(),
                           analyse::counted(run.threads, "thread"), analyse::counted(run.steps, "step"),
                           analyse::grouped(run.written), analyse::human_bytes(run.bytes), folder.name(),
                           run.is_dropped ? " --from-checkpoint" : ""));
  if (arguments.checkpoint.empty()) return;
  const auto standing = recording::list_checkpoints(folder.path);
  console.note(
      standing.empty()
          ? "no checkpoint was made"
          : fmt::format("{}: reprise replay {} --from-checkpoint goes on from the last, reprise clean {} ends them",
                        analyse::counted(standing.size(), "checkpoint"), folder.name(), folder.name()));
}

void print_facts(const Folder& folder, const RecordedRun& run, std::uint64_t runs, Console& console) {
  console.print_json(Json::object({{"name", folder.name()},
                                   {"path", folder.path.string()},
                                   {"end", std::string(name(run.how))},
                                   {"code", run.ended.code},
                                   {"failed", run.failed()},
                                   {"gates_met", run.gates_met},
                                   {"unfinished", run.unfinished},
                                   {"runs", runs},
                                   {"threads", run.threads},
                                   {"steps", run.steps},
                                   {"written", run.written},
                                   {"bytes", run.bytes}}));
}

// Ours are 125, so that they are not taken for the program's; but a wrong command line stays 2, also for record.
int own_fault(const Error& error, Console& console) {
  const ExitCode code = console.fail(error);
  return code == usage ? usage : own_failure;
}

class Loop {
 public:
  Loop(const Arguments& arguments, const Target& target, const Folder& folder, Console& console)
      : arguments_(arguments), target_(target), folder_(folder), console_(console) {}

  int run() {
    const std::uint64_t runs = *arguments_.until_failure;
    const auto start = Clock::now();
    Interrupts interrupts;
    for (std::uint64_t i = 0; i < runs; ++i) {
      if (Clock::now() - start > std::chrono::seconds(2))
        console_.progress(fmt::format("run {} of {}, none failed yet", i + 1, runs));
      RecordOptions options = options_of(arguments_);
      if (options.chaos) *options.chaos += i;
      auto run = record_once(folder_, target_, options, interrupts);
      if (!run) {
        if (folder_.processes().empty()) (void)recording::remove_folder(folder_);
        return own_fault(run.error(), console_);
      }
      if (run->how == ManifestEnd::interrupted) return stop(*run, i + 1);
      if (run->failed()) return keep(*run, i + 1);
      forget_run(folder_);
    }
    (void)recording::remove_folder(folder_);
    console_.note(fmt::format("{}, none failed; nothing was kept", analyse::counted(runs, "run")));
    if (arguments_.json) console_.print_json(Json::object({{"failed", false}, {"runs", runs}}));
    return done;
  }

 private:
  int keep(const RecordedRun& run, std::uint64_t count) {
    show_output(run, arguments_.json, console_);
    console_.note(fmt::format("run {} of {} failed: {}", count, *arguments_.until_failure, reason(run)));
    tell(folder_, run, arguments_, console_);
    if (arguments_.json) print_facts(folder_, run, count, console_);
    return run.ended.exit_code();
  }
  int stop(const RecordedRun& run, std::uint64_t count) {
    (void)recording::remove_folder(folder_);
    console_.note(fmt::format("interrupted in run {}; nothing was kept", count));
    return run.ended.exit_code();
  }
  std::string reason(const RecordedRun& run) const {
    if (run.how == ManifestEnd::time_limit) return "time limit";
    if (run.ended.signalled) return analyse::signal_name(run.ended.code);
    if (run.ended.code != 0) return fmt::format("exit code {}", run.ended.code);
    return fmt::format("\"{}\" in its output", arguments_.grep);
  }

  const Arguments& arguments_;
  const Target& target_;
  const Folder& folder_;
  Console& console_;
};

bool is_valid_interval(std::string_view text) {
  if (text.empty()) return true;
  if (text.ends_with('s')) text.remove_suffix(1);
  return !text.empty() && text.size() <= 15 && text.front() != '0' &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A system: every program is found before any is started.
Result<std::vector<TargetLine>> find_lines(const Arguments& arguments) {
  auto lines = read_procfile(arguments.procfile);
  if (!lines) return tl::unexpected(lines.error());
  std::vector<TargetLine> found;
  for (Line& line : *lines) {
    auto target = find_target(line.command);
    if (!target) return fail(target.error().code, fmt::format("{}: {}", line.name, target.error().message));
    found.push_back({std::move(line), std::move(*target)});
  }
  std::vector<std::string> named = arguments.services;
  for (const std::string& group : arguments.groups) {
    for (std::string_view rest = group; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      named.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const std::string& name : named) {
    const auto is_it = [&name](const TargetLine& line) { return line.line.name == name; };
    if (name.find('/') != std::string::npos) continue;  // an MCAPI node
    if (std::any_of(found.begin(), found.end(), is_it)) continue;
    return fail(ErrorCode::usage, fmt::format("there is no line {} in {}", name, arguments.procfile));
  }
  const auto is_service = [&](const TargetLine& line) {
    return std::find(arguments.services.begin(), arguments.services.end(), line.line.name) != arguments.services.end();
  };
  if (std::all_of(found.begin(), found.end(), is_service))
    return fail(ErrorCode::usage, "every line is a --service: nothing would ever end");
  return found;
}

int run_system(const Arguments& arguments, Console& console) {
  if (arguments.until_failure || !arguments.process.empty())
    return console.fail({ErrorCode::usage, "-f goes with neither --until-failure nor --process"});
  auto lines = find_lines(arguments);
  if (!lines) return own_fault(lines.error(), console);
  auto folder = new_recording(arguments, lines->front().target.path.filename().string());
  if (!folder) return own_fault(folder.error(), console);
  RecordOptions options = options_of(arguments);
  options.command = {"-f", arguments.procfile};
  Interrupts interrupts;
  auto run = record_system(*folder, *lines, options, interrupts);
  if (!run) {
    if (folder->processes().empty()) (void)recording::remove_folder(*folder);
    return own_fault(run.error(), console);
  }
  tell(*folder, *run, arguments, console);
  if (arguments.json) print_facts(*folder, *run, 1, console);
  return run->ended.exit_code();
}

}  // namespace

int run_record(const Arguments& arguments, Console& console) {
  if (!is_valid_interval(arguments.checkpoint))
    return console.fail({ErrorCode::usage, "--checkpoint takes a number of events, or of seconds with an s: 1000, 5s"});
  if (arguments.keep_checkpoints && arguments.checkpoint.empty())
    return console.fail({ErrorCode::usage, "--keep-checkpoints says how many are kept; it needs --checkpoint N"});
  if (!arguments.grep.empty() && !arguments.until_failure) {
    return console.fail({ErrorCode::usage, "--grep says what a failure is; it needs --until-failure N"});
  }
  if (!arguments.process.empty() && !recording::is_valid_name(arguments.process)) {
    return console.fail({ErrorCode::usage, fmt::format("{} is no name for a process", arguments.process)});
  }
  if (!arguments.groups.empty() && arguments.technique == "sender")
    return console.fail({ErrorCode::usage, "--technique sender orders all nodes; it goes with no --group"});
  if (!arguments.groups.empty() && !arguments.mcapi.empty()) {
    return console.fail({ErrorCode::unsupported,
                         "groups of nodes are recorded with reprise's own MCAPI library only; --technique data records "
                         "what each node needs to be replayed alone"});
  }
  setenv("MCAPI_INPUTS", "on", 0);  // kept with the environment, so that a replay does alike
  if (!arguments.procfile.empty()) return run_system(arguments, console);
  if (!arguments.services.empty()) return console.fail({ErrorCode::usage, "--service needs -f PROCFILE"});
  auto target = find_target(arguments.program);
  if (!target) return own_fault(target.error(), console);
  if (!arguments.mcapi.empty()) {
    if (auto used = use_profile(arguments.mcapi, *target); !used) return console.fail(used.error());
  }
  auto folder = new_recording(arguments, target->path.filename().string());
  if (!folder) return own_fault(folder.error(), console);
  if (arguments.until_failure) return Loop(arguments, *target, *folder, console).run();
  Interrupts interrupts;
  auto run = record_once(*folder, *target, options_of(arguments), interrupts);
  if (!run) {
    if (folder->processes().empty()) (void)recording::remove_folder(*folder);  // the program never ran
    return own_fault(run.error(), console);
  }
  tell(*folder, *run, arguments, console);
  if (arguments.json) print_facts(*folder, *run, 1, console);
  return run->ended.exit_code();
}

}  // namespace reprise::drive::cli
