// The interface of 1.063: its names, its argument orders and its statuses, on the same runtime.
#include <mcapi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int failures = 0;
mcapi_status_t status = 99;

void expect(bool good, const char* what, int line) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "line %d: %s (status %u)\n", line, what, status);
}
#define EXPECT(what) expect((what), #what, __LINE__)
#define STATUS_OF(call, wanted) \
  do {                          \
    (void)(call);               \
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
  STATUS_OF(mcapi_cancel(&request, &status), MCAPI_SUCCESS);
}

void attributes(mcapi_endpoint_t one) {
  mcapi_uint_t value = 0;
  STATUS_OF(mcapi_get_endpoint_attribute(one, MCAPI_ATTR_NO_PRIORITIES, &value, sizeof value, &status), MCAPI_SUCCESS);
  EXPECT(value == MCAPI_MAX_NO_PRIORITIES);
  STATUS_OF(mcapi_get_endpoint_attribute(one, MCAPI_ATTR_BUFFER_SIZE, &value, sizeof value, &status), MCAPI_SUCCESS);
  EXPECT(value == MCAPI_MAX_MSG_SIZE);
  STATUS_OF(mcapi_set_endpoint_attribute(one, MCAPI_ATTR_ENDP_STATUS, &value, sizeof value, &status), MCAPI_EREAD_ONLY);
  STATUS_OF(mcapi_get_endpoint_attribute(one, 77, &value, sizeof value, &status), MCAPI_EATTR_NUM);
}

void channels(mcapi_endpoint_t one, mcapi_endpoint_t two) {
  mcapi_request_t request = 0;
  mcapi_request_t first = 0;
  mcapi_request_t second = 0;
  std::size_t size = 0;
  mcapi_pktchan_send_hndl_t out = 0;
  mcapi_pktchan_recv_hndl_t in = 0;
  void* packet = nullptr;
  STATUS_OF(mcapi_connect_pktchan_i(one, two, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_open_pktchan_recv_i(&in, two, &first, &status), MCAPI_INCOMPLETE);
  STATUS_OF(mcapi_open_pktchan_send_i(&out, one, &second, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&first, &size, &status, MCAPI_INFINITE) && mcapi_wait(&second, &size, &status, MCAPI_INFINITE));
  STATUS_OF(mcapi_delete_endpoint(one, &status), MCAPI_ECHAN_OPEN);
  STATUS_OF(mcapi_pktchan_send(out, const_cast<char*>("abc"), 4, &status), MCAPI_SUCCESS);
  EXPECT(mcapi_pktchan_available(in, &status) == 1);
  STATUS_OF(mcapi_pktchan_recv(in, &packet, &size, &status), MCAPI_SUCCESS);
  EXPECT(size == 4 && std::strcmp(static_cast<char*>(packet), "abc") == 0);
  STATUS_OF(mcapi_pktchan_free(packet, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_pktchan_free(packet, &status), MCAPI_ENOT_VALID_BUF);
  STATUS_OF(mcapi_packetchan_recv_close_i(in, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_packetchan_send_close_i(out, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_connect_sclchan_i(one, two, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_open_sclchan_recv_i(&in, two, &first, &status), MCAPI_INCOMPLETE);
  STATUS_OF(mcapi_open_sclchan_send_i(&out, one, &second, &status), MCAPI_INCOMPLETE);
  EXPECT(mcapi_wait(&first, &size, &status, MCAPI_INFINITE) && mcapi_wait(&second, &size, &status, MCAPI_INFINITE));
  STATUS_OF(mcapi_sclchan_send_uint16(out, 77, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_sclchan_recv_uint8(in, &status), MCAPI_ESCL_SIZE);
  EXPECT(mcapi_sclchan_recv_uint16(in, &status) == 77);
}

}  // namespace

int main() {
  alarm(20);
  setenv("MCAPI_RUN", ("test-old-" + std::to_string(getpid())).c_str(), 1);
  setenv("MCAPI_REPORT", "off", 0);
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
  attributes(one);
  channels(one, two);
  STATUS_OF(mcapi_finalize(&status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_finalize(&status), MCAPI_ENODE_NOTINIT);
  std::printf("%s\n", failures == 0 ? "1 passed, 0 failed" : "0 passed, 1 failed");
  return failures == 0 ? 0 : 1;
}
