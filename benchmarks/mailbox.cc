// The cost of mailboxes: recording against off, and a forced run against a free one.
//
//   ./bench mailbox [--quick] [--json]
//
// Recording: each side is a pair of processes that stays, so that sides alternate in short runs. Forcing: a run is
// recorded, printed as a sequence, and forced upon the same program by `reprise test`.
#include <cinttypes>
#include <sstream>

#include "mailbox_work.h"
#include "report.h"
#include "start.h"
#include "worker.h"

namespace bench {
namespace {

struct Sizes {
  int pairs;
  std::uint64_t async;
  std::uint64_t sync;
  std::uint64_t forced;  // messages; each is two events
  int runs;
};
constexpr Sizes full_sizes{31, 40'000, 3000, 50'000, 5};
constexpr Sizes quick_sizes{3, 200, 20, 500, 1};
constexpr double cpu_ns_max = 80;
constexpr double forced_s_max = 60;
constexpr int senders = 2;

class Bench {
 public:
  explicit Bench(const Start& start)
      : sizes_(start.quick ? quick_sizes : full_sizes),
        json_(start.json),
        own_path_(start.own_path),
        report_(start.json, !start.quick) {}

  bool run() {
    record("async", sizes_.async);
    record("sync", sizes_.sync);
    force("mailbox.forced.threads", "taker: " + guest("threads") + "\n");
    std::string lines = "taker: " + guest("taker") + "\n";
    for (int i = 0; i < senders; ++i) lines += "sender" + std::to_string(i) + ": " + guest("sender") + "\n";
    force("mailbox.forced.processes", lines);
    return report_.finish() && is_in_time_;
  }

 private:
  struct Took {
    double wall_ns;
    double cpu_ns;
  };
  struct Side {
    std::unique_ptr<Worker> sink;
    std::unique_ptr<Worker> driver;

    Took ask(std::uint64_t count) const {
      const std::string answer = driver->ask_text(std::to_string(count) + "\n");
      Took took{0, 0};
      std::istringstream(answer) >> took.wall_ns >> took.cpu_ns;
      return took;
    }
  };

  Side side(const std::string& kind, bool is_recorded) {
    const std::string folder = (home_.path() / (kind + (is_recorded ? ".record" : ".off"))).string();
    const auto start = [&](const std::string& role, int processor) {
      Variables variables{{"REPRISE_RUN", folder}, {"REPRISE_PROCESS", role}};
      if (is_recorded) variables.emplace_back("REPRISE_RECORD", folder + "-" + role + ".reprise");
      return std::make_unique<Worker>(std::vector<std::string>{own_path_, role, kind}, variables, processor);
    };
    return {start("sink", 1), start("driver", 0)};
  }

  void record(const std::string& kind, std::uint64_t count) {
    const std::string name = "mailbox.record." + kind;
    const Side off = side(kind, false);
    const Side recorded = side(kind, true);
    off.ask(count);
    recorded.ask(count);
    std::vector<double> ratios;
    std::vector<double> more_ns;
    for (int i = 0; i < sizes_.pairs; ++i) {
      const bool is_swapped = i % 2 != 0;
      const Took first = (is_swapped ? recorded : off).ask(count);
      const Took second = (is_swapped ? off : recorded).ask(count);
      const Took& plain = is_swapped ? second : first;
      const Took& other = is_swapped ? first : second;
      ratios.push_back(other.wall_ns / plain.wall_ns);
      more_ns.push_back((other.cpu_ns - plain.cpu_ns) / static_cast<double>(count));
    }
    const double cpu_ns = median(more_ns);
    report_.add(name, median(ratios), interval_of_median(ratios), cpu_ns <= cpu_ns_max);
    if (!json_) std::printf("cpu_ns %s %.0f\n", name.c_str(), cpu_ns);
  }

  std::string guest(const std::string& role) const {
    return own_path_ + " guest " + role + " " + std::to_string(sizes_.forced) + " " + elapsed_file();
  }
  std::string elapsed_file() const { return (home_.path() / "elapsed").string(); }
  double elapsed_ns() const {
    std::ostringstream text;
    text << std::ifstream(elapsed_file()).rdbuf();
    return number_after(text.str(), "elapsed_ns ");
  }

  // Off: the same lines by hand, without the tool.
  double free_ns(const std::string& lines) {
    std::filesystem::remove(elapsed_file());
    const std::string run_folder = (home_.path() / "free.run").string();
    std::vector<pid_t> children;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
      const std::size_t colon = line.find(": ");
      std::vector<std::string> words;
      std::istringstream rest(line.substr(colon + 2));
      for (std::string word; rest >> word;) words.push_back(word);
      const pid_t child = fork();
      if (child == 0) become(words, {{"REPRISE_RUN", run_folder}, {"REPRISE_PROCESS", line.substr(0, colon)}});
      children.push_back(child);
    }
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    return elapsed_ns();
  }

  void force(const std::string& name, const std::string& lines) {
    const std::string file = (home_.path() / "Procfile").string();
    const std::string sequence = (home_.path() / "sequence").string();
    std::ofstream(file) << lines;
    std::error_code ignored;
    std::filesystem::remove_all(home_.path() / "run.reprise", ignored);
    if (tool_.run({"record", "-f", file, "-o", "run", "--no-image"}).code != 0)
      return report_.missing(name, tool_.failure());
    const Run printed = tool_.run({"sequence", "run", "--form", "node"});
    if (printed.code != 0) return report_.missing(name, tool_.failure());
    std::ofstream(sequence) << printed.output;
    std::vector<double> ratios;
    std::vector<double> whole_s;
    for (int i = 0; i < sizes_.runs; ++i) {
      const double free = free_ns(lines);
      std::filesystem::remove(elapsed_file());
      const double start_ns = wall_ns();
      const Run tested = tool_.run({"test", "--sequence", sequence, "-f", file, "-o", "forced", "--force"});
      whole_s.push_back((wall_ns() - start_ns) / 1e9);
      const double forced = elapsed_ns();
      if (tested.code != 0 || free <= 0 || forced <= 0) return report_.missing(name, tool_.failure());
      ratios.push_back(forced / free);
    }
    report_.add(name, median(ratios), std::nullopt);
    is_in_time_ = is_in_time_ && median(whole_s) <= forced_s_max;
    if (!json_) std::printf("seconds %s %.2f (%" PRIu64 " events)\n", name.c_str(), median(whole_s), 2 * sizes_.forced);
  }

  Sizes sizes_;
  bool json_;
  std::string own_path_;
  Report report_;
  TemporaryFolder home_;
  Tool tool_{home_.path()};
  bool is_in_time_{true};
};

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "sink")
    return words[1] == "sync" ? run_mail_sink<reprise::sync_mailbox<std::string>>()
                              : run_mail_sink<reprise::mailbox<std::string>>();
  if (words.size() == 2 && words[0] == "driver") return run_mail_driver();
  if (words.size() == 4 && words[0] == "guest") {
    const std::uint64_t count = std::stoull(words[2]);
    if (words[1] == "sender") return send_mails(count / senders), 0;
    return run_mail_taker(count, words[1] == "threads" ? senders : 0, words[3]);
  }
  const auto start = start_of("mailbox", words);
  if (!start) return usage_code;
  return Bench(*start).run() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_of("mailbox", argc, argv, bench::run); }
