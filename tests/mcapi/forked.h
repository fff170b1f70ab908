// Nodes that are processes, for programs that are recorded: what MCAPI says is checked, and all nodes are waited for.
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
inline mcapi_status_t status = 0;

// Ends the node unless the last call went well.
inline void check(const char* what) {
  if (status == MCAPI_SUCCESS || status == MCAPI_PENDING) return;
  char text[MCAPI_MAX_STATUS_MSG_LEN];
  std::fprintf(stderr, "%s: %s\n", what, mcapi_display_status(status, text, sizeof text));
  std::exit(1);
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
