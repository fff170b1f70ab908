#include "drive/cli/forcing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "analyse/text.h"
#include "drive/cli/new_recording.h"
#include "drive/cli/start_ids.h"
#include "recording/verify.h"

namespace reprise::drive::cli {
namespace {

Result<std::vector<TargetLine>> programs_of(const Arguments& arguments) {
  std::vector<Line> lines;
  if (arguments.procfile.empty()) {
    const std::string name = std::filesystem::path(arguments.program.front()).filename().string();
    lines.push_back({arguments.process.empty() ? valid_name(name) : arguments.process, arguments.program});
  } else {
    auto read = read_procfile(arguments.procfile);
    if (!read) return tl::unexpected(read.error());
    lines = *std::move(read);
  }
  std::vector<TargetLine> programs;
  for (Line& line : lines) {
    auto target = find_target(line.command);
    if (!target) return fail(target.error().code, fmt::format("{}: {}", line.name, target.error().message));
    programs.push_back({std::move(line), *std::move(target)});
  }
  return programs;
}

// Values are taken from it in the midst of a run, where a damaged one could only be told as another run.
Result<void> check_whole(const recording::Folder& folder) {
  for (const std::string& process : folder.processes()) {
    const auto report = recording::verify(folder.best(process));
    if (!report) return tl::unexpected(report.error());
    if (!report->findings.empty())
      return fail(ErrorCode::damaged,
                  fmt::format("{} is damaged; reprise verify {} says where", folder.name(), folder.name()));
  }
  return {};
}

// "who.seq:3:5: (1,deposit,arrival)": an event as its author wrote it.
std::string written_at(const analyse::sequence::Place& place, const Listed& listed) {
  if (place.file == 0 || place.file > listed.files.size())
    return fmt::format("it stands in line {}, column {}", place.line, place.column);
  const std::string& file = listed.files[place.file - 1];
  std::ifstream stream(file);
  std::string line;
  for (std::uint32_t i = 0; i < place.line && std::getline(stream, line); ++i) continue;
  constexpr std::size_t bytes_max = 120;
  std::string_view event = std::string_view(line).substr(std::min<std::size_t>(place.column - 1, line.size()));
  event = event.substr(0, std::min({event.find(')'), event.size(), bytes_max}) + 1);
  return fmt::format("{}:{}:{}: {}", file, place.line, place.column, event);
}

// Numbers that cannot mean what their author meant: they are allowed, as a program may name its process by itself.
void tell_doubts(const Forcing& forcing, Console& console) {
  if (forcing.listed.start_ids.empty()) return;
  std::set<std::string> started;
  for (const TargetLine& program : forcing.programs) started.insert(program.line.name);
  std::set<std::string> numbered;
  for (const analyse::sequence::StartId& id : forcing.listed.start_ids) {
    const std::string process(recording::launched_as(id.process));
    numbered.insert(process);
    if (started.contains(process)) continue;
    console.note(fmt::format("start-id: no program is called {}; there are {}", id.process, fmt::join(started, ", ")));
  }
  for (const std::string& process : started) {
    if (!numbered.contains(process))
      console.note(fmt::format("no start-id was given to {}: its threads have no numbers", process));
  }
}

}  // namespace

Result<Forcing> forcing_of(const Arguments& arguments, Purpose purpose, const char* default_name, Console& console) {
  const auto ids = start_ids_of(arguments.start_ids);
  if (!ids) return tl::unexpected(ids.error());
  const auto found = find_sequences(arguments.sequences, purpose);
  if (!found) return tl::unexpected(found.error());
  auto listed = read_listed(found->files, *ids, found->threads);
  if (!listed) return tl::unexpected(listed.error());
  auto programs = programs_of(arguments);
  if (!programs) return tl::unexpected(programs.error());
  Forcing forcing{*std::move(listed), *std::move(programs), {}, {}, {}, {}};
  forcing.options.runs_max = arguments.search.value_or(forcing.options.runs_max);
  forcing.options.inactivity_s = arguments.inactivity_s.value_or(forcing.options.inactivity_s);
  if (!arguments.inputs.empty()) {
    const auto inputs = recording::find_folder(recording::home(), arguments.inputs);
    if (!inputs) return tl::unexpected(inputs.error());
    if (inputs->name() == arguments.output)
      return fail(ErrorCode::usage, fmt::format("{} cannot be both --inputs and -o", arguments.output));
    if (auto whole = check_whole(*inputs); !whole) return tl::unexpected(whole.error());
    std::error_code ignored;
    forcing.options.inputs = std::filesystem::absolute(inputs->path, ignored).string();
    forcing.inputs = arguments.inputs;
  }
  forcing.options.progress = [&console](std::uint64_t run) { console.progress(fmt::format("run {}", run)); };
  auto folder = new_recording(arguments, default_name);
  if (!folder) return tl::unexpected(folder.error());
  forcing.folder = *std::move(folder);
  forcing.kept = forcing.folder.name();
  tell_doubts(forcing, console);
  return forcing;
}

Result<Tested> test_forced(const Forcing& forcing) {
  Interrupts interrupts;
  auto tested = test_sequence(forcing.programs, forcing.listed, forcing.folder, forcing.options, interrupts);
  std::error_code ignored;
  if (!tested) std::filesystem::remove(forcing.folder.path, ignored);  // if it is empty: what came furthest stays
  return tested;
}

std::vector<std::string> stop_lines(const Tested& tested, const Listed& listed) {
  std::vector<std::string> lines;
  if (tested.place && *tested.place < tested.listed) {
    lines.push_back(fmt::format("event {} cannot happen: {}", *tested.place + 1, analyse::escape(tested.event)));
  } else if (tested.place) {
    lines.emplace_back("all listed events happened, but they are not all that happens");
  }
  if (tested.line.line > 0) lines.push_back("  " + analyse::escape(written_at(tested.line, listed)));
  if (!tested.reason.empty()) lines.push_back(tested.reason);
  for (const std::string& line : tested.instead) lines.push_back("  " + analyse::escape(line));
  return lines;
}

std::string held_line(const Tested& tested, const std::string& inputs) {
  if (tested.values.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [name, count] : tested.values) parts.push_back(fmt::format("{} {}", analyse::escape(name), count));
  return fmt::format("values from outside held constant, as in {}: {}", inputs.empty() ? "the first run" : inputs,
                     fmt::join(parts, ", "));
}

Json facts_of(const std::string& verdict, const Tested& tested, const std::string& kept) {
  Json instead = Json::array();
  for (const std::string& line : tested.instead) instead.push(line);
  Json json = Json::object({{"verdict", verdict},
                            {"events", tested.listed},
                            {"runs", tested.runs},
                            {"left", tested.left},
                            {"recording", kept},
                            {"reason", tested.reason},
                            {"instead", std::move(instead)}});
  Json values = Json::object();
  for (const auto& [name, count] : tested.values) values.add(name, count);
  json.add("values", std::move(values));
  if (tested.place) json.add("event", *tested.place + 1);
  if (tested.line.line > 0) {
    json.add("line", std::uint64_t{tested.line.line});
    json.add("column", std::uint64_t{tested.line.column});
  }
  return json;
}

}  // namespace reprise::drive::cli
