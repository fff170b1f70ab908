// reprise demo - a bank that loses money, caught in the act and replayed 20 times.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "drive/cli/commands.h"
#include "drive/launch.h"

namespace reprise::drive::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* recording_name = "lost_update";

// Shorter when it lies below the working folder.
std::string shown_path(const fs::path& path) {
  std::error_code ignored;
  const fs::path near = path.lexically_relative(fs::current_path(ignored));
  return near.empty() || near.string().starts_with("..") ? path.string() : near.string();
}

class Demo {
 public:
  Demo(fs::path tool, fs::path home, Console& console)
      : tool_(std::move(tool)), home_(std::move(home)), console_(console) {}

  // Prints the command, runs it, returns its exit code (or -1, having said why).
  int run(const std::vector<std::string>& words) {
    std::string line = "$ reprise";
    for (const std::string& word : words) line += " " + word;
    console_.print("\n" + console_.styled(Style::strong, line));
    std::fflush(stdout);
    Launch launch{.program = tool_, .arguments = {"reprise"}, .environment = environment(), .folder = {}};
    launch.fixed_addresses = false;
    launch.arguments.insert(launch.arguments.end(), words.begin(), words.end());
    std::erase_if(launch.environment,
                  [](const std::string& variable) { return variable.starts_with("REPRISE_HOME="); });
    launch.environment.push_back("REPRISE_HOME=" + home_.string());
    Interrupts interrupts;
    auto child = Child::start(launch, interrupts);
    if (!child) {
      console_.fail(child.error());
      return -1;
    }
    while (!child->ended()) child->wait_until(Clock::now() + std::chrono::hours(1));
    return child->interrupted() != 0 ? -1 : child->ended()->exit_code();
  }

 private:
  fs::path tool_;
  fs::path home_;
  Console& console_;
};

Result<fs::path> choose_home() {
  const char* given = std::getenv("REPRISE_HOME");
  if (given != nullptr && *given != '\0') return fs::path(given);
  const char* base = std::getenv("TMPDIR");
  std::string pattern = fmt::format("{}/reprise-demo-XXXXXX", base != nullptr && *base == '/' ? base : "/tmp");
  if (mkdtemp(pattern.data()) == nullptr)
    return fail(ErrorCode::io, fmt::format("cannot create {}; set REPRISE_HOME", pattern));
  return fs::path(pattern);
}

}  // namespace

int run_demo(const Arguments&, Console& console) {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  const fs::path example = tool.parent_path().parent_path() / "examples" / "01_lost_update";
  if (!fs::exists(example, error)) {
    console.note(fmt::format("the demo's program {} is missing; build the examples", example.string()));
    return own_failure;
  }
  const auto home = choose_home();
  if (!home) return console.fail(home.error());
  console.print(
      "A bank with two clerks who pay into one account. A payment reads the balance in one locked section and writes "
      "the new\n"
      "one in another; in between the other clerk may come. Most runs are fine, some lose money.");
  console.print(fmt::format("\n{}", console.styled(Style::strong, "$ export REPRISE_HOME=" + home->string())));
  Demo demo(tool, *home, console);
  const int recorded = demo.run({"record", "--force", "-o", recording_name, "--chaos", "1", "--until-failure", "2000",
                                 "--", shown_path(example)});
  if (recorded <= 0 || recorded == own_failure) {
    console.note(recorded == 0 ? "no run failed; try again" : "the demo could not record");
    return recorded == 0 ? finding : own_failure;
  }
  if (demo.run({"show", recording_name, "--interleaved"}) != 0) return own_failure;
  const int replayed = demo.run({"replay", recording_name, "--times", "20"});
  if (replayed != 0) return replayed < 0 ? static_cast<int>(own_failure) : replayed;
  console.print(fmt::format("\nThe recording stays. Look at it with: REPRISE_HOME={} {} info {}", home->string(),
                            shown_path(tool), recording_name));
  return done;
}

}  // namespace reprise::drive::cli
