// reprise verify [NAME] - checks a recording against its format; --repair keeps the good part.
#include <fmt/format.h>

#include <filesystem>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "drive/manifest.h"
#include "recording/log.h"
#include "recording/verify.h"

namespace reprise::drive::cli {
namespace {

namespace fs = std::filesystem;
using recording::Folder;

struct Checked {
  std::string file;
  std::optional<recording::VerifyReport> report;  // nothing: `error` says why
  std::string error;
  std::string repaired;  // what --repair did

  bool good() const { return report && report->good(); }
};

Checked check(const fs::path& path) {
  Checked checked;
  checked.file = path.filename().string();
  auto report = recording::verify(path);
  if (report) {
    checked.report = std::move(*report);
  } else {
    checked.error = report.error().message;
  }
  return checked;
}

std::vector<fs::path> files_of(const Folder& folder) {
  std::error_code ignored;
  std::vector<fs::path> files;
  for (const std::string& process : folder.processes()) {
    for (const fs::path& file : {folder.log(process), folder.live(process), folder.trace(process)}) {
      if (fs::exists(file, ignored)) files.push_back(file);
    }
  }
  return files;
}

// The damaged file stays beside the repaired one, as NAME.damaged. A trace can be made again: it is removed.
Result<std::string> repair(const fs::path& path) {
  std::error_code error;
  if (path.extension() == ".trace") {
    fs::remove(path, error);
    return std::string("removed; reprise replay --trace makes it again");
  }
  fs::path target = path;
  target.replace_extension(".log");
  fs::path aside = path;
  aside += ".damaged";
  fs::path fresh = path;
  fresh += ".repaired";
  auto cut = recording::salvage(path, fresh);
  if (!cut) return tl::unexpected(cut.error());
  fs::rename(path, aside, error);
  if (!error) fs::rename(fresh, target, error);
  if (error) return fail(ErrorCode::io, fmt::format("cannot put {} in place: {}", target.string(), error.message()));
  const auto after = recording::verify(target);
  const std::string kept = after ? fmt::format("; kept {} with {}", analyse::counted(after->threads, "thread"),
                                               analyse::counted(after->events, "event"))
                                 : "";
  return fmt::format("repaired: {} cut short{}; the damaged log is {}",
                     analyse::counted(*cut, "thread was", "threads were"), kept, aside.filename().string());
}

Json json_of(const Checked& checked) {
  Json findings = Json::array();
  Json json = Json::object({{"file", checked.file}, {"good", checked.good()}});
  if (!checked.error.empty()) findings.push(checked.error);
  if (checked.report) {
    for (const std::string& finding : checked.report->findings) findings.push(finding);
    json.add("threads", checked.report->threads)
        .add("steps", checked.report->steps)
        .add("events", checked.report->events)
        .add("objects", checked.report->objects)
        .add("more_findings", checked.report->more_findings);
  }
  json.add("findings", findings);
  if (!checked.repaired.empty()) json.add("repaired", checked.repaired);
  return json;
}

void print(const Checked& checked, Console& console) {
  if (checked.good()) {
    console.print(
        fmt::format("{}: good ({}, {}, {} written)", checked.file, analyse::counted(checked.report->threads, "thread"),
                    analyse::counted(checked.report->steps, "step"), analyse::grouped(checked.report->events)));
    for (const std::string& note : checked.report->notes) console.print(fmt::format("  {}", analyse::escape(note)));
    return;
  }
  console.print(console.styled(Style::bad, fmt::format("{}: damaged", checked.file)));
  if (!checked.error.empty()) console.print("  " + analyse::escape(checked.error));
  if (checked.report) {
    for (const std::string& finding : checked.report->findings) console.print("  " + analyse::escape(finding));
    if (checked.report->more_findings > 0)
      console.print(fmt::format("  and {} more", analyse::grouped(checked.report->more_findings)));
  }
  if (!checked.repaired.empty()) console.print("  " + analyse::escape(checked.repaired));
}

}  // namespace

int run_verify(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  std::vector<Checked> all;
  Checked manifest{std::string(recording::manifest_name), {}, {}, {}};
  if (auto read = read_manifest(folder->manifest()); !read) {
    manifest.error = read.error().message;
    all.push_back(manifest);
  }
  bool repaired_all = all.empty();
  for (const fs::path& file : files_of(*folder)) {
    all.push_back(check(file));
    if (all.back().good() || !arguments.repair) continue;
    auto repaired = repair(file);
    repaired_all = repaired_all && repaired.has_value();
    all.back().repaired = repaired ? *repaired : fmt::format("not repaired: {}", repaired.error().message);
  }
  bool good = true;
  for (const Checked& checked : all) good = good && checked.good();
  if (arguments.json) {
    Json list = Json::array();
    for (const Checked& checked : all) list.push(json_of(checked));
    console.print_json(Json::object({{"name", folder->name()}, {"good", good}, {"files", list}}));
  } else {
    for (const Checked& checked : all) print(checked, console);
    if (all.empty()) console.print(fmt::format("{}: no log: no gate was met", folder->name()));
  }
  if (good || (arguments.repair && repaired_all)) return done;
  if (!arguments.repair) console.next(fmt::format("reprise verify {} --repair", folder->name()));
  return bad_recording;
}

}  // namespace reprise::drive::cli
