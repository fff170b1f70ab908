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

void at_signal(int signal) {
  ::signal(signal, SIG_DFL);
  gate::Thread* thread = gate::current;
  if (thread != nullptr && !is_ending.exchange(true)) thread->gate->crashing(*thread, signal);
  raise(signal);
}

}  // namespace

void watch_ends() {
  on_exit(at_exit, nullptr);
  for (const int signal : fatal_signals) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_handler = at_signal;
    ours.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace reprise::session

extern "C" REPRISE_API [[noreturn]] void _exit(int code) {
  reprise::session::pass_exit(code);
  for (;;) syscall(SYS_exit_group, code);
}

extern "C" REPRISE_API [[noreturn]] void _Exit(int code) { _exit(code); }
