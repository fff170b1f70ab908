#include "recording/checkpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/file.h"
#include "recording/folder.h"

namespace reprise::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t entry_bytes_max = 4096;
constexpr std::uint64_t number_max = 1'000'000'000;
constexpr std::string_view refused_prefix = "refused-";

fs::path folder_of(const fs::path& recording) { return recording / checkpoints_folder; }

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(entry_bytes_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view, std::string_view)>& use) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) use(line.substr(0, space), line.substr(space + 1));
  }
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Text of one line: what it holds may come from anywhere.
std::string one_line(std::string_view text) {
  std::string line(text.substr(0, 1024));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

bool read_entry(const fs::path& path, CheckpointEntry& entry) {
  for_each_line(read_text(path), [&entry](std::string_view key, std::string_view value) {
    if (key == "process") entry.process = value;
    if (key == "path") entry.path = value;
    if (key == "thread") entry.thread = static_cast<ThreadIndex>(number_of(value));
    if (key == "step") entry.step = number_of(value);
    if (key == "whole") entry.is_whole = value == "1";
    if (key == "born") entry.next_index = static_cast<ThreadIndex>(number_of(value));
    if (key == "pid") entry.pid = static_cast<pid_t>(std::min<std::uint64_t>(number_of(value), 1u << 30));
    if (key == "started") entry.started = number_of(value);
    if (key == "boot") entry.boot = value;
    if (key == "created") entry.created = value;
  });
  return is_valid_process(entry.process) && entry.pid > 1 && entry.started != 0 && entry.thread != no_thread;
}

// A path of any length fits through its folder's file.
bool address_of(const fs::path& path, int folder, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const int size =
      std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, path.filename().c_str());
  return size > 0 && static_cast<std::size_t>(size) < sizeof address.sun_path;
}

using Use = int (*)(int, const sockaddr*, socklen_t);
int socket_at(const fs::path& path, Use use) {
  const int folder = open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int file = folder < 0 ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  const bool fine = file >= 0 && address_of(path, folder, address) &&
                    use(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  if (folder >= 0) close(folder);
  if (!fine && file >= 0) close(file);
  errno = error;
  return fine ? file : -1;
}

// The process of an entry, held by a file of it: nobody else can take its number meanwhile. -1: it is not there.
int open_process(const CheckpointEntry& entry) {
  if (entry.boot != boot_id()) return -1;
  const int file = static_cast<int>(syscall(SYS_pidfd_open, entry.pid, 0));
  if (file < 0) return -1;
  if (start_of(entry.pid) == entry.started) return file;
  close(file);
  return -1;
}

}  // namespace

fs::path entry_path(const fs::path& recording, std::uint64_t number) {
  return folder_of(recording) / std::to_string(number);
}
fs::path socket_path(const fs::path& recording, std::uint64_t number) {
  return folder_of(recording) / (std::to_string(number) + ".socket");
}

std::vector<CheckpointEntry> list_checkpoints(const fs::path& recording) {
  std::vector<CheckpointEntry> found;
  std::error_code error;
  for (fs::directory_iterator at(folder_of(recording), error), end; !error && at != end; at.increment(error)) {
    CheckpointEntry entry;
    entry.number = number_of(at->path().filename().native());
    if (entry.number != 0 && read_entry(at->path(), entry)) found.push_back(std::move(entry));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

std::vector<CheckpointRefusal> list_refusals(const fs::path& recording) {
  std::vector<CheckpointRefusal> found;
  std::error_code error;
  for (fs::directory_iterator at(folder_of(recording), error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().native().starts_with(refused_prefix)) continue;
    CheckpointRefusal refusal;
    for_each_line(read_text(at->path()), [&refusal](std::string_view key, std::string_view value) {
      if (key == "process") refusal.process = value;
      if (key == "path") refusal.path = value;
      if (key == "reason") refusal.reason = value;
    });
    if (is_valid_process(refusal.process)) found.push_back(std::move(refusal));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return std::tie(a.process, a.path) < std::tie(b.process, b.path); });
  return found;
}

Result<std::uint64_t> add_checkpoint(const fs::path& recording) {
  const fs::path folder = folder_of(recording);
  mkdir(folder.c_str(), 0700);
  std::uint64_t number = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    number = std::max(number, number_of(at->path().stem().native()));
  while (++number < number_max) {
    const int file = open(entry_path(recording, number).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) break;
    close(file);
    return number;
  }
  return fail(ErrorCode::io, "cannot make a checkpoint in " + folder.string() + ": " + std::strerror(errno));
}

Result<void> write_checkpoint(const fs::path& recording, const CheckpointEntry& entry) {
  auto file = base::AtomicFile::create(entry_path(recording, entry.number));
  if (!file) return tl::unexpected(file.error());
  std::ostringstream text;
  text << "process " << entry.process << "\npath " << one_line(entry.path) << "\nthread " << entry.thread << "\nstep "
       << entry.step << "\nwhole " << (entry.is_whole ? 1 : 0) << "\nborn " << entry.next_index << "\npid " << entry.pid
       << "\nstarted " << entry.started << "\nboot " << entry.boot << "\ncreated " << entry.created << "\n";
  file->write(text.str());
  return file->commit(false);
}

void write_refusal(const fs::path& recording, const CheckpointRefusal& refusal) {
  mkdir(folder_of(recording).c_str(), 0700);
  const std::string name = std::string(refused_prefix) + refusal.process + "-" + one_line(refusal.path);
  auto file = base::AtomicFile::create(folder_of(recording) / name);
  if (!file) return;
  file->write("process " + refusal.process + "\npath " + one_line(refusal.path) + "\nreason " +
              one_line(refusal.reason) + "\n");
  (void)file->commit(false);
}

std::uint64_t start_of(pid_t pid) {
  const std::string text = read_text("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  std::string word;
  constexpr int start_field = 20;  // of those behind the name
  for (int i = 0; i < start_field; ++i) rest >> word;
  return number_of(word);
}

std::string boot_id() {
  std::string text = read_text("/proc/sys/kernel/random/boot_id");
  return text.substr(0, text.find('\n'));
}

bool is_alive(const CheckpointEntry& entry) {
  const int file = open_process(entry);
  if (file < 0) return false;
  // A process that has ended and was not waited for yet is still there, but not alive.
  const bool alive = syscall(SYS_pidfd_send_signal, file, 0, nullptr, 0) == 0 && resident_bytes(entry) != 0;
  close(file);
  return alive;
}

std::uint64_t resident_bytes(const CheckpointEntry& entry) {
  std::istringstream text(read_text("/proc/" + std::to_string(entry.pid) + "/statm"));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  text >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool end_checkpoint(const fs::path& recording, const CheckpointEntry& entry) {
  const int file = open_process(entry);
  const bool was_there = file >= 0 && syscall(SYS_pidfd_send_signal, file, SIGKILL, nullptr, 0) == 0;
  if (file >= 0) close(file);
  unlink(socket_path(recording, entry.number).c_str());
  unlink(entry_path(recording, entry.number).c_str());
  return was_there;
}

std::uint64_t end_checkpoints(const std::filesystem::path& recording) {
  std::uint64_t ended = 0;
  for (const CheckpointEntry& entry : list_checkpoints(recording)) {
    if (end_checkpoint(recording, entry)) ++ended;
  }
  std::error_code ignored;
  std::filesystem::remove_all(recording / checkpoints_folder, ignored);
  return ended;
}

std::string text_of(const WakeRequest& request) {
  return "folder " + one_line(request.folder) + "\nscratch " + one_line(request.scratch) + "\nfavour " +
         one_line(request.favour) + "\ngate_off " + (request.gate_off ? "1" : "0") + "\n";
}

WakeRequest wake_request(std::string_view text) {
  WakeRequest request;
  for_each_line(text, [&request](std::string_view key, std::string_view value) {
    if (key == "folder") request.folder = value;
    if (key == "scratch") request.scratch = value;
    if (key == "favour") request.favour = value;
    if (key == "gate_off") request.gate_off = value == "1";
  });
  return request;
}

int listen_at(const fs::path& path) {
  const int file = socket_at(path, bind);
  if (file < 0 || listen(file, 8) == 0) return file;
  close(file);
  return -1;
}

int connect_to(const fs::path& path) { return socket_at(path, connect); }

}  // namespace reprise::recording
