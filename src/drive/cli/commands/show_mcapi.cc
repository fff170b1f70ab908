// reprise show --style mcapi - the calls of MCAPI nodes, in the notation of the paper's tables.
#include <fmt/format.h>

#include "analyse/mcapi.h"
#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/commands/show_mcapi.h"
#include "drive/subject.h"

namespace reprise::drive::cli {
namespace {

using analyse::McapiTables;
using analyse::McapiTechnique;

const char* technique_name(McapiTechnique technique) {
  switch (technique) {
    case McapiTechnique::sender:
      return "sender";
    case McapiTechnique::data:
      return "data";
    case McapiTechnique::groups:
      return "groups";
    default:
      return "receiver";
  }
}

Json json_of(const std::vector<McapiTables::Section>& sections) {
  std::vector<Json> nodes;
  for (const McapiTables::Section& section : sections) {
    std::vector<Json> records;
    for (const McapiTables::Record& record : section.records) {
      Json json = Json::object({{"text", record.text}});
      if (record.arrival != 0) {
        json.add("arrival", record.arrival);
        json.add("from", record.from);
      }
      records.push_back(std::move(json));
    }
    nodes.push_back(Json::object({{"node", section.node},
                                  {"technique", technique_name(section.technique)},
                                  {"records", Json::array(std::move(records))}}));
  }
  return Json::object({{"nodes", Json::array(std::move(nodes))}});
}

}  // namespace

int run_show_mcapi(const recording::Folder& folder, const Arguments& arguments, Console& console) {
  if (arguments.interleaved || arguments.limit || !arguments.thread.empty() || !arguments.object.empty() ||
      !arguments.kind.empty())
    return console.fail(Error{ErrorCode::usage, "--style mcapi goes with --process and --json only"});
  McapiTables tables;
  for (const std::string& process : processes_of(folder)) {
    auto opened = open_log(folder, process, /*prefer_trace=*/true);
    if (!opened) return console.fail(opened.error(), fmt::format("reprise verify {}", folder.name()));
    if (!arguments.process.empty() && arguments.process != process) continue;
    if (auto added = tables.add(opened->log); !added)
      return console.fail(added.error(), fmt::format("reprise verify {}", folder.name()));
  }
  if (tables.notes() == 0) {
    return console.fail(
        Error{ErrorCode::not_found, fmt::format("{} does not say what each MCAPI call was about: that is in "
                                                "a trace, or in what `record --full` made",
                                                folder.name())},
        fmt::format("reprise replay {} --trace", folder.name()));
  }
  const auto sections = tables.sections();
  if (arguments.json) {
    console.print(json_of(sections).text(true));
    return done;
  }
  const char* between = "";
  for (const McapiTables::Section& section : sections) {
    console.print(between + console.styled(Style::strong, fmt::format("node {}", section.node)));
    for (const McapiTables::Record& record : section.records) console.print(record.text);
    between = "\n";
  }
  if (tables.unread() > 0) console.note(fmt::format("{} could not be read", analyse::counted(tables.unread(), "note")));
  return done;
}

}  // namespace reprise::drive::cli
