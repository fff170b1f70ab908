// Puts damaged recordings to every command that reads one, in one process: a command costs less than starting it would.
//
//   damage SCRATCH SEED FIRST COUNT REPLAY_EVERY FOLDER.reprise...     (its last line: "ok ...", or "FAILED ...")
//
// Each mutation follows from the seed and its number alone. SCRATCH/at names the one that is at work,
// SCRATCH/mutated.reprise holds it: what crashes or hangs can be looked at. Expected are codes, and a word on stderr
// where the code is not 0.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drive/cli/commands.h"
#include "drivers/mutate.h"

namespace {

namespace fs = std::filesystem;
using reprise::test::Bytes;
using reprise::test::Forgery;
using reprise::test::Mutated;
using reprise::test::Mutator;
using Codes = std::set<int>;

constexpr unsigned hang_seconds = 60;
constexpr std::string_view mutated_name = "mutated.reprise";

Bytes read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

enum class Part { log, live, trace, manifest, pack };
constexpr std::array<const char*, 5> part_names{"log", "live", "trace", "manifest", "pack"};

// A file that can be damaged, with the whole recording around it.
struct Target {
  Part part;
  fs::path folder;
  std::string file;
  Bytes bytes;
  std::optional<Forgery> forgery;
};

struct Called {
  int code;
  std::string error;
};

class Driver {
 public:
  Driver(fs::path scratch, std::uint64_t seed, std::uint64_t replay_every)
      : scratch_(std::move(scratch)), seed_(seed), replay_every_(replay_every), quiet_(std::fopen("/dev/null", "w")) {
    fs::create_directories(scratch_);
    at_ = open((scratch_ / "at").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    setenv("REPRISE_HOME", scratch_.c_str(), 1);
  }

  void add(const fs::path& folder);
  void mutate(std::uint64_t number);
  int finish();

 private:
  const Target& choose(Mutator& chance) const;
  Called call(const std::vector<std::string>& words);
  void expect(const std::vector<std::string>& words, const Codes& codes);
  void expect_pack(const Mutated& mutated);
  void expect_log(const Target& target, const Mutated& mutated, bool replays);
  void expect_repair();
  void lay_out(const Target& target, const Bytes& bytes);
  void note(const std::string& text);

  fs::path scratch_;
  std::uint64_t seed_;
  std::uint64_t replay_every_;
  std::FILE* quiet_;
  int at_;
  std::vector<Target> targets_;
  std::string what_;
  bool other_version_{false};  // the number of the format is another: that is said first
  std::uint64_t failures_{0};
  std::map<std::string, std::uint64_t> counts_;  // "verify 5": how often
};

void Driver::add(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const std::string file = path.filename().string();
    std::optional<Part> part;
    if (file == "manifest.json") part = Part::manifest;
    if (path.extension() == ".log") part = Part::log;
    if (path.extension() == ".live") part = Part::live;
    if (path.extension() == ".trace") part = Part::trace;
    if (!part) continue;
    Target target{*part, folder, file, read(path), {}};
    if (*part == Part::log || *part == Part::trace) target.forgery = Forgery::of(target.bytes);
    if (*part == Part::live) {
      const std::uint64_t used = reprise::base::Cursor(target.bytes.data() + 16, target.bytes.data() + 24).u64();
      target.bytes.resize(used);
    }
    targets_.push_back(std::move(target));
  }
  const fs::path pack = scratch_ / "control.reprise-pack";
  expect({"verify", folder.string()}, {0});
  expect({"pack", folder.string(), "--force", "-o", pack.string()}, {0});
  targets_.push_back({Part::pack, folder, "", read(pack), {}});
}

void Driver::note(const std::string& text) {
  what_ = text;
  if (ftruncate(at_, 0) == 0 && pwrite(at_, text.data(), text.size(), 0) < 0) std::abort();
}

Called Driver::call(const std::vector<std::string>& words) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* error = open_memstream(&text, &size);
  Called called{};
  alarm(hang_seconds);
  {
    reprise::drive::cli::Console console(quiet_, error);
    called.code = reprise::drive::cli::run(words, console);
  }
  alarm(0);
  std::fclose(error);
  called.error.assign(text, size);
  std::free(text);
  return called;
}

void Driver::expect(const std::vector<std::string>& words, const Codes& codes) {
  const Called called = call(words);
  ++counts_[fmt::format("{} {}", words.front(), called.code)];
  if (called.code == 7 && other_version_) return;
  const bool silent = called.code == 5 && called.error.empty();
  if (codes.contains(called.code) && !silent) return;
  ++failures_;
  fmt::print("FAILED {}\n  reprise {} ended with {}, wanted {}\n  {}\n", what_, fmt::join(words, " "), called.code,
             fmt::join(codes, " or "), called.error);
  std::error_code ignored;
  if (failures_ <= 10)
    fs::copy(scratch_ / mutated_name, scratch_ / fmt::format("failed-{}.reprise", failures_), ignored);
}

void Driver::lay_out(const Target& target, const Bytes& bytes) {
  const fs::path folder = scratch_ / mutated_name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(target.folder)) {
    if (entry.is_regular_file() && entry.path().filename() != target.file)
      fs::copy_file(entry.path(), folder / entry.path().filename());
  }
  write(folder / target.file, bytes);
}

// What is laid out is put together again as a user would; then it must be good, and replay to where it was cut.
void Driver::expect_repair() {
  const std::string folder = (scratch_ / mutated_name).string();
  const Called repaired = call({"verify", folder, "--repair"});
  ++counts_[fmt::format("repair {}", repaired.code)];
  if (repaired.code != 0) return;
  expect({"verify", folder}, {0});
  // A thread that is lost may be one that others wait for outside the gates: that is a stall, and explained as one.
  expect({"replay", folder, "--quiet", "--stall-after", "2"}, {0, 4});
}

void Driver::expect_pack(const Mutated& mutated) {
  const fs::path file = scratch_ / "mutated.reprise-pack";
  write(file, mutated.bytes);
  fs::remove_all(scratch_ / mutated_name);
  expect({"unpack", file.string(), "-o", "mutated"}, mutated.recomputed ? Codes{0, 5} : Codes{5});
}

void Driver::expect_log(const Target& target, const Mutated& mutated, bool replays) {
  const std::string folder = (scratch_ / mutated_name).string();
  const bool is_log = target.part == Part::log;
  const bool is_trace = target.part == Part::trace;
  // Nothing that checksums cover may change unnoticed; what they do not (live logs, manifests) may turn into another
  // good one.
  const bool noticed = (is_log || is_trace) && !mutated.recomputed;
  const bool ends_early = target.part == Part::live && mutated.is_cut;
  expect({"verify", folder}, noticed || ends_early ? Codes{5} : Codes{0, 5});
  expect({"info", folder}, {0, 5});
  const bool has_trace = fs::exists((scratch_ / mutated_name / target.file).replace_extension(".trace"));
  const bool is_read = noticed && (is_trace || !has_trace);  // show and diff take a trace where there is one
  expect({"show", folder}, is_read ? Codes{5} : Codes{0, 5});
  expect({"show", folder, "--interleaved", "--json"}, {0, 5});
  expect({"diff", folder, target.folder.string()}, is_read ? Codes{5} : Codes{0, 1, 5});
  if (!replays) return;
  const Codes any{0, 1, 3, 4, 5, 7};
  expect({"replay", folder, "--quiet", "--stall-after", "2"}, noticed ? Codes{5} : any);
  if (noticed) expect_repair();
}

// Logs more often than what stands beside them.
const Target& Driver::choose(Mutator& chance) const {
  const std::uint64_t lot = chance.below(20);
  const Part wanted = lot < 9    ? Part::log
                      : lot < 14 ? Part::live
                      : lot < 16 ? Part::trace
                      : lot < 18 ? Part::manifest
                                 : Part::pack;
  for (;;) {
    const Target& target = targets_[chance.below(targets_.size())];
    if (target.part == wanted) return target;
  }
}

// A pack's last eight bytes are the checksum of the others.
Mutated with_checksum(Mutated mutated) {
  mutated.bytes.resize(std::max<std::size_t>(mutated.bytes.size(), 8));
  const std::size_t covered = mutated.bytes.size() - 8;
  reprise::base::put_u64(mutated.bytes.data() + covered, XXH3_64bits(mutated.bytes.data(), covered));
  mutated.recomputed = true;
  return mutated;
}

void Driver::mutate(std::uint64_t number) {
  Mutator chance(seed_ * 1'000'003 + number);
  const Target& target = choose(chance);
  const bool recomputes = target.forgery && chance.below(2) == 0;
  Mutated mutated = recomputes ? chance.sealed(*target.forgery) : chance.bytes(target.bytes);
  if (target.part == Part::pack && chance.below(2) == 0) mutated = with_checksum(std::move(mutated));
  for (int again = 0; again < 10 && mutated.bytes == target.bytes; ++again) mutated = chance.bytes(target.bytes);
  if (mutated.bytes == target.bytes) return;
  note(fmt::format("mutation {} of seed {}: {} of {}, {}{}", number, seed_,
                   part_names[static_cast<std::size_t>(target.part)], target.folder.filename().string(), mutated.what,
                   mutated.recomputed ? " (checksums recomputed)" : ""));
  ++counts_[part_names[static_cast<std::size_t>(target.part)]];
  const auto version = [](const Bytes& bytes) { return Bytes(bytes.begin() + 8, bytes.begin() + 16); };
  other_version_ = mutated.bytes.size() >= 16 && version(mutated.bytes) != version(target.bytes);
  if (target.part == Part::pack) return expect_pack(mutated);
  lay_out(target, mutated.bytes);
  // What a damaged manifest names is not run.
  expect_log(target, mutated, target.part != Part::manifest && number % replay_every_ == 0);
}

int Driver::finish() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  for (const auto& [what, count] : counts_) fmt::print("{}: {}\n", what, count);
  fmt::print("{} {} failed, {} MB at most\n", failures_ == 0 ? "ok" : "FAILED", failures_, usage.ru_maxrss / 1024);
  return failures_ == 0 ? 0 : 1;
}

void tell_hang(int) {
  constexpr std::string_view text = "FAILED hung\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) _exit(4);
  _exit(3);
}

}  // namespace

int main(int count, char** words) {
  if (count < 7) return 2;
  std::signal(SIGALRM, tell_hang);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Driver driver(words[1], std::stoull(words[2]), std::stoull(words[5]));
  for (int i = 6; i < count; ++i) driver.add(words[i]);
  const std::uint64_t first = std::stoull(words[3]);
  for (std::uint64_t i = first; i < first + std::stoull(words[4]); ++i) driver.mutate(i);
  return driver.finish();
}
