#include "drive/control/quiet.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;

// How often the thread gave up the processor, if it sleeps.
std::optional<std::uint64_t> sleeping(const fs::path& task) {
  std::ifstream file(task / "status");
  std::string line;
  bool sleeps = false;
  std::uint64_t switches = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("State:")) sleeps = line.find("S (sleeping)") != std::string::npos;
    if (line.find("ctxt_switches:") != std::string::npos) {
      std::uint64_t count = 0;
      const std::size_t digit = line.find_first_of("0123456789");
      if (digit != std::string::npos) std::from_chars(line.data() + digit, line.data() + line.size(), count);
      switches += count;
    }
  }
  return sleeps ? std::optional(switches) : std::nullopt;
}

// Does the thread sleep for a time only? Where the kernel does not say which call it sleeps in: no.
bool has_timer(const fs::path& task) {
  std::ifstream file(task / "syscall");
  long number = -1;
  file >> number >> std::hex;
  std::uint64_t arguments[4] = {};
  for (std::uint64_t& argument : arguments) {
    std::string text;
    file >> text;
    if (text.starts_with("0x")) std::from_chars(text.data() + 2, text.data() + text.size(), argument, 16);
  }
  if (!file) return false;
  if (number == SYS_clock_nanosleep) return true;
#ifdef SYS_nanosleep
  if (number == SYS_nanosleep) return true;
#endif
  const std::uint64_t what = arguments[1] & FUTEX_CMD_MASK;
  return number == SYS_futex && (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) && arguments[3] != 0;
}

bool has_timers(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    std::error_code error;
    for (const fs::directory_entry& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
      if (has_timer(task.path())) return true;
    }
  }
  return false;
}

}  // namespace

bool Quiet::look(const std::vector<pid_t>& processes) {
  std::map<pid_t, std::uint64_t> now;
  for (const pid_t process : processes) {
    std::error_code error;
    for (const fs::directory_entry& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
      const auto switches = sleeping(task.path());
      if (!switches) {
        last_.clear();
        return false;
      }
      now[std::stoi(task.path().filename().string())] = *switches;
    }
    if (error) {
      last_.clear();
      return false;
    }
  }
  const bool is_quiet = !now.empty() && now == last_;
  last_ = std::move(now);
  return is_quiet && !has_timers(processes);
}

}  // namespace reprise::drive
