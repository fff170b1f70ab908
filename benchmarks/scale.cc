// Many threads and many objects: what a recorded process needs more, in memory and in time per event.
//
//   ./bench scale [--quick] [--json]
//
// A guest (this program again) starts threads, ten at a time, each of which passes a few gates and ends; another meets
// a million objects. Memory is the most that was resident, recorded against off. Time per event is that of the last
// threads (or objects) against that of the first ones in the same recorded process: it must not grow with those that
// are gone.
#include <reprise/reprise.h>

#include <deque>
#include <fstream>
#include <mutex>

#include "measure.h"
#include "report.h"
#include "start.h"

namespace bench {
namespace {

constexpr int at_once = 10;
constexpr int locks = 20;

// Kilobytes that were resident at most.
long peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long number = 0;
    if (word == "VmHWM:" && status >> number) return number;
  }
  return -1;
}

void tell(double first, double last) {
  std::printf("first_ns %.2f last_ns %.2f peak_kb %ld\n", first, last, peak_kb());
}

// The medians of the first and of the last tenth.
void tell(const std::vector<double>& times) {
  const auto tenth = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, times.size() / 10));
  tell(median({times.begin(), times.begin() + tenth}), median({times.end() - tenth, times.end()}));
}

// `size` threads, ten at a time.
int many_threads(std::uint64_t size) {
  reprise::mutex mutex;
  std::uint64_t counter = 0;
  std::vector<double> times;
  times.reserve(size / at_once);
  for (std::uint64_t i = 0; i < size; i += at_once) {
    const double start = wall_ns();
    std::vector<reprise::thread> threads;
    threads.reserve(at_once);
    for (int k = 0; k < at_once; ++k) {
      threads.emplace_back([&] {
        for (int n = 0; n < locks; ++n) {
          const std::lock_guard lock(mutex);
          ++counter;
        }
      });
    }
    for (reprise::thread& thread : threads) thread.join();
    times.push_back((wall_ns() - start) / (at_once * (2 * locks + 3)));
  }
  tell(times);
  return counter == size * locks ? 0 : 1;
}

// `size` objects, each locked once, ten thousand to a sample.
int many_objects(std::uint64_t size) {
  constexpr std::uint64_t sample = 1000;
  std::deque<reprise::mutex> objects(size);
  std::vector<double> times;
  times.reserve(size / sample);
  std::uint64_t counter = 0;
  for (std::uint64_t i = 0; i < size;) {
    const double start = wall_ns();
    for (std::uint64_t n = 0; n < sample; ++n) {
      const std::lock_guard lock(objects[i++]);
      ++counter;
    }
    times.push_back((wall_ns() - start) / (2 * sample));
  }
  tell(times);
  return counter == size ? 0 : 1;
}

struct Told {
  double first{-1}, last{-1}, peak{-1};
};

class Scale {
 public:
  explicit Scale(const Start& start)
      : quick_(start.quick), own_path_(start.own_path), report_(start.json, !start.quick) {}

  bool run() {
    measure("threads", quick_ ? 1'000 : 100'000);
    measure("objects", quick_ ? 10'000 : 1'000'000);
    return report_.finish();
  }

 private:
  Told guest(const std::string& kind, std::uint64_t size, bool recorded) {
    const std::filesystem::path folder = home_.path() / "run.reprise";
    Variables variables;
    if (recorded) variables.emplace_back("REPRISE_RECORD", folder.string());
    const Run run = run_program({own_path_, "guest", kind, std::to_string(size)}, variables, home_.path() / "chatter");
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (run.code != 0) return {};
    return {number_after(run.output, "first_ns "), number_after(run.output, "last_ns "),
            number_after(run.output, "peak_kb ")};
  }

  void measure(const std::string& kind, std::uint64_t size) {
    std::vector<double> memory;
    std::vector<double> memory_noise;
    std::vector<double> time;
    std::vector<double> time_noise;
    for (int i = 0; i < (quick_ ? 1 : 3); ++i) {
      const Told before = guest(kind, size, false);
      const Told recorded = guest(kind, size, true);
      const Told after = guest(kind, size, false);
      if (before.peak <= 0 || recorded.peak <= 0 || after.peak <= 0)
        return report_.missing("scale." + kind, "a guest failed");
      memory.push_back(recorded.peak / before.peak);
      memory_noise.push_back(after.peak / before.peak);
      time.push_back(recorded.last / recorded.first);
      time_noise.push_back(before.last / before.first);
      std::fprintf(stderr, "# %s: %.0f kB off, %.0f kB recorded; %.1f ns an event first, %.1f ns last\n", kind.c_str(),
                   before.peak, recorded.peak, recorded.first, recorded.last);
    }
    report_.add("scale." + kind + ".memory", median(memory), median(memory_noise));
    report_.add("scale." + kind + ".time", median(time), median(time_noise));
  }

  bool quick_;
  std::string own_path_;
  Report report_;
  TemporaryFolder home_;
};

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "guest") {
    const std::uint64_t size = std::strtoull(words[2].c_str(), nullptr, 10);
    return words[1] == "threads" ? many_threads(size) : many_objects(size);
  }
  const auto start = start_of("scale", words);
  if (!start) return usage_code;
  return Scale(*start).run() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_of("scale", argc, argv, bench::run); }
