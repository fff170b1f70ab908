// The cost of a gate: off, recording and replaying, against std's primitives and in bytes on disk.
//
//   ./bench gate [--quick] [--json]
//
// Off is measured in this process. Recording against std is measured in one recorded process that uses both. Replay and
// whole programs are pairs of runs of this program as a guest, recorded and replayed by the tool ($REPRISE, or
// ../bin/reprise).
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "guests.h"
#include "loops.h"
#include "report.h"
#include "start.h"

namespace bench {
namespace {

struct Sizes {
  Pairing pairing;
  int run_pairs;
  std::uint64_t mutex_alone;
  std::uint64_t mutex_change;
  std::uint64_t mutex_contended;
  std::uint64_t producer_consumer;
  std::uint64_t threads;
  std::uint64_t sort;
};

constexpr Sizes full_sizes{{201, 2e6}, 31, 20'000'000, 1'000'000, 2'000'000, 1'000'000, 2'000, 2'000'000};
constexpr Sizes quick_sizes{{5, 2e5}, 1, 20'000, 2'000, 20'000, 2'000, 20, 50'000};

// What the recorded process is asked for; it prints one line each for the one that asked.
void measure_recorded(const Sizes& sizes) {
  Team team;
  const Pairing& pairing = sizes.pairing;
  const auto tell = [](const char* name, const Figure& figure) {
    std::printf("%s ratio %.4f noise %.4f\n", name, figure.ratio, figure.noise);
  };
  tell("gate.record.mutex.uncontended", mutex_figure(pairing));
  tell("gate.record.mutex.contended", contended_mutex_figure(team, pairing));
  tell("gate.record.fetch_add", fetch_add_figure(pairing));
  tell("gate.record.fetch_add.contended", contended_fetch_add_figure(team, pairing));
  tell("gate.record.load", load_figure(pairing));
  tell("gate.record.shared_read", shared_read_figure(pairing));
  tell("shared.record.read", shared_object_figure(pairing, false));
  tell("shared.record.write", shared_object_figure(pairing, true));
}

class Bench {
 public:
  explicit Bench(const Start& start)
      : sizes_(start.quick ? quick_sizes : full_sizes),
        quick_(start.quick),
        own_path_(start.own_path),
        report_(start.json, !start.quick) {}

  bool run() {
    off();
    recorded();
    thread();
    application();
    replay_contended();
    bytes("gate.mutex.uncontended", "mutex_alone", sizes_.mutex_alone, "traced");
    bytes("gate.producer_consumer", "producer_consumer", sizes_.producer_consumer, "traced");
    bytes("gate.mutex.change", "mutex_changes", sizes_.mutex_change, "count");
    return report_.finish();
  }

 private:
  void off() {
    const Team team;
    const auto add = [&](const char* name, const Figure& figure) { report_.add(name, figure.ratio, figure.noise); };
    add("gate.off.mutex", mutex_figure(sizes_.pairing));
    add("gate.off.notify", notify_figure(sizes_.pairing));
    add("gate.off.fetch_add", fetch_add_figure(sizes_.pairing));
  }

  void recorded() {
    const std::string folder = (home_.path() / "pairs.reprise").string();
    std::vector<std::string> command{own_path_, "pairs"};
    if (quick_) command.emplace_back("--quick");
    const Run run = run_program(command, {{"REPRISE_RECORD", folder}}, tool_.chatter());
    for (const Claim& claim : claims) {
      const std::string name = claim.name;
      const bool is_pair = name.starts_with("gate.record.") || name.starts_with("shared.record.");
      if (name == "gate.record.thread" || name == "gate.record.application" || !is_pair) continue;
      const std::size_t line = run.output.find(name + " ratio ");
      if (line == std::string::npos) {
        report_.missing(name, "the recorded process ended with " + std::to_string(run.code));
        continue;
      }
      const std::string rest = run.output.substr(line);
      report_.add(name, number_after(rest, " ratio "), number_after(rest, " noise "));
    }
    forget("pairs");
  }

  // Nanoseconds that a guest took, plain, recorded or replayed; negative when it failed.
  double plain(const std::string& guest, std::uint64_t size) {
    return elapsed(run_program({own_path_, "guest", guest, std::to_string(size)}, {}, tool_.chatter()));
  }
  double record(const std::string& guest, std::uint64_t size) {
    forget("run");
    return elapsed(tool_.run({"record", "-o", "run", "--", own_path_, "guest", guest, std::to_string(size)}));
  }
  double replay() { return elapsed(tool_.run({"replay", "run"})); }

  double elapsed(const Run& run) {
    if (run.code != 0) {
      failure_ = tool_.failure().empty() ? "a guest ended with " + std::to_string(run.code) : tool_.failure();
      return -1;
    }
    const double taken = number_after(run.output, "elapsed_ns ");
    if (taken < 0) failure_ = "the guest told no time";
    return taken;
  }
  void forget(const std::string& name) {
    std::error_code ignored;
    std::filesystem::remove_all(home_.path() / (name + ".reprise"), ignored);
  }

  void thread() {
    std::vector<double> ratios;
    std::vector<double> noises;
    for (int i = 0; i < sizes_.run_pairs; ++i) {
      const double before = plain("threads", sizes_.threads);
      const double gated = record("threads", sizes_.threads);
      const double after = plain("threads", sizes_.threads);
      if (before < 0 || gated < 0 || after < 0) return report_.missing("gate.record.thread", failure_);
      ratios.push_back(gated / (i % 2 == 0 ? before : after));
      noises.push_back(after / before);
    }
    report_.add("gate.record.thread", median(ratios), median(noises));
  }

  void application() {
    std::vector<double> recorded;
    std::vector<double> replayed;
    std::vector<double> noises;
    for (int i = 0; i < sizes_.run_pairs; ++i) {
      const double before = plain("sort_std", sizes_.sort);
      const double gated = record("sort", sizes_.sort);
      const double again = replay();
      const double after = plain("sort_std", sizes_.sort);
      if (before < 0 || gated < 0 || again < 0 || after < 0) {
        report_.missing("gate.record.application", failure_);
        return report_.missing("gate.replay.application", failure_);
      }
      const double base = i % 2 == 0 ? before : after;
      recorded.push_back(gated / base);
      replayed.push_back(again / base);
      noises.push_back(after / before);
    }
    report_.add("gate.record.application", median(recorded), median(noises));
    report_.add("gate.replay.application", median(replayed), median(noises));
  }

  void replay_contended() {
    std::vector<double> ratios;
    std::vector<double> noises;
    double last = -1;
    for (int i = 0; i < sizes_.run_pairs; ++i) {
      const double recorded = record("mutex_contended", sizes_.mutex_contended);
      const double replayed = replay();
      if (recorded < 0 || replayed < 0) return report_.missing("gate.replay.mutex.contended", failure_);
      ratios.push_back(replayed / recorded);
      if (last > 0) noises.push_back(recorded / last);
      last = recorded;
    }
    report_.add("gate.replay.mutex.contended", median(ratios), noises.empty() ? 1 : median(noises));
  }

  // What `du` says of the folder, over the events of its trace ("traced") or over what the guest counted itself
  // ("count").
  void bytes(const char* name, const char* guest, std::uint64_t size, const std::string& over) {
    forget("run");
    const Run recorded = tool_.run({"record", "-o", "run", "--", own_path_, "guest", guest, std::to_string(size)});
    if (recorded.code != 0) return report_.missing(name, tool_.failure());
    const auto size_on_disk = static_cast<double>(disk_usage(home_.path() / "run.reprise"));
    double events = number_after(recorded.output, "count ");
    if (over == "traced") {
      const Run traced = tool_.run({"replay", "run", "--trace", "--json"});
      if (traced.code != 0) return report_.missing(name, tool_.failure());
      events = number_after(traced.output, "\"traced\":");
    }
    if (events <= 0) return report_.missing(name, "no events were told");
    report_.add(name, size_on_disk / events, std::nullopt);
    forget("run");
  }

  static std::uint64_t disk_usage(const std::filesystem::path& folder);

  Sizes sizes_;
  bool quick_;
  std::string own_path_;
  Report report_;
  TemporaryFolder home_;
  Tool tool_{home_.path()};
  std::string failure_;
};

std::uint64_t Bench::disk_usage(const std::filesystem::path& folder) {
  constexpr std::uint64_t block_bytes = 512;  // what st_blocks counts
  struct stat status {};
  std::uint64_t bytes =
      stat(folder.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * block_bytes : 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (stat(entry.path().c_str(), &status) == 0) bytes += static_cast<std::uint64_t>(status.st_blocks) * block_bytes;
  }
  return bytes;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "guest")
    return run_guest(words[1], std::strtoull(words[2].c_str(), nullptr, 10));
  const bool is_pairs = !words.empty() && words[0] == "pairs";
  const auto start = start_of("gate", {words.begin() + (is_pairs ? 1 : 0), words.end()});
  if (!start) return usage_code;
  if (is_pairs) {
    measure_recorded(start->quick ? quick_sizes : full_sizes);
    return 0;
  }
  return Bench(*start).run() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_of("gate", argc, argv, bench::run); }
