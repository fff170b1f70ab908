// The ends of a process: exit, _exit and fatal signals pass the gate, so that replay ends the same way at the same
// step.
#include "session/ends.h"

#include <dlfcn.h>
#include <reprise/detail/gate.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace reprise::session {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
std::atomic<bool> is_ending{false};

void pass_exit(int code) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || is_ending.exchange(true)) return;
  thread->gate->exiting(*thread, code);
}

// Registered before the loader's own: it runs after all static destructors.
void at_exit(int code, void*) { pass_exit(code); }

// Past the interposed sigaction: these handlers are reprise's own, and pass the gate on purpose.
int set_handler(int signal, const struct sigaction* now, struct sigaction* before) {
  using Function = int(int, const struct sigaction*, struct sigaction*);
  auto* const native = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "sigaction"));
  return native(signal, now, before);
}

void at_signal(int signal) {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  set_handler(signal, &by_default, nullptr);
  gate::Thread* thread = gate::current;
  if (thread != nullptr && !is_ending.exchange(true)) thread->gate->crashing(*thread, signal);
  raise(signal);
}

}  // namespace

void watch_ends() {
  on_exit(at_exit, nullptr);
  for (const int signal : fatal_signals) {
    struct sigaction now {};
    if (set_handler(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_handler = at_signal;
    ours.sa_flags = SA_ONSTACK | SA_NODEFER;
    set_handler(signal, &ours, nullptr);
  }
}

}  // namespace reprise::session

extern "C" REPRISE_API [[noreturn]] void _exit(int code) {
  reprise::session::pass_exit(code);
  for (;;) syscall(SYS_exit_group, code);
}

extern "C" REPRISE_API [[noreturn]] void _Exit(int code) { _exit(code); }
