// Four nodes, as processes: 1 sends to 2, and 4 to 3. Nothing but time relates the two.
//
//   unrelated
//
// With a file `in_order`, 4 waits until 2 has its message, so that 2's is the first arrival and 3's the second. With a
// file `late`, 1 waits until 3 has its message (it then makes `ended`), but not for longer than a second. Node 3 prints
// whether 1 had sent (`first`) when it got its message.
#include <mcapi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "forked.h"

namespace {

using forked::check;
using forked::status;
using std::filesystem::exists;

constexpr mcapi_port_t port = 1;

void make(const char* file) { std::ofstream(file).close(); }

void await(const char* file, int milliseconds) {
  for (int i = 0; i < milliseconds && !exists(file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void send(mcapi_endpoint_t from, mcapi_node_t to) {
  const mcapi_endpoint_t there = mcapi_endpoint_get(0, to, port, MCAPI_TIMEOUT_INFINITE, &status);
  check("get");
  forked::send(from, there, to);
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
    forked::receive(mine);
    if (self == 2) make("second");
    if (self == 3) {
      std::printf("first: %s\n", exists("first") ? "yes" : "no");
      make("ended");
    }
  }
  mcapi_finalize(&status);
  check("finalize");
}

}  // namespace

int main() { return forked::run(4, run_node); }
