// reprise diff A B - the first difference of two recordings.
#include "analyse/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/subject.h"
#include "recording/folder.h"

namespace reprise::drive::cli {
namespace {

struct ProcessDifference {
  std::string process;
  std::string missing_in;  // the recording without this process, or empty
  analyse::LogDifferences found;
};

Json json_of(const ProcessDifference& process) {
  Json threads = Json::array();
  for (const analyse::ThreadDifference& thread : process.found.threads) {
    Json before = Json::array();
    for (const std::string& line : thread.before) before.push(line);
    threads.push(Json::object({{"thread", thread.thread},
                               {"step", thread.step},
                               {"left", thread.left},
                               {"right", thread.right},
                               {"before", before}}));
  }
  return Json::object({{"process", process.process},
                       {"missing_in", process.missing_in},
                       {"threads", threads},
                       {"end", Json::array({process.found.end_left, process.found.end_right})},
                       {"output_differs", process.found.output_differs}});
}

void print(const ProcessDifference& process, Console& console) {
  console.print(console.styled(Style::strong, fmt::format("process {}", process.process)));
  if (!process.missing_in.empty()) return console.print(fmt::format("  is not in {}", process.missing_in));
  for (const analyse::ThreadDifference& thread : process.found.threads) {
    console.print(fmt::format("  thread {}", thread.thread));
    for (const std::string& line : thread.before) console.print(console.styled(Style::dim, "      " + line));
    console.print(console.styled(Style::bad, "    - " + thread.left));
    console.print(console.styled(Style::good, "    + " + thread.right));
  }
  if (process.found.end_left != process.found.end_right) {
    console.print(fmt::format("  end\n    - {}\n    + {}", process.found.end_left, process.found.end_right));
  }
  if (process.found.output_differs) console.print("  the output differs");
}

Result<std::vector<ProcessDifference>> find_differences(const recording::Folder& left, const recording::Folder& right) {
  std::vector<std::string> names = processes_of(left);
  for (const std::string& name : processes_of(right)) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<ProcessDifference> differences;
  for (const std::string& name : names) {
    const auto in = [&name](const recording::Folder& folder) {
      return std::ranges::count(processes_of(folder), name) > 0;
    };
    if (!in(left) || !in(right)) {
      differences.push_back({name, in(left) ? right.name() : left.name(), {}});
      continue;
    }
    // Both full or both not: a trace beside a plain log would differ in what is written.
    const bool traces = std::filesystem::exists(left.trace(name)) && std::filesystem::exists(right.trace(name));
    auto a = open_log(left, name, traces);
    if (!a) return tl::unexpected(a.error());
    auto b = open_log(right, name, traces);
    if (!b) return tl::unexpected(b.error());
    auto found = analyse::diff(a->log, b->log);
    if (!found) return tl::unexpected(found.error());
    if (!found->empty()) differences.push_back({name, "", std::move(*found)});
  }
  return differences;
}

}  // namespace

int run_diff(const Arguments& arguments, Console& console) {
  std::vector<recording::Folder> folders;
  for (const std::string& name : arguments.names) {
    auto folder = recording::find_folder(recording::home(), name);
    if (!folder) return console.fail(folder.error(), "reprise ls");
    folders.push_back(std::move(*folder));
  }
  auto differences = find_differences(folders[0], folders[1]);
  if (!differences) return console.fail(differences.error(), "reprise verify " + arguments.names[0]);
  if (arguments.json) {
    Json list = Json::array();
    for (const ProcessDifference& process : *differences) list.push(json_of(process));
    console.print_json(Json::object({{"equal", differences->empty()}, {"processes", list}}));
  } else if (differences->empty()) {
    console.print("the same run");
  } else {
    for (const ProcessDifference& process : *differences) print(process, console);
  }
  return differences->empty() ? done : finding;
}

}  // namespace reprise::drive::cli
