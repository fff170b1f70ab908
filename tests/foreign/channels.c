/* Channels with a foreign MCAPI, 1.063 or 2.x by what the header says: two nodes, packets one way and scalars back.
 *
 * Node 1 opens all, sends packets whose bytes are its process's number, takes scalars; node 2 answers each packet with
 * what it says. Both print what they got. */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"

#if defined(CHANNELS_1)
typedef mcapi_endpoint_t endpoint;
#define START(node)        \
  do {                     \
    mcapi_version_t v;     \
    mcapi_initialize(node, &v, &status); \
  } while (0)
#define CREATE(port) mcapi_create_endpoint(port, &status)
#define GET(node, port) mcapi_get_endpoint(node, port, &status)
#define WAIT(request) mcapi_wait(request, &size, &status, MCAPI_INFINITE)
#define CONNECT_PACKETS mcapi_connect_pktchan_i
#define OPEN_PACKETS_IN mcapi_open_pktchan_recv_i
#define OPEN_PACKETS_OUT mcapi_open_pktchan_send_i
#define CONNECT_SCALARS mcapi_connect_sclchan_i
#define OPEN_SCALARS_IN mcapi_open_sclchan_recv_i
#define OPEN_SCALARS_OUT mcapi_open_sclchan_send_i
#define RELEASE mcapi_pktchan_free
#define READ_FREE(end, value) \
  mcapi_get_endpoint_attribute(end, MCAPI_ATTR_RECV_BUFFERS_AVAILABLE, value, sizeof *(value), &status)
#else
#define START(node)     \
  do {                  \
    mcapi_info_t info;  \
    mcapi_initialize(0, node, NULL, NULL, &info, &status); \
  } while (0)
#define CREATE(port) mcapi_endpoint_create(port, &status)
#define GET(node, port) mcapi_endpoint_get(0, node, port, MCAPI_TIMEOUT_INFINITE, &status)
#define WAIT(request) mcapi_wait(request, &size, MCAPI_TIMEOUT_INFINITE, &status)
#define CONNECT_PACKETS mcapi_pktchan_connect_i
#define OPEN_PACKETS_IN mcapi_pktchan_recv_open_i
#define OPEN_PACKETS_OUT mcapi_pktchan_send_open_i
#define CONNECT_SCALARS mcapi_sclchan_connect_i
#define OPEN_SCALARS_IN mcapi_sclchan_recv_open_i
#define OPEN_SCALARS_OUT mcapi_sclchan_send_open_i
#define RELEASE mcapi_pktchan_release
#define READ_FREE(end, value) \
  mcapi_endpoint_get_attribute(end, MCAPI_ENDP_ATTR_NUM_RECV_BUFFERS, value, sizeof *(value), &status)
#endif

enum { packets = 6 };
static size_t size;

static void wait_for(mcapi_request_t* request, const char* what) {
  WAIT(request);
  check(what);
}

static void first(void) {
  START(1);
  check("initialize");
  mcapi_endpoint_t out = CREATE(1);
  mcapi_endpoint_t in = CREATE(2);
  mcapi_endpoint_t other_in = GET(2, 1);
  mcapi_endpoint_t other_out = GET(2, 2);
  check("get");
  mcapi_request_t request;
  mcapi_pktchan_send_hndl_t packets_out;
  mcapi_sclchan_recv_hndl_t scalars_in;
  CONNECT_PACKETS(out, other_in, &request, &status);
  wait_for(&request, "connect packets");
  CONNECT_SCALARS(other_out, in, &request, &status);
  wait_for(&request, "connect scalars");
  OPEN_PACKETS_OUT(&packets_out, out, &request, &status);
  wait_for(&request, "open packets");
  OPEN_SCALARS_IN(&scalars_in, in, &request, &status);
  wait_for(&request, "open scalars");
  for (int i = 0; i < packets; ++i) {
    char text[64];
    const int length = snprintf(text, sizeof text, "packet %d of %d", i, (int)getpid());
    if (i % 2 == 0) {
      mcapi_pktchan_send(packets_out, text, (size_t)length, &status);
    } else {
      mcapi_pktchan_send_i(packets_out, text, (size_t)length, &request, &status);
      WAIT(&request);
    }
    check("send packet");
    const unsigned long long answer =
        i % 2 == 0 ? mcapi_sclchan_recv_uint64(scalars_in, &status) : mcapi_sclchan_recv_uint16(scalars_in, &status);
    check("receive scalar");
    printf("node 1: scalar %llu\n", answer);
  }
  mcapi_pktchan_send_close_i(packets_out, &request, &status);
  wait_for(&request, "close packets");
  mcapi_sclchan_recv_close_i(scalars_in, &request, &status);
  wait_for(&request, "close scalars");
  mcapi_finalize(&status);
}

static void second(void) {
  START(2);
  check("initialize");
  mcapi_endpoint_t in = CREATE(1);
  mcapi_endpoint_t out = CREATE(2);
  mcapi_request_t request;
  mcapi_pktchan_recv_hndl_t packets_in;
  mcapi_sclchan_send_hndl_t scalars_out;
  mcapi_request_t other;
  OPEN_PACKETS_IN(&packets_in, in, &request, &status);
  OPEN_SCALARS_OUT(&scalars_out, out, &other, &status);
  wait_for(&request, "open packets");
  wait_for(&other, "open scalars");
  for (int i = 0; i < packets; ++i) {
    void* packet = NULL;
    int failed = 0;
    unsigned free_buffers = 0;
    if (i % 3 == 0) {
      mcapi_pktchan_recv(packets_in, &packet, &size, &status);
    } else if (i % 3 == 1) {
      mcapi_pktchan_recv_i(packets_in, &packet, &request, &status);
      WAIT(&request);
    } else {
      mcapi_pktchan_recv_i(packets_in, &packet, &request, &status);
      while (!mcapi_test(&request, &size, &status)) ++failed;
      WAIT(&request);
    }
    check("receive packet");
    READ_FREE(in, &free_buffers);
    printf("node 2: packet '%.*s' failed %d free %u\n", (int)size, (char*)packet, failed, free_buffers);
    unsigned sum = 0;
    for (size_t k = 0; k < size; ++k) sum = sum * 31 + ((unsigned char*)packet)[k];
    RELEASE(packet, &status);
    check("release");
    if (i % 2 == 0) {
      mcapi_sclchan_send_uint64(scalars_out, (uint64_t)sum << 20, &status);
    } else {
      mcapi_sclchan_send_uint16(scalars_out, (uint16_t)sum, &status);
    }
    check("send scalar");
  }
  mcapi_pktchan_recv_close_i(packets_in, &request, &status);
  wait_for(&request, "close packets");
  mcapi_sclchan_send_close_i(scalars_out, &request, &status);
  wait_for(&request, "close scalars");
  mcapi_finalize(&status);
}

int main(void) {
  for (int node = 1; node <= 2; ++node) {
    if (fork() != 0) continue;
    if (node == 1) first();
    if (node == 2) second();
    return 0;
  }
  int result = 0;
  for (int node = 1; node <= 2; ++node) {
    int ended = 0;
    if (wait(&ended) < 0 || ended != 0) result = 1;
  }
  return result;
}
