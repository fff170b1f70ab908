#include "recording/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>

#include "base/check.h"

namespace reprise::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view live_suffix = ".live";
constexpr std::string_view log_suffix = ".log";
constexpr std::string_view trace_suffix = ".trace";
constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::string_view digits = "0123456789";

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

fs::path file_of(const Folder& folder, std::string_view process, std::string_view suffix) {
  CHECK(is_valid_process(process), process);
  return folder.path / (std::string(process) + std::string(suffix));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

tl::unexpected<Error> bad_name(std::string_view name) {
  return fail(ErrorCode::usage, "\"" + std::string(name.substr(0, 2 * name_bytes_max)) +
                                    "\" is not a name: use 1 to 64 of A-Z a-z 0-9 . _ -, not starting with . or -");
}

// Takes digits and the mark before them from the end.
bool strip(std::string_view& text, std::string_view mark) {
  const std::size_t last = text.find_last_not_of(digits);
  if (last == std::string_view::npos || last + 1 == text.size()) return false;
  if (!text.substr(0, last + 1).ends_with(mark)) return false;
  text = text.substr(0, last + 1 - mark.size());
  return true;
}

// When the manifest was last written; recordings without one are none.
bool manifest_time(const Folder& folder, fs::file_time_type& time) {
  std::error_code error;
  if (!fs::is_regular_file(folder.manifest(), error) || error) return false;
  time = fs::last_write_time(folder.manifest(), error);
  return !error;
}

}  // namespace

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > name_bytes_max) return false;
  if (name.front() == '.' || name.front() == '-') return false;
  return name.find_first_not_of(letters) == std::string_view::npos;
}

bool is_valid_process(std::string_view process) {
  const std::size_t mark = process.find('#');
  if (mark == std::string_view::npos) return is_valid_name(process);
  const std::string_view number = process.substr(mark + 1);
  if (number.empty() || number.size() > 9 || number.find_first_not_of(digits) != std::string_view::npos) return false;
  return number.front() != '0' && number != "1" && is_valid_name(process.substr(0, mark));
}

std::string_view launched_as(std::string_view process) {
  for (;;) {
    std::string_view rest = process;
    const bool shorter = strip(rest, "#") || strip(rest, ".exec") || (strip(rest, "-") && strip(rest, "-"));
    if (!shorter || rest.empty()) return process;
    process = rest;
  }
}

bool descends_from(std::string_view process, std::string_view ancestor) {
  if (!process.starts_with(ancestor)) return false;
  const std::string_view rest = process.substr(ancestor.size());
  return rest.empty() || rest.starts_with("-") || rest.starts_with(".exec") || rest.starts_with("#");
}

bool is_needed_for(std::string_view chosen, std::string_view process) {
  if (descends_from(chosen, process)) return true;
  return launched_as(chosen) == chosen && descends_from(process, chosen);
}

std::string Folder::name() const {
  const fs::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
  return std::string(without_suffix(last.native(), folder_suffix));
}

fs::path Folder::live(std::string_view process) const { return file_of(*this, process, live_suffix); }
fs::path Folder::log(std::string_view process) const { return file_of(*this, process, log_suffix); }
fs::path Folder::trace(std::string_view process) const { return file_of(*this, process, trace_suffix); }

fs::path Folder::best(std::string_view process) const {
  fs::path sealed = log(process);
  return is_there(sealed) ? sealed : live(process);
}

std::vector<std::string> Folder::processes() const {
  std::set<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().native();
    for (const std::string_view suffix : {live_suffix, log_suffix}) {
      const std::string_view process = without_suffix(file, suffix);
      if (process.size() < file.size() && is_valid_process(process)) found.emplace(process);
    }
  }
  return {found.begin(), found.end()};
}

fs::path home() {
  const char* given = std::getenv("REPRISE_HOME");
  return given != nullptr && *given != '\0' ? fs::path(given) : fs::path(".");
}

Result<Folder> create_folder(const fs::path& home, std::string_view name) {
  if (!is_valid_name(name)) return bad_name(name);
  Folder folder{home / (std::string(name) + std::string(folder_suffix))};
  std::error_code error;
  if (!home.empty() && !fs::is_directory(home, error)) {
    fs::create_directories(home.parent_path(), error);
    if (mkdir(home.c_str(), 0700) != 0 && errno != EEXIST) {
      return fail(ErrorCode::io, "cannot create " + home.string() + ": " + std::strerror(errno));
    }
  }
  if (mkdir(folder.path.c_str(), 0700) == 0) return folder;
  if (errno == EEXIST) {
    return fail(ErrorCode::usage, folder.path.string() +
                                      " is there already: choose another name, or remove it with `reprise rm " +
                                      std::string(name) + "`");
  }
  return fail(ErrorCode::io, "cannot create " + folder.path.string() + ": " + std::strerror(errno));
}

Result<Folder> find_folder(const fs::path& home, std::string_view name_or_path) {
  const bool is_path = name_or_path.find('/') != std::string_view::npos;
  const std::string_view name = without_suffix(name_or_path, folder_suffix);
  if (!is_path && !is_valid_name(name)) return bad_name(name_or_path);
  Folder folder{is_path ? fs::path(name_or_path) : home / (std::string(name) + std::string(folder_suffix))};
  if (!is_there(folder.path)) {
    return fail(ErrorCode::not_found,
                "there is no recording " + folder.path.string() + "; `reprise ls` shows those there are");
  }
  if (!is_there(folder.manifest())) {
    return fail(ErrorCode::not_a_recording, folder.path.string() + " holds no " + std::string(manifest_name));
  }
  return folder;
}

Result<std::vector<Folder>> list_folders(const fs::path& home) {
  std::vector<std::pair<fs::file_time_type, Folder>> found;
  std::error_code error;
  for (fs::directory_iterator at(home, error), end; !error && at != end; at.increment(error)) {
    Folder folder{at->path()};
    const std::string file = at->path().filename().native();
    fs::file_time_type time;
    if (file.ends_with(folder_suffix) && is_valid_name(folder.name()) && manifest_time(folder, time)) {
      found.emplace_back(time, std::move(folder));
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::io, "cannot list " + home.string() + ": " + error.message());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.path < b.second.path;
  });
  std::vector<Folder> folders;
  for (auto& [time, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

Result<Folder> latest_folder(const fs::path& home) {
  auto folders = list_folders(home);
  if (!folders) return tl::unexpected(folders.error());
  if (!folders->empty()) return folders->front();
  return fail(ErrorCode::not_found,
              "there is no recording in " + home.string() + "; make one with `reprise record -- COMMAND`");
}

Result<void> remove_folder(const Folder& folder) {
  if (!is_there(folder.manifest())) {
    return fail(ErrorCode::not_a_recording,
                folder.path.string() + " holds no " + std::string(manifest_name) + ": not removed");
  }
  std::error_code error;
  fs::remove_all(folder.path, error);
  if (error) return fail(ErrorCode::io, "cannot remove " + folder.path.string() + ": " + error.message());
  return {};
}

}  // namespace reprise::recording
