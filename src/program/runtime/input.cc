#include <reprise/input.h>

#include <dirent.h>
#include <fcntl.h>
#include <reprise/value.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

#include "gate/children.h"

namespace reprise {
namespace {

// An outcome as text: '+' and what came, or '-' and the error's number.
std::string failure(int error) { return "-" + std::to_string(error); }
bool is_success(const std::string& outcome) { return outcome.starts_with('+'); }
int error_of(const std::string& outcome) { return std::atoi(outcome.c_str() + 1); }

[[noreturn]] void throw_error(const std::string& outcome, const std::string& what) {
  throw std::system_error(error_of(outcome), std::generic_category(), what);
}

}  // namespace

namespace detail {
namespace {

constexpr std::size_t read_size = 8192;

std::string open_outcome(const std::filesystem::path& path, int& file) {
  file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure(errno);
  return ::lseek(file, 0, SEEK_CUR) >= 0 ? "+s" : "+";
}

std::string read_outcome(int file, std::uint64_t offset, bool can_seek) {
  std::string outcome(1 + read_size, '+');
  for (;;) {
    const ssize_t size = can_seek ? ::pread(file, outcome.data() + 1, read_size, static_cast<off_t>(offset))
                                  : ::read(file, outcome.data() + 1, read_size);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return failure(errno);
    outcome.resize(1 + static_cast<std::size_t>(size));
    return outcome;
  }
}

}  // namespace

bool RecordedFile::open(const std::filesystem::path& path, std::ios_base::openmode mode) {
  constexpr auto writes = std::ios_base::out | std::ios_base::app | std::ios_base::trunc;
  if (is_open_ || (mode & writes) != 0) return false;
  const std::string outcome = value("open " + path.string(), [&] { return open_outcome(path, file_); });
  if (!is_success(outcome)) return false;
  path_ = path;
  is_open_ = true;
  can_seek_ = outcome.size() > 1;
  offset_ = 0;
  setg(nullptr, nullptr, nullptr);
  if ((mode & std::ios_base::ate) != 0) seekoff(0, std::ios_base::end, std::ios_base::in);
  return true;
}

bool RecordedFile::close() {
  if (!is_open_) return false;
  if (file_ >= 0 && !is_borrowed_) ::close(file_);
  file_ = -1;
  is_open_ = false;
  setg(nullptr, nullptr, nullptr);
  return true;
}

int RecordedFile::file() {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  return file_;
}

std::string RecordedFile::read_some() {
  const std::string outcome =
      value(is_borrowed_ ? "stdin" : "read", [this] { return read_outcome(file(), offset_, can_seek_); });
  // A stream turns what its buffer throws into badbit.
  if (!is_success(outcome)) throw_error(outcome, "cannot read " + path_.string());
  return outcome.substr(1);
}

RecordedFile::int_type RecordedFile::underflow() {
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  if (!is_open_) return traits_type::eof();
  const std::string put_back = egptr() != eback() ? std::string(1, egptr()[-1]) : std::string();
  const std::string fresh = read_some();
  if (fresh.empty()) return traits_type::eof();
  offset_ += fresh.size();
  buffer_ = put_back + fresh;
  setg(buffer_.data(), buffer_.data() + put_back.size(), buffer_.data() + buffer_.size());
  return traits_type::to_int_type(*gptr());
}

RecordedFile::int_type RecordedFile::pbackfail(int_type character) {
  if (gptr() == eback()) return traits_type::eof();
  gbump(-1);
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  *gptr() = traits_type::to_char_type(character);
  return character;
}

std::int64_t RecordedFile::end_of_file() {
  return value("size", [this] {
    struct stat found {};
    return fstat(file(), &found) == 0 ? static_cast<std::int64_t>(found.st_size) : std::int64_t{-1};
  });
}

RecordedFile::pos_type RecordedFile::seekoff(off_type offset, std::ios_base::seekdir from,
                                             std::ios_base::openmode which) {
  const pos_type failed(off_type(-1));
  if (!is_open_ || !can_seek_ || (which & std::ios_base::in) == 0) return failed;
  off_type target = offset;
  if (from == std::ios_base::cur) target += static_cast<off_type>(offset_) - (egptr() - gptr());
  if (from == std::ios_base::end) {
    const std::int64_t size = end_of_file();
    if (size < 0) return failed;
    target += size;
  }
  if (target < 0) return failed;
  const off_type buffered = static_cast<off_type>(offset_) - target;  // how far before the buffer's end
  if (buffered >= 0 && buffered <= egptr() - eback()) {
    setg(eback(), egptr() - buffered, egptr());
  } else {
    offset_ = static_cast<std::uint64_t>(target);
    setg(nullptr, nullptr, nullptr);
  }
  return pos_type(target);
}

RecordedFile::pos_type RecordedFile::seekpos(pos_type position, std::ios_base::openmode which) {
  return seekoff(off_type(position), std::ios_base::beg, which);
}

}  // namespace detail

namespace {

std::string list_outcome(const std::filesystem::path& path) {
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return failure(errno);
  std::string outcome = "+";
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") outcome.append(name).push_back('\0');
  }
  if (errno != 0) outcome = failure(errno);
  closedir(folder);
  return outcome;
}

// How a child ended. Its number means nothing in another run: it is found again by who forked it, or as the one that
// was asked for.
struct ChildOutcome {
  int process;
  int status;
  int error;
  int was_asked_for;
  gate::ChildName name;  // ordinal 0: not forked here
};

ChildOutcome wait_for_child(int process, int options) {
  ChildOutcome found{};
  found.process = ::waitpid(process, &found.status, options);
  found.error = found.process < 0 ? errno : 0;
  if (found.process <= 0) return found;
  found.was_asked_for = found.process == process ? 1 : 0;
  found.name = gate::child_numbered(found.process).value_or(gate::ChildName{0, 0});
  return found;
}

// Replay: the child's number in this run. A child that had ended when recorded has to end here, too.
int same_child(const ChildOutcome& recorded, int asked) {
  int process = recorded.was_asked_for != 0 ? asked : recorded.process;
  bool is_ours = recorded.was_asked_for != 0;
  if (recorded.name.ordinal != 0) {
    if (const auto named = gate::child_named(recorded.name)) {
      process = *named;
      is_ours = true;
    }
  }
  const bool had_ended = WIFEXITED(recorded.status) || WIFSIGNALED(recorded.status);
  while (is_ours && had_ended && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return process;
}

}  // namespace

// Never destroyed. Not a function-local static: its guard would pass the gate.
std::istream& cin = *new std::istream(new detail::RecordedFile(STDIN_FILENO));

std::string hostname() {
  const std::string outcome = value("hostname", [] {
    char name[HOST_NAME_MAX + 1] = {};
    return gethostname(name, sizeof name) == 0 ? std::string("+") + name : failure(errno);
  });
  if (!is_success(outcome)) throw_error(outcome, "cannot get the name of the host");
  return outcome.substr(1);
}

int process_id() {
  return value("process_id", [] { return static_cast<int>(getpid()); });
}

std::vector<std::string> list_directory(const std::filesystem::path& path) {
  const std::string outcome = value("list_directory " + path.string(), [&path] { return list_outcome(path); });
  if (!is_success(outcome)) throw_error(outcome, "cannot list " + path.string());
  std::vector<std::string> names;
  for (std::size_t at = 1; at < outcome.size();) {
    const std::size_t end = outcome.find('\0', at);
    names.push_back(outcome.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return names;
}

int waitpid(int process, int* status, int options) {
  bool is_live = false;
  const ChildOutcome outcome = value("waitpid", [&] {
    is_live = true;
    return wait_for_child(process, options);
  });
  if (outcome.process > 0 && status != nullptr) *status = outcome.status;
  if (outcome.process < 0) errno = outcome.error;
  return is_live || outcome.process <= 0 ? outcome.process : same_child(outcome, process);
}

}  // namespace reprise
