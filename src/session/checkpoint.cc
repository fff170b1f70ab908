#include "session/checkpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "gate/children.h"
#include "gate/free.h"
#include "gate/output_lock.h"
#include "gate/perturb.h"
#include "gate/relay.h"
#include "gate/run_order.h"
#include "recording/checkpoint.h"
#include "session/stand.h"

namespace reprise::session {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
}

std::string now_text() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// All signals are held back: a copy must not run the program's handlers, nor must the helper that makes it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

gate::Relay& relay = *new gate::Relay;

// In the copy: what its other threads held is free, what others see of it is gone.
void let_all_go(gate::Thread& thread, const replay::Standing& standing) {
  setsid();
  session()->recorder->let_go(thread, standing.slot, relay);
  gate::run_order::join("");
  gate::perturb::forget();
  gate::perturb::configure({});
  gate::forget_children();
  new (&gate::output_mutex) std::mutex;
  let_files_go();
}

// In the copy of the copy.
void go_on(gate::Thread& thread, const replay::Standing& standing, const recording::WakeRequest& request) {
  Session& self = *session();
  Settings& settings = self.settings;
  settings.mode = Mode::replay;
  settings.folder = request.folder;
  settings.scratch = request.scratch;
  settings.favour = request.favour;
  settings.delay.clear();
  settings.chaos.clear();
  settings.only = settings.process;
  settings.launched = true;
  self.recorder = nullptr;
  gate::perturb::configure(settings.perturbation());
  if (request.gate_off) {
    auto* free = new gate::Free;
    gate::installed = free;
    free->started(*free->main());
    return;
  }
  self.replayer = replayer_of(self);
  gate::installed = self.replayer;
  self.replayer->go_on_from(standing, thread);
}

}  // namespace

Maker* Maker::start(const std::string& wanted) {
  if (wanted.empty()) return nullptr;
  char* end = nullptr;
  auto* maker = new Maker;
  maker->every_ = std::strtoull(wanted.c_str(), &end, 10);
  maker->in_seconds_ = *end == 's';
  if (maker->in_seconds_) ++end;
  if (*end == ':') maker->kept_ = std::strtoull(end + 1, &end, 10);
  maker->drops_ = std::string_view(end) == ":drop";
  if (maker->drops_) end += std::string_view(end).size();
  if (maker->every_ > 0 && maker->kept_ > 0 && *end == '\0') return maker;
  std::fprintf(stderr,
               "reprise: REPRISE_CHECKPOINT=%s is not N:K, Ns:K or either with :drop; no checkpoints are made\n",
               wanted.c_str());
  delete maker;
  return nullptr;
}

std::uint64_t Maker::next_time(const gate::Thread& thread) const {
  return in_seconds_ ? now_ns() + every_ * ns_per_s : thread.slot->steps + every_;
}

bool Maker::is_due(gate::Thread& thread) {
  if (thread.is_isolated) is_declared_.store(true, std::memory_order_relaxed);
  if (thread.checkpoint_at == 0) thread.checkpoint_at = next_time(thread);
  return (in_seconds_ ? now_ns() : thread.slot->steps) >= thread.checkpoint_at;
}

bool Maker::take(gate::Thread& thread, bool alone) {
  if (!alone && !thread.is_isolated) {
    thread.checkpoint_at = next_time(thread);
    if (is_declared_.load(std::memory_order_relaxed)) return false;  // the program knows which of them do
    refuse(
        "it is one of several threads and has not said that it shares only shared<T> and messages with them: call "
        "reprise::allow_checkpoints() in it if that is so");
    return false;
  }
  Session& self = *session();
  std::fflush(stdout);  // once, and by this process
  const std::lock_guard lock(mutex_);
  if (gate::stand_still.hold != nullptr && !gate::stand_still.hold()) return false;  // at its next gate, then
  thread.checkpoint_at = next_time(thread);
  replay::Standing standing;
  standing.slot = *thread.slot;
  standing.alone = alone;
  int pid = -1;
  auto number = recording::add_checkpoint(self.settings.folder);
  const std::uint32_t block = drops_ ? record::Recorder::begin_anew(thread) : 0;
  {
    recording::Live& live = self.recorder->live();
    const SignalsHeld held;
    const std::lock_guard log_lock(live.mutex());
    standing.next_index = live.next_index();
    standing.output_digest = live.header().output_digest;
    standing.output_bytes = live.header().output_bytes;
    gate::is_making_checkpoint = true;
    pid = number ? fork_orphan() : -1;
    gate::is_making_checkpoint = false;
    if (pid == 0) {
      let_all_go(thread, standing);
      const recording::WakeRequest request = stand(self.settings.folder, *number);
      new (&mutex_) std::mutex;
      mutex_.lock();
      new (&live.mutex()) std::mutex;
      live.mutex().lock();
      go_on(thread, standing, request);
      return true;
    }
  }
  if (gate::stand_still.go_on != nullptr) gate::stand_still.go_on();
  if (pid > 0) keep(thread, standing, {.number = *number, .is_whole = alone, .block = block}, pid);
  return false;
}

void Maker::keep(const gate::Thread& thread, const replay::Standing& standing, const Made& one, int pid) {
  const Settings& settings = session()->settings;
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const auto written = recording::write_checkpoint(settings.folder, {.number = one.number,
                                                                     .process = settings.process,
                                                                     .path = gate::thread_path(),
                                                                     .thread = thread.index,
                                                                     .step = standing.slot.steps,
                                                                     .is_whole = standing.alone,
                                                                     .next_index = standing.next_index,
                                                                     .pid = pid,
                                                                     .started = recording::start_of(pid),
                                                                     .boot = recording::boot_id(),
                                                                     .created = now_text()});
  if (process < 0 || !written) return;  // without an entry it does not stand for long
  std::vector<Made>& made = made_[thread.index];
  made.push_back(one);
  made.back().process = process;
  while (made.size() > kept_) {
    end(made.front());
    made.erase(made.begin());
  }
  if (drops_) session()->recorder->live().drop_before(thread.index, made.front().block);
}

void Maker::end(const Made& made) {
  syscall(SYS_pidfd_send_signal, made.process, SIGKILL, nullptr, 0);
  close(made.process);
  const std::string& folder = session()->settings.folder;
  unlink(recording::socket_path(folder, made.number).c_str());
  unlink(recording::entry_path(folder, made.number).c_str());
}

void Maker::refuse(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  const auto [said, is_new] = refused_.emplace(reason);
  if (!is_new) return;  // once, for the first of them
  const Settings& settings = session()->settings;
  recording::write_refusal(settings.folder, {settings.process, gate::thread_path(), *said});
  std::fprintf(stderr, "reprise: no checkpoint of thread %s of %s: %s\n", gate::thread_path(), settings.process.c_str(),
               said->c_str());
}

void Maker::spoil(const gate::Thread& thread, std::string_view reason) {
  bool any = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = made_.find(thread.index);
    if (found == made_.end()) return;
    std::erase_if(found->second, [&any](const Made& made) {
      if (made.is_whole) return false;
      end(made);
      any = true;
      return true;
    });
  }
  if (any && !reason.empty()) refuse(reason);
}

void Maker::forget() {
  new (&mutex_) std::mutex;
  for (const auto& [thread, all] : made_) {
    for (const Made& made : all) close(made.process);
  }
  made_.clear();
  refused_.clear();
}

}  // namespace reprise::session
