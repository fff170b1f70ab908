#include "drive/control/sequence_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyse/sequence/cursor.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
namespace sequence = analyse::sequence;

constexpr std::string_view threads_suffix = "_ThreadID.txt";
constexpr std::string_view monitors_suffix = "_monitorID.txt";

// "5 process1/0": one a line.
Result<void> read_threads(const std::string& path, ThreadIds& threads) {
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  sequence::Cursor at(*text, path);
  for (at.skip(); !at.at_end(); at.skip()) {
    const auto number = at.word("a thread's number");
    if (!number) return tl::unexpected(number.error());
    const bool is_number =
        number->text.size() < 19 && number->text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) return at.expected_at(*number, "a thread's number");
    if (!at.skip_on_line()) return at.expected("the thread's name, as server/0.1");
    const auto name = at.word("the thread's name, as server/0.1");
    if (!name) return tl::unexpected(name.error());
    if (!threads.emplace(std::stoull(number->text), name->text).second)
      return at.wrong(number->place, fmt::format("there is a thread {} already", number->text));
  }
  return {};
}

Result<std::vector<std::string>> files_of_folder(const std::string& folder, Purpose purpose) {
  const std::string wanted = purpose == Purpose::test ? "-test.txt" : "-replay.txt";
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_sequence = name.ends_with("_channel" + wanted) || name.ends_with("_monitor" + wanted) ||
                             name.ends_with("_semaphore" + wanted);
    if (is_sequence || name.ends_with(threads_suffix)) files.push_back(entry.path().string());
  }
  if (error) return fail(ErrorCode::not_found, fmt::format("{}: {}", folder, error.message()));
  const bool has_sequence =
      std::any_of(files.begin(), files.end(), [](const std::string& file) { return !file.ends_with(threads_suffix); });
  if (!has_sequence) {
    return fail(
        ErrorCode::not_found,
        fmt::format("{}: there is no NAME_channel{} (or _monitor, _semaphore); `reprise sequence --files` writes "
                    "them",
                    folder, wanted));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream && stream.peek() == std::ifstream::traits_type::eof() && errno == 0)
    return fail(ErrorCode::usage, fmt::format("{}: it is empty", path));
  if (!stream || !(text << stream.rdbuf()))
    return fail(ErrorCode::not_found, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return text.str();
}

Result<SequenceFiles> find_sequences(const std::vector<std::string>& paths, Purpose purpose) {
  SequenceFiles found;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    auto more = files_of_folder(path, purpose);
    if (!more) return tl::unexpected(more.error());
    files.insert(files.end(), more->begin(), more->end());
  }
  for (const std::string& file : files) {
    if (file.ends_with(threads_suffix)) {
      if (auto read = read_threads(file, found.threads); !read) return tl::unexpected(read.error());
    } else if (!file.ends_with(monitors_suffix)) {
      found.files.push_back(file);
    }
  }
  if (found.files.empty()) return fail(ErrorCode::usage, "no sequence was given, only numbers of threads or monitors");
  return found;
}

}  // namespace reprise::drive
