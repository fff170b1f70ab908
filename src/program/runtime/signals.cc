// Signal handlers of the program run where the thread happens to be, which no replay can repeat: a gate passed inside
// one ends the recording, aloud. Handlers that pass no gate are let through.
#include <dlfcn.h>
#include <reprise/detail/gate.h>
#include <signal.h>

#include <atomic>

#include "gate/free.h"
#include "gate/pause.h"

namespace reprise {
namespace {

constexpr int signal_limit = 65;

using Function = int(int, const struct sigaction*, struct sigaction*);

// The sanitizers call sigaction before they are ready to follow anybody.
#define REPRISE_UNFOLLOWED __attribute__((no_sanitize("thread"), no_sanitize("address")))

REPRISE_UNFOLLOWED int native_sigaction(int signal, const struct sigaction* now, struct sigaction* before) {
  static constinit Function* found = nullptr;
  if (found == nullptr) found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "sigaction"));
  return found(signal, now, before);
}

// Lets everything through, after saying that it cannot be replayed.
class InHandler final : public gate::Free {
 public:
  Kind arrive(gate::Thread& thread, gate::Object& object, Kind kind) override {
    say();
    return Free::arrive(thread, object, kind);
  }
  // The bit may be held by the very thread that was interrupted, which then never lets it go.
  Kind begin(gate::Thread&, gate::Object& object, Kind kind) override {
    say();
    for (int tries = 0; tries < bit_tries && !has_bit_; ++tries) {
      const std::uint64_t word = object.word.load(std::memory_order_relaxed);
      has_bit_ = (word & 1) == 0 && object.acquire_bit_from(word);
      if (!has_bit_) gate::pause();
    }
    return kind;
  }
  void end(gate::Thread&, gate::Object& object, Kind, const void*, std::size_t, bool) override {
    if (has_bit_) object.release_bit();
    has_bit_ = false;
  }
  gate::Outcome foretell(gate::Thread&, gate::Object&, Kind, const void*, void*, std::size_t, bool) override {
    say();
    return gate::Outcome::open;
  }
  bool given(gate::Thread&, Kind, std::string_view, Take, void*) override {
    say();
    return false;
  }
  void step(gate::Thread& thread, Kind kind, std::uint64_t subject) override {
    say();
    Free::step(thread, kind, subject);
  }
  gate::Thread* spawn(gate::Thread&) override {
    say();
    return nullptr;
  }

 private:
  static constexpr int bit_tries = 100;

  static void say() {
    static std::atomic<bool> is_said{false};
    if (gate::installed != nullptr && !is_said.exchange(true))
      gate::installed->refuse("a gate was passed inside a signal handler, which cannot be replayed");
  }

  bool has_bit_{false};
};

struct sigaction program_actions[signal_limit];

void run_handler(int signal, siginfo_t* information, void* context) {
  InHandler gate;
  gate::Slot slot{};
  gate::Thread stand_in;
  stand_in.slot = &slot;
  stand_in.gate = &gate;
  stand_in.in_handler = true;
  gate::Thread* const interrupted = gate::current;
  if (interrupted != nullptr) gate::current = &stand_in;
  const struct sigaction& action = program_actions[signal];
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, information, context);
  } else {
    action.sa_handler(signal);
  }
  if (interrupted != nullptr && gate::current == &stand_in) gate::current = interrupted;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == run_handler;
}

}  // namespace
}  // namespace reprise

using namespace reprise;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" REPRISE_API REPRISE_UNFOLLOWED int sigaction(int signal, const struct sigaction* now,
                                                        struct sigaction* before) noexcept {
  if (gate::installed == nullptr || signal <= 0 || signal >= signal_limit) return native_sigaction(signal, now, before);
  const struct sigaction previous = program_actions[signal];
  struct sigaction wrapped {};
  const bool wraps = now != nullptr && now->sa_handler != SIG_DFL && now->sa_handler != SIG_IGN;
  if (wraps) {
    wrapped = *now;
    wrapped.sa_flags |= SA_SIGINFO;
    wrapped.sa_sigaction = run_handler;
    program_actions[signal] = *now;
  }
  const int result = native_sigaction(signal, wraps ? &wrapped : now, before);
  if (result == 0 && before != nullptr && is_ours(*before)) *before = previous;
  return result;
}

extern "C" REPRISE_API REPRISE_UNFOLLOWED sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction now {};
  struct sigaction before {};
  now.sa_handler = handler;
  now.sa_flags = SA_RESTART;
  sigemptyset(&now.sa_mask);
  if (sigaction(number, &now, &before) != 0) return SIG_ERR;
  return before.sa_handler;
}
