#include "drive/checkpoint_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "drive/live_view.h"
#include "drive/scratch.h"
#include "recording/log.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::CheckpointEntry;
using recording::Log;

constexpr int look_interval_ms = 10;
constexpr auto linger = std::chrono::seconds(1);
constexpr auto patience = std::chrono::seconds(5);

// The connection to a process that stands at a checkpoint; who closes it ends what was woken.
class Woken {
 public:
  explicit Woken(int file) : file_(file) {}
  Woken(const Woken&) = delete;
  Woken& operator=(const Woken&) = delete;
  ~Woken() { leave(); }

  bool ask(const recording::WakeRequest& request, const std::array<int, 3>& files) const;
  // Waits for at most one interval.
  void listen(int interrupts);
  void leave() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }
  bool is_open() const { return file_ >= 0; }
  const std::optional<Ended>& ended() const { return ended_; }
  bool is_broken() const { return is_broken_; }
  pid_t pid() const { return pid_; }

 private:
  int file_;
  pid_t pid_{0};
  bool is_broken_{false};
  std::optional<Ended> ended_;
};

bool Woken::ask(const recording::WakeRequest& request, const std::array<int, 3>& files) const {
  std::string text = recording::text_of(request);
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files.data(), sizeof files);
  return text.size() <= recording::wake_bytes_max && sendmsg(file_, &message, MSG_NOSIGNAL) > 0;
}

void Woken::listen(int interrupts) {
  std::array<pollfd, 2> files{pollfd{file_, POLLIN, 0}, pollfd{interrupts, POLLIN, 0}};
  if (poll(files.data(), files.size(), look_interval_ms) <= 0 || files[0].revents == 0) return;
  std::array<char, 64> text{};
  const ssize_t size = recv(file_, text.data(), text.size() - 1, MSG_DONTWAIT);
  if (size <= 0) {
    is_broken_ = !ended_;
    return;
  }
  int number = 0;
  if (std::sscanf(text.data(), "pid %d", &number) == 1) pid_ = number;
  if (std::sscanf(text.data(), "exit %d", &number) == 1) ended_ = Ended{false, number};
  if (std::sscanf(text.data(), "signal %d", &number) == 1) ended_ = Ended{true, number};
}

Result<int> connect(const recording::Folder& folder, const CheckpointEntry& entry) {
  const auto deadline = Clock::now() + patience;
  while (recording::is_alive(entry) && Clock::now() < deadline) {
    const int file = recording::connect_to(recording::socket_path(folder.path, entry.number));
    if (file >= 0) return file;
    std::this_thread::sleep_for(std::chrono::milliseconds(look_interval_ms));  // it has just been made
  }
  return fail(ErrorCode::not_found,
              fmt::format("checkpoint {} of {} does not stand any more", entry.number, folder.name()));
}

// Looks until something is decided; the copy is ended in any case.
std::optional<Verdict> watch(Woken& woken, LiveView& view, const ReplayOptions& options, Interrupts& interrupts,
                             ReplayReport& report) {
  std::uint64_t progress = 0;
  auto last_progress = Clock::now();
  std::optional<Clock::time_point> finished;
  while (!woken.ended()) {
    woken.listen(interrupts.file());
    if (const auto caught = interrupts.next()) {
      report.interrupted = caught->signal;
      return Verdict::interrupted;
    }
    if (woken.is_broken()) return std::nullopt;
    if (options.gate_off || !view.look()) continue;
    if (view.flags() & recording::live_diverged) return Verdict::diverged;
    if (view.flags() & recording::live_stalled) return Verdict::stalled;
    if (view.progress() != progress) last_progress = Clock::now();
    progress = view.progress();
    if (!view.is_finished()) finished.reset();
    if (view.is_finished() && !finished) finished = Clock::now();
    if (finished && Clock::now() - *finished > linger) return Verdict::identical;
    if (!finished && std::chrono::duration<double>(Clock::now() - last_progress).count() > options.stall_after_s)
      return Verdict::stalled;
  }
  view.look();
  return Verdict::identical;
}

void judge(const Log& recorded, const fs::path& live, const CheckpointEntry& entry, const LiveView& view,
           const Woken& woken, ReplayReport& report) {
  const auto replayed = Log::open(live);
  if (!replayed) {
    report.differences.push_back({"", "missing", "the rest of it", "nothing", entry.process});
  } else {
    report.differences = analyse::compare_tail(
        recorded, *replayed, {.thread = entry.thread, .next_index = entry.next_index, .is_whole = entry.is_whole});
  }
  const recording::LogInfo& info = recorded.info();
  const bool stopped = !entry.is_whole || info.end_kind == recording::EndKind::running || recording::ends_early(info);
  bool same = (view.flags() & recording::live_identical) != 0;
  if (!stopped) {
    const bool signalled = info.end_kind == recording::EndKind::signalled;
    same = woken.ended() && *woken.ended() == Ended{signalled, signalled ? info.end_code : info.end_code & 0xFF};
  }
  if (!same && report.differences.empty()) {
    report.differences.push_back(
        {"", "end", analyse::end_text(info.end_kind, info.end_code),
         woken.ended() ? fmt::format("{} {}", woken.ended()->signalled ? "signal" : "exit code", woken.ended()->code)
                       : "it went on",
         entry.process});
  }
  if (!report.differences.empty()) report.verdict = Verdict::different;
}

void describe(const Log& recorded, const fs::path& live, LiveView& view, const ReplayOptions& options,
              ReplayReport& report) {
  const auto replayed = Log::open(live);
  if (report.verdict == Verdict::diverged) {
    report.divergence = analyse::describe_divergence(view.divergence(), recorded, analyse::Names(recorded),
                                                     replayed ? &*replayed : nullptr);
  } else if (replayed) {
    const bool proven = (view.flags() & recording::live_stalled) != 0;
    report.stall = analyse::explain_stall(recorded, analyse::Names(recorded), *replayed, proven, options.stall_after_s);
  }
}

struct Files {
  explicit Files(const ReplayOptions& options) : nowhere(open("/dev/null", O_RDWR | O_CLOEXEC)) {
    if (options.output_to_error) all[1] = STDERR_FILENO;
    if (options.silent) all = {nowhere, nowhere, nowhere};
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { close(nowhere); }

  int nowhere;
  std::array<int, 3> all{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
};

bool is_of(const CheckpointEntry& entry, std::string_view process) {
  return process.empty() || entry.process == process || recording::launched_as(entry.process) == process;
}

}  // namespace

Result<std::optional<CheckpointEntry>> choose_checkpoint(const recording::Folder& folder, std::string_view which,
                                                         std::string_view process) {
  std::optional<CheckpointEntry> chosen;
  std::string standing;
  bool any_gone = false;
  for (const CheckpointEntry& entry : recording::list_checkpoints(folder.path)) {
    if (!is_of(entry, process)) continue;
    if (!recording::is_alive(entry)) {
      any_gone = true;
      continue;
    }
    standing += fmt::format(" {}", entry.number);
    if (which == "last" || fmt::to_string(entry.number) == which) chosen = entry;
  }
  if (chosen) return chosen;
  if (!standing.empty())
    return fail(ErrorCode::not_found,
                fmt::format("there is no checkpoint {} in {}; there are:{}", which, folder.name(), standing));
  if (any_gone)
    return fail(ErrorCode::not_found,
                fmt::format("the checkpoints of {} do not stand any more (the machine was started again, or somebody "
                            "ended them); reprise replay {} goes from the start",
                            folder.name(), folder.name()));
  for (const recording::CheckpointRefusal& refusal : recording::list_refusals(folder.path)) {
    if (!process.empty() && refusal.process != process) continue;
    return fail(ErrorCode::unsupported, fmt::format("{} has no checkpoint of thread {} of {}: {}", folder.name(),
                                                    refusal.path, refusal.process, refusal.reason));
  }
  return std::optional<CheckpointEntry>{};
}

Result<ReplayReport> replay_from(const recording::Folder& folder, const CheckpointEntry& entry,
                                 const ReplayOptions& options, Interrupts& interrupts) {
  auto recorded = Log::open(folder.best(entry.process));
  if (!recorded) return tl::unexpected(recorded.error());
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  auto file = connect(folder, entry);
  if (!file) return tl::unexpected(file.error());
  Woken woken(*file);
  std::error_code ignored;
  const Files files(options);
  std::fflush(stdout);
  if (!woken.ask({.folder = fs::absolute(folder.path, ignored).string(),
                  .scratch = scratch->path().string(),
                  .favour = options.favour,
                  .gate_off = options.gate_off},
                 files.all))
    return fail(ErrorCode::io, fmt::format("cannot ask checkpoint {}: {}", entry.number, std::strerror(errno)));
  const fs::path live = recording::Folder{scratch->path()}.live(entry.process);
  LiveView view(live);
  ReplayReport report;
  report.process = entry.process;
  const auto verdict = watch(woken, view, options, interrupts, report);
  if (!verdict) return fail(ErrorCode::not_found, fmt::format("checkpoint {} ended meanwhile", entry.number));
  report.verdict = *verdict;
  if (woken.ended()) report.ended = *woken.ended();
  if (options.gate_off) return report;
  if (report.verdict == Verdict::diverged) {
    const recording::LiveDivergence found = view.divergence();
    report.stack = program_frames(name_frames(view.pid(), {found.stack, found.stack_depth}));
  }
  if (report.verdict == Verdict::diverged || report.verdict == Verdict::stalled)
    describe(*recorded, live, view, options, report);
  if (report.verdict == Verdict::identical) judge(*recorded, live, entry, view, woken, report);
  return report;
}

}  // namespace reprise::drive
