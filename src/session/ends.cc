// The ends of a process: exit, _exit and fatal signals pass the gate, so that replay ends the same way at the same
// step.
#include "session/ends.h"

#include <dlfcn.h>
#include <reprise/detail/gate.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "gate/output_lock.h"

namespace reprise::session {
namespace {

constexpr int output_tries = 10'000;
constexpr int fatal_signals[] = {SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT, SIGTRAP, SIGSYS,
                                 SIGPIPE, SIGTERM,   SIGINT,  SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                                 SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGPOLL};
__thread bool has_passed_end = false;
std::atomic<bool> is_signalled{false};  // the signal that ends the process has passed the gate

void pass_exit(int code) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || has_passed_end) return;
  has_passed_end = true;
  thread->gate->exiting(*thread, code);
  gate::output_mutex.lock();
}

// Registered before the loader's own: it runs after all static destructors.
void at_exit(int code, void*) { pass_exit(code); }

// Past the interposed sigaction: these handlers are reprise's own, and pass the gate on purpose.
int set_handler(int signal, const struct sigaction* now, struct sigaction* before) {
  using Function = int(int, const struct sigaction*, struct sigaction*);
  auto* const native = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "sigaction"));
  return native(signal, now, before);
}

// The program's own doing: it sent the signal itself, or ran into it. What another process or a timer sends comes from
// outside and is no step of this program: it is stopped there, like by SIGKILL.
bool is_own_doing(int signal, const siginfo_t& info) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
      if (info.si_code > 0) return true;
      break;
    default:
      break;
  }
  const bool was_sent = info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE;
  return was_sent && info.si_pid == getpid();
}

void pass_signal(int signal) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || has_passed_end) return;
  has_passed_end = true;
  thread->gate->crashing(*thread, signal);
  // This very thread may have been stopped while it was writing: then there is nobody to wait for.
  for (int tries = 0; tries < output_tries && !gate::output_mutex.try_lock(); ++tries) sched_yield();
  is_signalled.store(true);
}

// The handler stays until the signal has passed: another thread may get the same one, and would end the process at once
// while this one waits for its turn, or writes.
void at_signal(int signal, siginfo_t* info, void*) {
  if (!is_signalled.load() && is_own_doing(signal, *info)) pass_signal(signal);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  set_handler(signal, &by_default, nullptr);
  raise(signal);
}

}  // namespace

// A signal to the whole process may be handled by any of its threads; it is a step of the one that sends it.
void before_kill(int signal) {
  struct sigaction now {};
  const bool is_watched = set_handler(signal, nullptr, &now) == 0 && now.sa_sigaction == at_signal;
  if (signal == SIGKILL || is_watched) pass_signal(signal);
}

void watch_ends() {
  on_exit(at_exit, nullptr);
  for (const int signal : fatal_signals) {
    struct sigaction now {};
    if (set_handler(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_sigaction = at_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    set_handler(signal, &ours, nullptr);
  }
}

}  // namespace reprise::session

extern "C" REPRISE_API void _exit(int code) {
  reprise::session::pass_exit(code);
  for (;;) syscall(SYS_exit_group, code);
}

extern "C" REPRISE_API void _Exit(int code) { _exit(code); }

extern "C" REPRISE_API int kill(pid_t process, int signal) noexcept {
  if (process == getpid()) reprise::session::before_kill(signal);
  return static_cast<int>(syscall(SYS_kill, process, signal));
}
