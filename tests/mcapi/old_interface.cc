// The interface of 1.063: all its functions, their argument orders, and all its statuses but those that are listed with
// a reason, on the same runtime; by a node that is a process, and by one that is a thread.
#include <mcapi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;
mcapi_status_t status = 99;
std::set<mcapi_status_t> seen;

void expect(bool good, const char* what, int line) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "line %d: %s (status %u)\n", line, what, status);
}
#define EXPECT(what) expect((what), #what, __LINE__)
#define STATUS_OF(call, wanted) \
  do {                          \
    (void)(call);               \
    seen.insert(status);        \
    EXPECT(status == (wanted)); \
  } while (false)

void messages(mcapi_endpoint_t one, mcapi_endpoint_t two) {
  int value = 5;
  int got = 0;
  std::size_t size = 0;
  mcapi_request_t request = 0;
  STATUS_OF(mcapi_msg_send(one, two, &value, sizeof value, 8, &status), MCAPI_EPRIO);
  STATUS_OF(mcapi_msg_send(one, 0xFFFFFFF0u, &value, sizeof value, 0, &status), MCAPI_ENOT_ENDP);
  STATUS_OF(mcapi_msg_send(one, two, &value, sizeof value, 0, &status), MCAPI_SUCCESS);
  EXPECT(mcapi_msg_available(two, &status) == 1);
  STATUS_OF(mcapi_msg_recv_i(two, &got, sizeof got, &request, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&request, &size, &status, MCAPI_INFINITE) == MCAPI_TRUE && got == 5 && size == sizeof got);
  STATUS_OF(mcapi_wait(&request, &size, &status, 0), MCAPI_ENOTREQ_HANDLE);
  STATUS_OF(mcapi_msg_send_i(one, two, &value, sizeof value, 0, &request, &status), MCAPI_SUCCESS);
  EXPECT(mcapi_test(&request, &size, &status) == MCAPI_TRUE);
  STATUS_OF(mcapi_msg_recv(two, &got, 1, &size, &status), MCAPI_ETRUNCATED);
  mcapi_request_t* pointers[1] = {&request};
  STATUS_OF(mcapi_msg_recv_i(two, &got, sizeof got, &request, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait_any(1, pointers, &size, &status, 10) == -1 && status == MCAPI_EREQ_TIMEOUT);
  seen.insert(status);
  std::thread waiter([&] {
    mcapi_status_t told = 99;
    do {  // MCAPI_ERROR: the other thread just looks whether this one waits
      EXPECT(mcapi_wait(&request, &size, &told, MCAPI_INFINITE) == MCAPI_FALSE);
    } while (told == MCAPI_ERROR);
    EXPECT(told == MCAPI_EREQ_CANCELED);
    seen.insert(told);
  });
  while (mcapi_wait(&request, &size, &status, 0), status == MCAPI_EREQ_TIMEOUT) std::this_thread::yield();
  STATUS_OF(mcapi_cancel(&request, &status), MCAPI_SUCCESS);  // once the other thread waits
  waiter.join();
}

void limits(mcapi_endpoint_t one, mcapi_endpoint_t two) {
  std::vector<char> large(MCAPI_MAX_MSG_SIZE + 1);
  mcapi_request_t request = 0;
  std::size_t size = 0;
  STATUS_OF(mcapi_msg_send(one, two, large.data(), large.size(), 0, &status), MCAPI_EMESS_LIMIT);
  STATUS_OF(mcapi_create_endpoint(1 << 20, &status), MCAPI_EPORT_NOTVALID);
  do {
    mcapi_msg_send_i(one, two, large.data(), 1, 0, &request, &status);
    if (status == MCAPI_SUCCESS) mcapi_wait(&request, &size, &status, MCAPI_INFINITE);
  } while (status == MCAPI_SUCCESS);
  seen.insert(status);
  EXPECT(status == MCAPI_ENO_MEM);
  while (mcapi_msg_available(two, &status) > 0) mcapi_msg_recv(two, large.data(), 1, &size, &status);
  int taken = 0;
  do {
    mcapi_msg_recv_i(two, large.data(), 1, &request, &status);
  } while (status == MCAPI_INCOMPLETE && ++taken <= MCAPI_MAX_REQUESTS);
  seen.insert(status);
  EXPECT(status == MCAPI_ENO_REQUEST);
}

// What only the node that made an endpoint may do.
void another_node(mcapi_endpoint_t one) {
  std::thread other([&] {
    mcapi_version_t version = 0;
    STATUS_OF(mcapi_initialize(4, &version, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_delete_endpoint(one, &status), MCAPI_ENOT_OWNER);
    STATUS_OF(mcapi_finalize(&status), MCAPI_SUCCESS);
  });
  other.join();
}

void attributes(mcapi_endpoint_t one) {
  mcapi_uint_t value = 0;
  STATUS_OF(mcapi_get_endpoint_attribute(one, MCAPI_ATTR_NO_PRIORITIES, &value, sizeof value, &status), MCAPI_SUCCESS);
  EXPECT(value == MCAPI_MAX_NO_PRIORITIES);
  STATUS_OF(mcapi_get_endpoint_attribute(one, MCAPI_ATTR_BUFFER_SIZE, &value, sizeof value, &status), MCAPI_SUCCESS);
  EXPECT(value == MCAPI_MAX_MSG_SIZE);
  STATUS_OF(mcapi_set_endpoint_attribute(one, MCAPI_ATTR_ENDP_STATUS, &value, sizeof value, &status), MCAPI_EREAD_ONLY);
  STATUS_OF(mcapi_get_endpoint_attribute(one, MCAPI_ATTR_TIMEOUT, &value, 1, &status), MCAPI_EATTR_SIZE);
  STATUS_OF(mcapi_get_endpoint_attribute(one, 77, &value, sizeof value, &status), MCAPI_EATTR_NUM);
}

struct Ends {
  mcapi_pktchan_send_hndl_t out{0};
  mcapi_pktchan_recv_hndl_t in{0};
};

void packets(mcapi_endpoint_t one, mcapi_endpoint_t two) {
  mcapi_request_t request = 0;
  mcapi_request_t first = 0;
  mcapi_request_t second = 0;
  std::size_t size = 0;
  Ends ends;
  void* packet = nullptr;
  std::vector<char> large(MCAPI_MAX_PKT_SIZE + 1);
  mcapi_uint_t value = 2;
  const mcapi_endpoint_t other = mcapi_create_endpoint(MCAPI_PORT_ANY, &status);
  STATUS_OF(mcapi_set_endpoint_attribute(other, MCAPI_ATTR_ENDP_PRIO, &value, sizeof value, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_connect_pktchan_i(one, other, &request, &status), MCAPI_EATTR_INCOMP);
  STATUS_OF(mcapi_connect_pktchan_i(one, two, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_connect_pktchan_i(one, two, &request, &status), MCAPI_ECONNECTED);
  STATUS_OF(mcapi_open_sclchan_recv_i(&ends.in, two, &first, &status), MCAPI_ECHAN_TYPE);
  STATUS_OF(mcapi_open_pktchan_recv_i(&ends.in, one, &first, &status), MCAPI_EDIR);
  STATUS_OF(mcapi_open_pktchan_recv_i(&ends.in, two, &first, &status), MCAPI_INCOMPLETE);
  STATUS_OF(mcapi_open_pktchan_send_i(&ends.out, one, &second, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&first, &size, &status, MCAPI_INFINITE) && mcapi_wait(&second, &size, &status, MCAPI_INFINITE));
  STATUS_OF(mcapi_delete_endpoint(one, &status), MCAPI_ECHAN_OPEN);
  STATUS_OF(mcapi_pktchan_send(ends.in, large.data(), 1, &status), MCAPI_ENOT_HANDLE);
  STATUS_OF(mcapi_pktchan_send(ends.out, large.data(), large.size(), &status), MCAPI_EPACK_LIMIT);
  STATUS_OF(mcapi_pktchan_send(ends.out, const_cast<char*>("abc"), 4, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_pktchan_send_i(ends.out, const_cast<char*>("defg"), 5, &request, &status), MCAPI_SUCCESS);
  EXPECT(mcapi_pktchan_available(ends.in, &status) == 2);
  STATUS_OF(mcapi_pktchan_recv(ends.in, &packet, &size, &status), MCAPI_SUCCESS);
  EXPECT(size == 4 && std::strcmp(static_cast<char*>(packet), "abc") == 0);
  STATUS_OF(mcapi_pktchan_free(packet, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_pktchan_free(packet, &status), MCAPI_ENOT_VALID_BUF);
  STATUS_OF(mcapi_pktchan_recv_i(ends.in, &packet, &request, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&request, &size, &status, MCAPI_INFINITE) && size == 5);
  EXPECT(std::strcmp(static_cast<char*>(packet), "defg") == 0);
  STATUS_OF(mcapi_pktchan_free(packet, &status), MCAPI_SUCCESS);
  // Both names of the closes, as the two parts of the specification have them.
  STATUS_OF(mcapi_packetchan_recv_close_i(ends.in, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_pktchan_recv_close_i(ends.in, &request, &status), MCAPI_ENOT_OPEN);
  STATUS_OF(mcapi_pktchan_send(ends.out, const_cast<char*>("abc"), 4, &status), MCAPI_ERROR);
  STATUS_OF(mcapi_pktchan_send_close_i(ends.out, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_packetchan_send_close_i(ends.out, &request, &status), MCAPI_ENOT_HANDLE);
}

void scalars(mcapi_endpoint_t one, mcapi_endpoint_t two) {
  mcapi_request_t request = 0;
  mcapi_request_t first = 0;
  mcapi_request_t second = 0;
  std::size_t size = 0;
  Ends ends;
  STATUS_OF(mcapi_connect_sclchan_i(one, two, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_open_sclchan_recv_i(&ends.in, two, &first, &status), MCAPI_INCOMPLETE);
  STATUS_OF(mcapi_open_sclchan_send_i(&ends.out, one, &second, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&first, &size, &status, MCAPI_INFINITE) && mcapi_wait(&second, &size, &status, MCAPI_INFINITE));
  STATUS_OF(mcapi_sclchan_send_uint64(ends.out, 0x123456789ABCDEFu, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_sclchan_send_uint32(ends.out, 0x89ABCDEFu, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_sclchan_send_uint16(ends.out, 77, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_sclchan_send_uint8(ends.out, 200, &status), MCAPI_SUCCESS);
  EXPECT(mcapi_sclchan_available(ends.in, &status) == 4);
  STATUS_OF(mcapi_sclchan_recv_uint8(ends.in, &status), MCAPI_ESCL_SIZE);
  EXPECT(mcapi_sclchan_recv_uint64(ends.in, &status) == 0x123456789ABCDEFu);
  EXPECT(mcapi_sclchan_recv_uint32(ends.in, &status) == 0x89ABCDEFu);
  EXPECT(mcapi_sclchan_recv_uint16(ends.in, &status) == 77);
  EXPECT(mcapi_sclchan_recv_uint8(ends.in, &status) == 200);
  STATUS_OF(mcapi_sclchan_send_close_i(ends.out, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_sclchan_recv_close_i(ends.in, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_delete_endpoint(two, &status), MCAPI_SUCCESS);
}

void no_room() {
  const rlimit limit{1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_IGN);
  mcapi_version_t version = 0;
  STATUS_OF(mcapi_initialize(3, &version, &status), MCAPI_ENO_INIT);
}

void node() {
  mcapi_version_t version = 0;
  STATUS_OF(mcapi_create_endpoint(1, &status), MCAPI_ENODE_NOTINIT);
  STATUS_OF(mcapi_initialize(-1, &version, &status), MCAPI_ENODE_NOTVALID);
  STATUS_OF(mcapi_initialize(3, nullptr, &status), MCAPI_EPARAM);
  STATUS_OF(mcapi_initialize(3, &version, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_initialize(3, &version, &status), MCAPI_INITIALIZED);
  EXPECT(mcapi_get_node_id(&status) == 3);
  const mcapi_endpoint_t one = mcapi_create_endpoint(1, &status);
  STATUS_OF(mcapi_create_endpoint(1, &status), MCAPI_EENDP_ISCREATED);
  const mcapi_endpoint_t two = mcapi_create_endpoint(MCAPI_PORT_ANY, &status);
  EXPECT(mcapi_get_endpoint(3, 1, &status) == one);
  mcapi_endpoint_t found = 0;
  mcapi_request_t request = 0;
  std::size_t size = 0;
  STATUS_OF(mcapi_get_endpoint_i(3, 1, &found, &request, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&request, &size, &status, 100) == MCAPI_TRUE && found == one);
  messages(one, two);
  another_node(one);
  attributes(one);
  packets(one, two);
  scalars(one, two);
  limits(one, mcapi_create_endpoint(MCAPI_PORT_ANY, &status));
  STATUS_OF(mcapi_finalize(&status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_finalize(&status), MCAPI_ENODE_NOTINIT);
  // finalize does not fail, buffers are memory, an open may come before its connection, all endpoints are allowed, and
  // too many of them have no port.
  seen.insert({MCAPI_ENO_FINAL, MCAPI_ENO_BUFFER, MCAPI_ENOT_CONNECTED, MCAPI_EEP_NOTALLOWED, MCAPI_EENDP_LIMIT,
               MCAPI_ENO_INIT});  // this one: no_room
  for (mcapi_status_t each = MCAPI_SUCCESS; each <= MCAPI_ERROR; ++each) {
    status = each;
    EXPECT(seen.contains(each));
  }
}

bool passes(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    setenv("MCAPI_RUN", ("test-old-" + std::to_string(getpid())).c_str(), 1);
    setenv("MCAPI_REPORT", "off", 0);
    body();
    std::_Exit(failures == 0 ? 0 : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  return ended == 0;
}

}  // namespace

int main() {
  const int passed = passes(node) + passes([] { std::thread(node).join(); }) + passes(no_room);
  std::printf("%d passed, %d failed\n", passed, 3 - passed);
  return passed == 3 ? 0 : 1;
}
