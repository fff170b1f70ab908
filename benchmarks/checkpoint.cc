// What a checkpoint costs the program that leaves it, by the memory that it has resident.
//
//   ./bench checkpoint [--quick] [--json]
//
// A guest (this program again) holds so much memory and passes one gate after the other; recorded, each of them leaves
// a checkpoint and ends the one before. Printed is the median of one checkpoint in milliseconds, next to a plain fork()
// of the same process, how long it then takes to write to all of that memory (which the copy shares until then) against
// the same without a copy, and a replay from the last checkpoint, tool included. With huge pages a fork copies much
// less.
#include <reprise/checkpoint.h>
#include <reprise/reprise.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstdio>
#include <optional>

#include "measure.h"
#include "start.h"

namespace bench {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t megabyte = std::size_t{1} << 20;

void write_all(char* memory, std::size_t size, char what) {
  for (std::size_t at = 0; at < size; at += page) memory[at] = what;
}

// A child that ends at once, and is waited for.
double plain_fork_ns() {
  const double start = wall_ns();
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) syscall(SYS_exit_group, 0);
  const double forked = wall_ns() - start;
  waitpid(static_cast<pid_t>(child), nullptr, 0);
  return forked;
}

int guest(std::size_t megabytes, bool huge, int rounds) {
  const std::size_t size = megabytes * megabyte;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 1;
  madvise(at, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  char* memory = static_cast<char*>(at);
  write_all(memory, size, 1);
  std::vector<double> gates;
  std::vector<double> forks;
  std::vector<double> writes;
  for (int i = 0; i < rounds; ++i) {
    double start = wall_ns();
    reprise::value("one", [i] { return i; });
    gates.push_back(wall_ns() - start);
    start = wall_ns();
    write_all(memory, size, static_cast<char>(i));
    writes.push_back(wall_ns() - start);
    forks.push_back(plain_fork_ns());
    write_all(memory, size, static_cast<char>(i));
  }
  std::printf("gate_ns %.0f fork_ns %.0f write_ns %.0f\n", median(gates), median(forks), median(writes));
  return 0;
}

struct Told {
  double gate_ms;
  double fork_ms;
  double write_ms;
};

class Cost {
 public:
  explicit Cost(const Start& start) : quick_(start.quick), json_(start.json), own_path_(start.own_path) {}

  bool run() {
    if (!json_) std::printf("# milliseconds, medians; the parent waits for `checkpoint`, and for nothing else\n");
    bool fine = measure(10, false) && measure(100, false);
    if (!quick_) fine = fine && measure(1024, false) && measure(1024, true);
    if (json_) std::printf("{\"figures\": [%s]}\n", figures_.c_str());
    return fine;
  }

 private:
  std::optional<Told> guest_run(const std::string& size, bool huge, bool with_checkpoints, const std::string& name) {
    const std::filesystem::path folder = home_.path() / (name + ".reprise");
    Variables variables{{"REPRISE_RECORD", folder.string()}, {"REPRISE_PROCESS", "guest"}, {"REPRISE_LEVEL", "data"}};
    if (with_checkpoints) variables.emplace_back("REPRISE_CHECKPOINT", "1:1");
    const int rounds = quick_ ? 5 : 21;
    const Run run = run_program({own_path_, "guest", size, huge ? "huge" : "plain", std::to_string(rounds)}, variables,
                                tool_.chatter());
    if (run.code != 0) return std::nullopt;
    return Told{number_after(run.output, "gate_ns ") / 1e6, number_after(run.output, "fork_ns ") / 1e6,
                number_after(run.output, "write_ns ") / 1e6};
  }

  // From the last checkpoint, as a user would: the tool is started, wakes it, watches, compares.
  double replay_ms(const std::string& name) {
    const double start = wall_ns();
    const Run run = tool_.run({"replay", name, "--from-checkpoint", "--quiet"});
    const double elapsed = (wall_ns() - start) / 1e6;
    tool_.run({"clean", name});
    return run.code == 0 ? elapsed : -1;
  }

  bool measure(std::size_t megabytes, bool huge) {
    const std::string size = std::to_string(megabytes);
    const std::string name = size + "MB" + (huge ? ".huge" : "");
    const auto plain = guest_run(size, huge, false, "plain-" + name);
    const auto left = guest_run(size, huge, true, "left-" + name);
    if (!plain || !left) {
      std::fprintf(stderr, "bench: checkpoint.%s was not measured: a guest failed\n", name.c_str());
      return false;
    }
    tell(name, "checkpoint", left->gate_ms - plain->gate_ms);
    tell(name, "fork", plain->fork_ms);
    tell(name, "write_after", left->write_ms);
    tell(name, "write_before", plain->write_ms);
    if (const double replay = replay_ms("left-" + name); replay >= 0) tell(name, "replay", replay);
    return true;
  }

  void tell(const std::string& size, const char* what, double ms) {
    if (!json_) std::printf("ms checkpoint.%s.%s %.3f\n", size.c_str(), what, ms);
    char line[160];
    std::snprintf(line, sizeof line, "%s{\"name\": \"checkpoint.%s.%s\", \"unit\": \"ms\", \"value\": %.6f}",
                  figures_.empty() ? "" : ", ", size.c_str(), what, ms);
    figures_ += line;
    std::fflush(stdout);
  }

  bool quick_;
  bool json_;
  std::string own_path_;
  std::string figures_;
  TemporaryFolder home_;
  Tool tool_{home_.path()};
};

int run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "guest")
    return guest(std::strtoul(words[1].c_str(), nullptr, 10), words[2] == "huge", std::atoi(words[3].c_str()));
  const auto start = start_of("checkpoint", words);
  if (!start) return usage_code;
  return Cost(*start).run() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_of("checkpoint", argc, argv, bench::run); }
