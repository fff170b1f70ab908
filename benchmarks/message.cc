// The cost of messages: off against raw sockets with the same frames, recording against off, replaying one process
// alone, and bytes on disk. Ends with the tables of the CARE paper.
//
//   ./bench message [--quick] [--json]
//
// Each side of a pair is a pair of processes that stays: a sink, and a driver that is told to send some thousand
// messages (or some hundred calls) and tells how long that took. So sides alternate in short runs.
#include "message_work.h"

#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "hosts.h"
#include "report.h"
#include "start.h"
#include "worker.h"

namespace bench {
namespace {

struct Sizes {
  int pairs;
  std::uint64_t oneway;
  std::uint64_t calls;
  std::uint64_t shared;
  std::uint64_t alone;
  std::uint64_t racing;
  int run_pairs;
};
constexpr Sizes full_sizes{101, 4000, 150, 40'000, 300'000, 250'000, 11};
constexpr Sizes quick_sizes{3, 200, 10, 1000, 2000, 2000, 1};

// A row of one of the paper's tables: messages or accesses per second when it does nothing, captures, captures all.
struct PaperRow {
  const char* name;
  double normal;
  double capture;
  double full;
};

class Bench {
 public:
  explicit Bench(const Start& start)
      : sizes_(start.quick ? quick_sizes : full_sizes),
        json_(start.json),
        own_path_(start.own_path),
        report_(start.json, !start.quick) {}

  bool run() {
    off("message.off.unix", "raw.unix", "off");
    off("message.off.tcp", "raw.tcp", "off.tcp");
    pair("message.record.oneway", "off", "order", "oneway", sizes_.oneway);
    pair("message.record.call", "off", "order", "call", sizes_.calls);
    pair("message.data.oneway", "off", "data", "oneway", sizes_.oneway);
    pair("message.data.call", "off", "data", "call", sizes_.calls);
    pair("shared.data.read", "alone", "alone.data", "read", sizes_.shared);
    rows_to_print_["shared.order.read"] = compare("alone", "alone.order", "read", sizes_.shared);
    rows_to_print_["shared.order.write"] = compare("alone", "alone.order", "write", sizes_.shared);
    over("tcp");
    if (hosts_.made()) over("far");
    sides_.clear();
    replay_only();
    bytes();
    const bool complete = report_.finish();
    if (!json_) tables();
    return complete;
  }

 private:
  struct SidePair {
    std::unique_ptr<Worker> sink;
    std::unique_ptr<Worker> driver;
  };

  // The four figures of a transport that only the paper's tables show.
  void over(const std::string& transport) {
    const std::string behind = "." + transport;
    for (const std::string level : {"order", "data"}) {
      const auto row = [&](const std::string& what, std::uint64_t size) {
        std::string name = transport;
        name.append(".").append(level).append(".").append(what);
        rows_to_print_[name] = compare("off" + behind, level + behind, what, size);
      };
      row("oneway", sizes_.oneway);
      row("call", sizes_.calls);
    }
  }

  // raw.unix, raw.tcp; off, order, data, each also .tcp and .far (between hosts); alone, alone.order, alone.data.
  Worker& side(const std::string& kind) {
    SidePair& pair = sides_[kind];
    if (pair.driver) return *pair.driver;
    const bool is_far = kind.ends_with(".far");
    const bool is_tcp = is_far || kind.ends_with(".tcp");
    const std::string folder = (home_.path() / kind).string();
    std::string place;
    if (kind == "raw.unix") place = folder;
    if (kind == "raw.tcp") place = std::to_string(port());
    if (kind.starts_with("alone")) place = "alone";
    Variables both{{"REPRISE_RUN", folder + ".run"}};
    if (is_tcp && place.empty()) {
      std::ofstream(folder + ".peers") << "sink " << (is_far ? Hosts::address(1) : "127.0.0.1") << ":" << port()
                                       << "\n";
      both = {{"REPRISE_PEERS", folder + ".peers"}};
    }
    if (kind.find("data") != std::string::npos) both.emplace_back("REPRISE_LEVEL", "data");
    const bool is_recorded = kind.find("order") != std::string::npos || kind.find("data") != std::string::npos;
    const auto start = [&](const std::string& role) {
      Variables variables = both;
      if (is_recorded) variables.emplace_back("REPRISE_RECORD", folder + "-" + role + ".reprise");
      if (is_tcp && place.empty()) variables.emplace_back("REPRISE_RUN", folder + "." + role);
      return std::make_unique<Worker>(std::vector<std::string>{own_path_, role, place}, variables,
                                      role == "sink" ? 1 : 0, is_far ? &hosts_ : nullptr);
    };
    if (place != "alone") pair.sink = start("sink");
    pair.driver = start("driver");
    return *pair.driver;
  }
  int port() { return 20000 + static_cast<int>(getpid()) % 20000 + ++ports_; }

  Figure compare(const std::string& plain, const std::string& other, const std::string& what, std::uint64_t size) {
    const std::string line = what + " " + std::to_string(size) + "\n";
    Worker& first = side(plain);
    Worker& second = side(other);
    return measure_pairs([&] { return first.ask(line); }, [&] { return second.ask(line); }, sizes_.pairs);
  }
  void pair(const char* name, const std::string& plain, const std::string& other, const std::string& what,
            std::uint64_t size) {
    const Figure figure = compare(plain, other, what, size);
    rows_to_print_[name] = figure;
    report_.add(name, figure.ratio, figure.noise);
  }
  void off(const char* name, const std::string& raw, const std::string& party) {
    pair(name, raw, party, "oneway", sizes_.oneway);
  }

  // Records a taker and so many senders as "run".
  Run record(std::uint64_t size, int senders, const std::string& level) {
    const std::string file = (home_.path() / "Procfile").string();
    std::error_code ignored;
    std::filesystem::remove_all(home_.path() / "run.reprise", ignored);
    {
      std::ofstream lines(file);
      const std::string rest = " " + std::to_string(size) + " " + std::to_string(senders) + "\n";
      lines << "taker: " << own_path_ << " guest taker" << rest;
      for (int i = 0; i < senders; ++i) lines << "sender" << i << ": " << own_path_ << " guest sender" << i << rest;
    }
    return tool_.run({"record", "-f", file, "-o", "run", "--no-image", "--level", level});
  }

  void replay_only() {
    std::vector<double> ratios;
    std::vector<double> noises;
    double last = -1;
    for (int i = 0; i < sizes_.run_pairs; ++i) {
      const Run recorded = record(sizes_.alone, 1, "data");
      const Run replayed = recorded.code == 0 ? tool_.run({"replay", "run", "--only", "taker"}) : recorded;
      const double before = number_after(recorded.output, "elapsed_ns ");
      const double after = number_after(replayed.output, "elapsed_ns ");
      if (replayed.code != 0 || before <= 0 || after <= 0)
        return report_.missing("message.replay.only", tool_.failure());
      ratios.push_back(after / before);
      if (last > 0) noises.push_back(before / last);
      last = before;
    }
    report_.add("message.replay.only", median(ratios), noises.empty() ? 1 : median(noises));
  }

  // The logs on disk, over the messages that were received.
  void bytes() {
    const Run recorded = record(sizes_.racing, 4, "order");
    const double count = number_after(recorded.output, "count ");
    if (recorded.code != 0 || count <= 0) return report_.missing("message.order", tool_.failure());
    std::uint64_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(home_.path() / "run.reprise")) {
      if (entry.path().extension() == ".log") size += entry.file_size();
    }
    report_.add("message.order", static_cast<double>(size) / count, std::nullopt);
  }

  void row(const PaperRow& paper, const Figure* order, const Figure* data, double size) const {
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
    std::printf("%-8s %12.0f", paper.name, order != nullptr ? 1e9 * size / order->plain_ns : 0);
    std::printf("   %5.2f", order != nullptr ? order->ratio : 0);
    data != nullptr ? std::printf("   %5.2f", data->ratio) : std::printf("    n.a.");
    if (paper.normal <= 0) return static_cast<void>(std::printf("   |      n.a.\n"));
    std::printf("   |  %8.0f   %5.2f", paper.normal, ratio(paper.normal, paper.capture));
    paper.full > 0 ? std::printf("   %5.2f\n", ratio(paper.normal, paper.full)) : std::printf("    n.a.\n");
  }
  // The paper's remote row beside ours between two hosts, and our own over loopback, which it has not.
  void rows_over_tcp(const PaperRow& paper, const std::string& what, double size) const {
    if (hosts_.made()) {
      row(paper, figure("far.order." + what), figure("far.data." + what), size);
    } else {
      std::printf("remote   left out: network namespaces are not permitted here, or `ip` is missing\n");
    }
    row({"loopback", 0, 0, 0}, figure("tcp.order." + what), figure("tcp.data." + what), size);
  }
  const Figure* figure(const std::string& name) const {
    const auto found = rows_to_print_.find(name);
    return found == rows_to_print_.end() ? nullptr : &found->second;
  }
  void tables() const {
    const char* head = "%s\n%-8s %12s   order    data   |  %8s   order    data\n";
    const auto oneway = static_cast<double>(sizes_.oneway);
    const auto calls = static_cast<double>(sizes_.calls);
    const auto shared = static_cast<double>(sizes_.shared);
    std::printf(
        "\nThe paper's tables: per second when off, and how many times longer it takes recorded (left: here)\n\n");
    std::printf(head, "5.1 nonblocking send/receive, 64 bytes (remote: two network namespaces)", "", "off/s",
                "NORMAL/s");
    rows_over_tcp({"remote", 1330, 1250, 530}, "oneway", oneway);
    row({"local", 740, 690, 370}, figure("message.record.oneway"), figure("message.data.oneway"), oneway);
    std::printf(head, "\n5.2 blocking calls, 64 bytes", "", "off/s", "NORMAL/s");
    rows_over_tcp({"remote", 43, 43, 31}, "call", calls);
    row({"local", 43, 36, 31}, figure("message.record.call"), figure("message.data.call"), calls);
    std::printf(head, "\n5.3 shared memory accesses", "", "off/s", "NORMAL/s");
    row({"reads", 9090, 2780, 1820}, figure("shared.order.read"), figure("shared.data.read"), shared);
    row({"writes", 26320, 1560, 0}, figure("shared.order.write"), nullptr, shared);
  }

  Sizes sizes_;
  bool json_;
  std::string own_path_;
  Report report_;
  TemporaryFolder home_;
  Tool tool_{home_.path()};
  Hosts hosts_;
  std::map<std::string, SidePair> sides_;
  std::map<std::string, Figure> rows_to_print_;
  int ports_{0};
};

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "sink") return run_sink(words[1]);
  if (words.size() == 2 && words[0] == "driver") return run_driver(words[1]);
  if (words.size() == 4 && words[0] == "guest")
    return run_message_guest(words[1], std::stoull(words[2]), std::stoull(words[3]));
  const auto start = start_of("message", words);
  if (!start) return usage_code;
  return Bench(*start).run() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_of("message", argc, argv, bench::run); }
