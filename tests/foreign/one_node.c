/* One node of three, to be started as a program of its own: `one_node NODE`. Nodes 2 and 3 send to node 1 and to each
 * other; the file `slow` names the node that rests before each of its sends. Each prints what it got. */
#include "node.h"

enum { nodes = 3, rounds = 3 };

int main(int count, char** words) {
  const int node = count > 1 ? atoi(words[1]) : 0;
  mcapi_info_t info;
  mcapi_initialize(0, node, NULL, NULL, &info, &status);
  check("initialize");
  mcapi_endpoint_t own = mcapi_endpoint_create(1, &status);
  check("create");
  mcapi_endpoint_t others[nodes + 1];
  for (int other = 1; other <= nodes; ++other) {
    if (other != node) others[other] = mcapi_endpoint_get(0, other, 1, MCAPI_TIMEOUT_INFINITE, &status);
    check("get");
  }
  for (int round = 0; node != 1 && round < rounds; ++round) {
    rest_if_slow(node);
    int number = node * 100 + round;
    for (int other = 1; other <= nodes; ++other) {
      if (other != node) mcapi_msg_send(own, others[other], &number, sizeof number, 0, &status);
      check("send");
    }
  }
  const int expected = node == 1 ? 2 * rounds : rounds;
  for (int i = 0; i < expected; ++i) {
    int number = 0;
    size_t size = 0;
    mcapi_msg_recv(own, &number, sizeof number, &size, &status);
    check("receive");
    printf("node %d: got %d\n", node, number);
  }
  /* Nobody leaves before all have got everything. */
  int done = 0;
  size_t size = 0;
  if (node == 1) {
    for (int other = 2; other <= nodes; ++other) mcapi_msg_send(own, others[other], &done, sizeof done, 0, &status);
    for (int other = 2; other <= nodes; ++other) mcapi_msg_recv(own, &done, sizeof done, &size, &status);
  } else {
    mcapi_msg_recv(own, &done, sizeof done, &size, &status);
    mcapi_msg_send(own, others[1], &done, sizeof done, 0, &status);
  }
  check("end");
  mcapi_finalize(&status);
  return 0;
}
