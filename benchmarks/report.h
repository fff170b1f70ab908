// The claims of cost with their bars, and how measured figures are told: one line each, then a table.
//
//   Report report(json);
//   report.add("gate.off.mutex", 1.01, 0.998);          // ratio gate.off.mutex 1.010 / noise gate.off.mutex 0.998
//   report.finish();
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure.h"

namespace bench {

enum class Unit { ratio, bytes_per_event };

struct Claim {
  const char* name;
  Unit unit;
  double bar;
  const char* what;
};

// One row per claim; each is at most its bar.
constexpr Claim claims[] = {
    {"gate.off.mutex", Unit::ratio, 1.05, "off against std: lock and unlock"},
    {"gate.off.notify", Unit::ratio, 1.10, "off against std: notify_one, nobody waits"},
    {"gate.off.fetch_add", Unit::ratio, 1.15, "off against std: fetch_add"},
    {"gate.record.mutex.uncontended", Unit::ratio, 1.20, "record against std: lock and unlock, one thread"},
    {"gate.record.mutex.contended", Unit::ratio, 1.15, "record against std: two threads on one mutex"},
    {"gate.record.fetch_add", Unit::ratio, 1.8, "record against std: fetch_add, one thread"},
    {"gate.record.fetch_add.contended", Unit::ratio, 2.5, "record against std: two threads on one atomic"},
    {"gate.record.load", Unit::ratio, 1.0, "record: load that sees nothing new, against std's fetch_add"},
    {"gate.record.thread", Unit::ratio, 1.3, "record against off: start and join of a thread"},
    {"gate.record.application", Unit::ratio, 1.03, "record against std: parallel sort with a work queue"},
    {"gate.replay.application", Unit::ratio, 1.10, "replay against std: parallel sort with a work queue"},
    {"gate.replay.mutex.contended", Unit::ratio, 2.0, "replay against its recording: two threads on one mutex"},
    {"gate.record.shared_read", Unit::ratio, 1.5, "record against std: lock_shared and unlock_shared, one thread"},
    {"shared.record.read", Unit::ratio, 1.5, "record against off: read of a shared object"},
    {"shared.record.write", Unit::ratio, 1.5, "record against off: write of a shared object"},
    {"scale.threads.memory", Unit::ratio, 1.2, "record against off: resident at most, 100,000 short threads"},
    {"scale.threads.time", Unit::ratio, 1.2, "time per event: the last of 100,000 threads against the first"},
    {"scale.objects.memory", Unit::ratio, 1.2, "record against off: resident at most, 1,000,000 objects"},
    {"scale.objects.time", Unit::ratio, 1.2, "time per event: the last of 1,000,000 objects against the first"},
    {"gate.mutex.uncontended", Unit::bytes_per_event, 0.01, "folder on disk / events: one thread on a mutex"},
    {"gate.producer_consumer", Unit::bytes_per_event, 1.5, "folder on disk / events: bounded queue"},
    {"message.off.unix", Unit::ratio, 1.10, "off against a raw Unix socket: one way, 64 bytes"},
    {"message.off.tcp", Unit::ratio, 1.10, "off against a raw TCP socket: one way, 64 bytes"},
    {"message.record.oneway", Unit::ratio, 1.05, "record order against off: one way"},
    {"message.record.call", Unit::ratio, 1.03, "record order against off: calls"},
    {"message.data.oneway", Unit::ratio, 1.15, "record data against off: one way"},
    {"message.data.call", Unit::ratio, 1.10, "record data against off: calls"},
    {"shared.data.read", Unit::ratio, 2.0, "record data against off: read of a shared int"},
    {"message.replay.only", Unit::ratio, 0.7, "replay of one process alone against its recorded run"},
    {"message.order", Unit::bytes_per_event, 1, "logs on disk / receives: 4 racing senders"},
    {"mailbox.record.async", Unit::ratio, 1.05, "record against off: 64 bytes to a mailbox; or 80 ns of CPU more"},
    {"mailbox.record.sync", Unit::ratio, 1.05, "record against off: 64 bytes to a sync_mailbox; or 80 ns of CPU more"},
    {"mailbox.forced.threads", Unit::ratio, 3, "forced against a free run: 100,000 events of threads"},
    {"mailbox.forced.processes", Unit::ratio, 3, "forced against a free run: 100,000 events of processes"},
    {"mcapi.send", Unit::ratio, 2.0, "64 bytes, one way, two processes, against a ring with a robust mutex; CPU"},
    {"gate.mutex.change", Unit::bytes_per_event, 3, "folder on disk / owner changes of a contended mutex"},
};

inline const Claim* find_claim(std::string_view name) {
  for (const Claim& claim : claims) {
    if (name == claim.name) return &claim;
  }
  return nullptr;
}

class Report {
 public:
  // `judged`: say whether the bars are kept. Short runs are too noisy for that.
  Report(bool json, bool judged) : json_(json), judged_(judged) {
    if (!json_) std::printf("# median of paired runs; noise: the plain side against itself; docs/design/\n");
  }

  void add(std::string_view name, double value, std::optional<double> noise) {
    const Claim* claim = find_claim(name);
    if (claim == nullptr) return;
    rows_.push_back({claim, value, {}});
    if (json_) return;
    const bool is_ratio = claim->unit == Unit::ratio;
    std::printf("%s %s %.*f\n", is_ratio ? "ratio" : "bytes_per_event", claim->name, is_ratio ? 3 : 4, value);
    if (noise) std::printf("noise %s %.3f\n", claim->name, *noise);
    std::fflush(stdout);
  }
  // A figure that is worth nothing where its interval is wide. `is_allowed`: over its bar, but kept in another way.
  void add(std::string_view name, double value, const Interval& interval, bool is_allowed) {
    add(name, value, std::nullopt);
    if (rows_.empty() || name != rows_.back().claim->name) return;
    const bool is_noisy = interval.high - interval.low > noisy_width * value;
    rows_.back().verdict = is_noisy ? "too noisy" : value <= rows_.back().claim->bar || is_allowed ? "ok" : "over";
    if (json_) return;
    std::printf("interval %s %.3f %.3f%s\n", rows_.back().claim->name, interval.low, interval.high,
                is_noisy ? " too noisy" : "");
    std::fflush(stdout);
  }
  void missing(std::string_view name, const std::string& why) {
    ++missing_;
    std::fprintf(stderr, "bench: %.*s was not measured: %s\n", static_cast<int>(name.size()), name.data(), why.c_str());
  }

  // Returns whether everything was measured.
  bool finish() const {
    if (json_) print_json();
    if (!json_) print_table();
    return missing_ == 0;
  }

 private:
  struct Row {
    const Claim* claim;
    double value;
    std::string verdict;  // empty: by its bar
  };
  static constexpr double noisy_width = 0.1;

  const char* verdict(const Row& row) const {
    if (!judged_) return "-";
    if (!row.verdict.empty()) return row.verdict.c_str();
    return row.value <= row.claim->bar ? "ok" : "over";
  }
  void print_table() const {
    std::printf("\n%-34s %10s %8s  %-5s %s\n", "name", "measured", "bar", "", "what");
    for (const Row& row : rows_) {
      std::printf("%-34s %10.4f %8.2f  %-5s %s\n", row.claim->name, row.value, row.claim->bar, verdict(row),
                  row.claim->what);
    }
  }
  void print_json() const {
    std::printf("{\"figures\": [");
    const char* between = "";
    for (const Row& row : rows_) {
      std::printf("%s{\"name\": \"%s\", \"unit\": \"%s\", \"value\": %.6f, \"bar\": %g, \"verdict\": \"%s\"}", between,
                  row.claim->name, row.claim->unit == Unit::ratio ? "ratio" : "bytes_per_event", row.value,
                  row.claim->bar, verdict(row));
      between = ", ";
    }
    std::printf("]}\n");
  }

  bool json_;
  bool judged_;
  int missing_{0};
  std::vector<Row> rows_;
};

}  // namespace bench
