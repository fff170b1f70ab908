/* A program with a foreign MCAPI 1.063 (tests/system/mcapi_foreign.py): three nodes send to one, which takes what comes
 * in every way there is. The file `slow` names the node that rests before each of its sends. */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"

enum { senders = 3, rounds = 4, largest = 128 };
static const size_t sizes[rounds] = {8, 100, 120, 128}; /* the last two have no room for a name */

static void send_all(int node) {
  mcapi_version_t version;
  mcapi_initialize(node, &version, &status);
  check("initialize");
  mcapi_endpoint_t mine = mcapi_create_endpoint(1, &status);
  mcapi_endpoint_t to = mcapi_get_endpoint(1, 1, &status);
  check("get_endpoint");
  for (int round = 0; round < rounds; ++round) {
    char bytes[largest];
    memset(bytes, 'a' + node, sizeof bytes);
    bytes[0] = (char)('0' + round);
    void* varies = malloc(1000 + (size_t)getpid() % 1000 * 16); /* addresses in payloads differ from run to run */
    memcpy(bytes + 2, &varies, sizes[round] > 16 ? sizeof varies : 0);
    rest_if_slow(node);
    if (round % 2 == 0) {
      mcapi_msg_send(mine, to, bytes, sizes[round], 0, &status);
    } else {
      mcapi_request_t request;
      size_t size = 0;
      mcapi_msg_send_i(mine, to, bytes, sizes[round], 0, &request, &status);
      mcapi_wait(&request, &size, &status, MCAPI_INFINITE);
      if (size != sizes[round]) printf("node: sent %zu\n", size);
    }
    check("send");
    free(varies);
  }
  /* The answer says that all has arrived. */
  char answer[8];
  size_t size = 0;
  mcapi_msg_recv(mine, answer, sizeof answer, &size, &status);
  check("answer");
  printf("node %d: answer %.*s\n", node, (int)size, answer);
  fflush(stdout);
  mcapi_finalize(&status);
}

static void show(const char* how, const char* bytes, size_t size) {
  printf("node 1: %s %c%c %zu\n", how, bytes[0], bytes[size - 1], size);
}

static void collect(void) {
  mcapi_version_t version;
  mcapi_initialize(1, &version, &status);
  check("initialize");
  mcapi_endpoint_t mine = mcapi_create_endpoint(1, &status);
  char one[largest], two[largest], three[largest];
  size_t size = 0;
  int left = senders * rounds;
  int failed = 0;
  while (left >= 4) {
    mcapi_request_t first, second;
    mcapi_request_t* both[2] = {&first, &second};
    mcapi_msg_recv_i(mine, one, sizeof one, &first, &status);
    mcapi_msg_recv_i(mine, two, sizeof two, &second, &status);
    mcapi_int_t index = mcapi_wait_any(2, both, &size, &status, MCAPI_INFINITE);
    check("wait_any");
    show(index == 0 ? "any 0" : "any 1", index == 0 ? one : two, size);
    while (!mcapi_test(both[1 - index], &size, &status)) {
      ++failed;
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    show("test", index == 0 ? two : one, size);
    mcapi_wait(both[1 - index], &size, &status, MCAPI_INFINITE);
    mcapi_msg_recv(mine, three, sizeof three, &size, &status);
    check("recv");
    show("recv", three, size);
    left -= 3;
    mcapi_request_t late;
    mcapi_msg_recv_i(mine, three, sizeof three, &late, &status);
    if (mcapi_wait(&late, &size, &status, 3)) {
      show("in time", three, size);
      --left;
    } else {
      printf("node 1: too late %d\n", status == MCAPI_EREQ_TIMEOUT);
      mcapi_cancel(&late, &status);
      printf("node 1: cancelled %d\n", status == MCAPI_SUCCESS);
    }
  }
  for (; left > 0; --left) {
    printf("node 1: available %d\n", mcapi_msg_available(mine, &status) > 0);
    mcapi_msg_recv(mine, three, 4, &size, &status); /* too small: truncated */
    printf("node 1: last %c %zu %d\n", three[0], size, status == MCAPI_ETRUNCATED);
  }
  printf("node 1: failed tests %d\n", failed);
  fflush(stdout);
  for (int node = 2; node < 2 + senders; ++node) {
    mcapi_endpoint_t to;
    mcapi_request_t request;
    mcapi_get_endpoint_i(node, 1, &to, &request, &status);
    mcapi_wait(&request, &size, &status, MCAPI_INFINITE);
    check("get_endpoint_i");
    mcapi_msg_send(mine, to, "done", 4, 0, &status);
    check("answer");
  }
  mcapi_finalize(&status);
}

int main(void) {
  for (int node = 2; node < 2 + senders; ++node) {
    if (fork() != 0) continue;
    send_all(node);
    return 0;
  }
  if (fork() == 0) {
    collect();
    return 0;
  }
  int all = 0;
  for (int status_of_child; wait(&status_of_child) > 0;) all |= status_of_child;
  return all != 0;
}
