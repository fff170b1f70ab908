// reprise ls - the recordings of a folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/manifest.h"
#include "drive/subject.h"
#include "recording/folder.h"

namespace reprise::drive::cli {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string name;
  std::string created;
  std::string program;
  std::string end;
  std::uint64_t bytes{0};
};

std::uint64_t bytes_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) bytes += at->file_size(ignored);
  }
  return bytes;
}

std::string end_of(const Manifest& manifest) {
  switch (manifest.end) {
    case ManifestEnd::exit:
      return fmt::format("exit {}", manifest.end_code);
    case ManifestEnd::signal:
      return analyse::signal_name(manifest.end_code);
    default:
      return std::string(name(manifest.end));
  }
}

// A program that was recorded without the tool leaves its end in the log only.
std::string end_of(const recording::Folder& folder) {
  const auto opened = open_log(folder);
  if (!opened) return std::string(name(ManifestEnd::unknown));
  const recording::LogInfo& info = opened->log.info();
  if (info.end_kind == recording::EndKind::exited) return fmt::format("exit {}", info.end_code);
  if (info.end_kind == recording::EndKind::signalled) return analyse::signal_name(info.end_code);
  return std::string(name(ManifestEnd::unknown));
}

Row row_of(const recording::Folder& folder) {
  Row row{folder.name(), "", "", "", bytes_of(folder.path)};
  const auto manifest = read_manifest(folder.manifest());
  if (!manifest) {
    row.end = "damaged";
    return row;
  }
  row.created = manifest->created;
  row.program = fs::path(manifest->program.path).filename().string();
  row.end = manifest->end == ManifestEnd::unknown ? end_of(folder) : end_of(*manifest);
  return row;
}

}  // namespace

int run_ls(const Arguments& arguments, Console& console) {
  const auto folders = recording::list_folders(recording::home());
  if (!folders) return console.fail(folders.error());
  std::vector<Row> rows;
  for (const recording::Folder& folder : *folders) rows.push_back(row_of(folder));
  if (arguments.json) {
    Json list = Json::array();
    for (const Row& row : rows) {
      list.push(Json::object({{"name", row.name},
                              {"created", row.created},
                              {"program", row.program},
                              {"end", row.end},
                              {"bytes", row.bytes}}));
    }
    console.print_json(list);
    return done;
  }
  if (rows.empty()) {
    console.note(fmt::format("no recordings in {}", recording::home().string()));
    return done;
  }
  std::size_t name_width = 4;
  std::size_t program_width = 7;
  for (Row& row : rows) {
    row.program = analyse::escape(row.program);
    name_width = std::max(name_width, row.name.size());
    program_width = std::max(program_width, row.program.size());
  }
  console.print(console.styled(Style::dim, fmt::format("{:<{}}  {:<20}  {:<{}}  {:<11}  {:>9}", "name", name_width,
                                                       "created", "program", program_width, "end", "size")));
  for (const Row& row : rows) {
    console.print(fmt::format("{:<{}}  {:<20}  {:<{}}  {:<11}  {:>9}", row.name, name_width,
                              analyse::escape(row.created), row.program, program_width, row.end,
                              analyse::human_bytes(row.bytes)));
  }
  return done;
}

}  // namespace reprise::drive::cli
