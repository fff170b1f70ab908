// Five nodes, as processes: 1 sends to 2, and 4 to 3, which sends to 5. Nothing but time relates the two.
//
//   unrelated
//
// With a file `in_order`, 4 waits until 2 has its message, so that the total order of arrivals is 2, 3, 5. With a file
// `late`, 1 waits until 5 has its message (it then makes `ended`), but not for longer than a second. Node 5 prints
// whether 1 had sent (`first`) when it got its message.
#include <mcapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

using std::filesystem::exists;
constexpr mcapi_port_t port = 1;
mcapi_status_t status = 0;

void check(const char* what) {
  if (status == MCAPI_SUCCESS) return;
  char text[MCAPI_MAX_STATUS_MSG_LEN];
  std::fprintf(stderr, "%s: %s\n", what, mcapi_display_status(status, text, sizeof text));
  std::exit(1);
}

void make(const char* file) { std::ofstream(file).close(); }

void await(const char* file, int milliseconds) {
  for (int i = 0; i < milliseconds && !exists(file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void send(mcapi_endpoint_t from, mcapi_node_t to) {
  const mcapi_endpoint_t there = mcapi_endpoint_get(0, to, port, MCAPI_TIMEOUT_INFINITE, &status);
  check("get");
  mcapi_msg_send(from, there, &to, sizeof to, 0, &status);
  check("send");
}

void receive(mcapi_endpoint_t mine) {
  mcapi_node_t self = 0;
  std::size_t size = 0;
  mcapi_msg_recv(mine, &self, sizeof self, &size, &status);
  check("recv");
}

void run_node(mcapi_node_t self) {
  mcapi_info_t info;
  mcapi_initialize(0, self, nullptr, nullptr, &info, &status);
  check("initialize");
  const mcapi_endpoint_t mine = mcapi_endpoint_create(port, &status);
  check("create");
  if (self == 1) {
    if (exists("late")) await("ended", 1000);
    make("first");
    send(mine, 2);
  } else if (self == 4) {
    if (exists("in_order")) await("second", 10'000);
    send(mine, 3);
  } else {
    receive(mine);
    if (self == 2) make("second");
    if (self == 3) send(mine, 5);
    if (self == 5) {
      std::printf("first: %s\n", exists("first") ? "yes" : "no");
      make("ended");
    }
  }
  mcapi_finalize(&status);
  check("finalize");
}

}  // namespace

int main() {
  for (mcapi_node_t node = 1; node <= 5; ++node) {
    if (fork() != 0) continue;
    run_node(node);
    std::exit(0);
  }
  int failed = 0;
  for (int ended = 0; wait(&ended) > 0;) failed |= ended;
  return failed == 0 ? 0 : 1;
}
