// Two nodes, as processes, that do nothing but wait for each other. Node 1 says how many cores it has, and what it
// starts in between has.
//
//   cores
#include <sched.h>
#include <sys/syscall.h>

#include <thread>

#include "forked.h"

namespace {

using forked::check;
using forked::status;

constexpr mcapi_port_t port = 1;
constexpr int turns = 3000;

// By the system call itself: what libc says may be recorded.
void say(const char* who) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (syscall(SYS_sched_getaffinity, 0, sizeof cores, &cores) <= 0) std::abort();
  std::printf("%s: %d\n", who, CPU_COUNT(&cores));
  std::fflush(stdout);
}

class Game {
 public:
  explicit Game(mcapi_node_t self) : self_(self) {
    mcapi_info_t info;
    mcapi_initialize(0, self, nullptr, nullptr, &info, &status);
    check("initialize");
    mine_ = mcapi_endpoint_create(port, &status);
    check("create");
    other_ = mcapi_endpoint_get(0, 3 - self, port, MCAPI_TIMEOUT_INFINITE, &status);
    check("get");
  }

  void play() {
    for (int turn = 0; turn < turns; ++turn) {
      if (self_ == 1) send();
      receive();
      if (self_ == 2) send();
    }
    if (self_ == 1) say("node");
  }

 private:
  void send() { forked::send(mine_, other_, self_); }
  void receive() { forked::receive(mine_); }

  mcapi_node_t self_;
  mcapi_endpoint_t mine_{};
  mcapi_endpoint_t other_{};
};

void run_node(mcapi_node_t self) {
  Game game(self);
  game.play();
  if (self == 1) std::thread([] { say("thread"); }).join();
  game.play();
  if (self == 1) {
    if (fork() == 0) {
      say("child");
      _exit(0);
    }
    int ended = 0;
    wait(&ended);
  }
  game.play();
  mcapi_finalize(&status);
  check("finalize");
  if (self != 1) return;
  say("end");
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) std::abort();
  std::printf("told: %ld %u %d\n", sysconf(_SC_NPROCESSORS_ONLN), std::thread::hardware_concurrency(),
              CPU_COUNT(&cores));
}

}  // namespace

int main() { return forked::run(2, run_node); }
