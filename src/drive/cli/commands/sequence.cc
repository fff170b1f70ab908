// reprise sequence [NAME] --form F | --files [DIR] - a recording's mailbox, monitor and semaphore events as a sequence.
#include <fmt/format.h>

#include <filesystem>

#include "analyse/sequence/extract.h"
#include "analyse/sequence/files.h"
#include "analyse/sequence/print.h"
#include "base/file.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "drive/cli/start_ids.h"
#include "drive/subject.h"

namespace reprise::drive::cli {
namespace {

namespace sequence = analyse::sequence;

Result<std::vector<sequence::Process>> open_processes(const recording::Folder& folder) {
  std::vector<sequence::Process> processes;
  for (const std::string& name : processes_of(folder)) {
    auto opened = open_log(folder, name);
    if (!opened) return tl::unexpected(opened.error());
    processes.push_back({opened->process, opened->log});
  }
  return processes;
}

// Writes the files; exit code 7 where one of them could not be.
int write_files(const std::vector<sequence::Process>& processes, std::vector<sequence::StartId> ids,
                sequence::Numbering numbering, const std::filesystem::path& folder, Console& console) {
  if (ids.empty()) ids = sequence::counted_ids(processes);
  const auto files = sequence::files_of(processes, ids, numbering);
  if (!files) return console.fail(files.error());
  if (files->files.empty() && files->refused.empty()) {
    console.note("there is no event of a mailbox, monitor or named semaphore, and so no file");
    return done;
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const sequence::File& file : files->files) {
    auto out = base::AtomicFile::create(folder / file.name);
    if (!out) return console.fail(out.error());
    out->write(file.text);
    if (const auto kept = out->commit(false); !kept) return console.fail(kept.error());
    console.print((folder / file.name).string());
  }
  for (const std::string& why : files->refused) console.note(why);
  return files->refused.empty() ? done : unsupported;
}

}  // namespace

int run_sequence(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  const auto ids = start_ids_of(arguments.start_ids);
  if (!ids) return console.fail(ids.error());
  auto processes = open_processes(*folder);
  if (!processes) return console.fail(processes.error(), fmt::format("reprise verify {}", folder->name()));
  if (!arguments.files.empty()) {
    const bool is_own = arguments.files == "NAME.sequence";
    const auto numbering = arguments.numbering == "all" ? sequence::Numbering::all : sequence::Numbering::carc;
    return write_files(*processes, *ids, numbering, is_own ? folder->name() + ".sequence" : arguments.files, console);
  }
  const auto execution = sequence::extract(*processes, *ids);
  if (!execution) return console.fail(execution.error());
  sequence::PrintOptions options;
  options.form = sequence::form_named(arguments.form).value_or(sequence::Form::node);
  options.numbering = arguments.numbering == "all" ? sequence::Numbering::all : sequence::Numbering::carc;
  options.start_ids = *ids;
  const auto text = sequence::print(*execution, options);
  if (!text) {
    const bool has_no_numbers = options.form == sequence::Form::total || options.form == sequence::Form::simple;
    return console.fail(
        text.error(), fmt::format("reprise sequence {} --form {}", folder->name(), has_no_numbers ? "node" : "simple"));
  }
  console.print(std::string_view(*text).substr(0, text->size() - 1));
  if (execution->events.empty()) {
    console.note(fmt::format("{} holds no event of a mailbox, monitor or named semaphore", folder->name()));
  }
  return done;
}

}  // namespace reprise::drive::cli
