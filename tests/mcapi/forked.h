// For programs that are recorded: what MCAPI says is checked, and nodes that are processes are waited for.
//
//   int main() { return forked::run(3, run_node); }      // run_node(1), run_node(2) and run_node(3), each in a process
#pragma once

#include <mcapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace forked {

// What each call writes into.
inline thread_local mcapi_status_t status = 0;

// Ends the node unless the last call went well.
inline void check(const char* what) {
  if (status == MCAPI_SUCCESS || status == MCAPI_PENDING) return;
  char text[MCAPI_MAX_STATUS_MSG_LEN];
  std::fprintf(stderr, "%s: %s\n", what, mcapi_display_status(status, text, sizeof text));
  std::exit(1);
}

inline void send(mcapi_endpoint_t from, mcapi_endpoint_t to, mcapi_node_t what) {
  mcapi_msg_send(from, to, &what, sizeof what, 0, &status);
  check("send");
}

inline mcapi_node_t receive(mcapi_endpoint_t at) {
  mcapi_node_t what = 0;
  std::size_t size = 0;
  mcapi_msg_recv(at, &what, sizeof what, &size, &status);
  check("recv");
  return what;
}

inline int run(mcapi_node_t nodes, void (*run_node)(mcapi_node_t)) {
  for (mcapi_node_t node = 1; node <= nodes; ++node) {
    if (fork() != 0) continue;
    run_node(node);
    std::exit(0);
  }
  int failed = 0;
  for (int ended = 0; wait(&ended) > 0;) failed |= ended;
  return failed == 0 ? 0 : 1;
}

}  // namespace forked
