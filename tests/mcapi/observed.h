// Notes which statuses each function of MCAPI 2.015 returned: a line `mode function status` in the file MCAPI_OBSERVED,
// once per process. tests/system/mcapi.py holds them against the table in docs/guide/mcapi_status.md.
#pragma once

#include <fcntl.h>
#include <mcapi.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace test {

inline bool as_processes = false;

inline void observe(const char* function, mcapi_status_t status) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, mcapi_status_t>> known;
  const char* path = std::getenv("MCAPI_OBSERVED");
  const std::lock_guard guard(mutex);
  if (path == nullptr || !known.emplace(function, status).second) return;
  char name[MCAPI_MAX_STATUS_MSG_LEN];
  mcapi_display_status(status, name, sizeof name);
  const std::string line = std::string(as_processes ? "processes " : "threads ") + function + " " + name + "\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (write(file, line.data(), line.size()) < 0) std::abort();
  close(file);
}

inline mcapi_status_t* last(mcapi_status_t* status) { return status; }
template <typename First, typename... Rest>
mcapi_status_t* last(First&& /*first*/, Rest&&... rest) {
  return last(std::forward<Rest>(rest)...);
}

template <typename Return, typename... Parameters>
Return observed(const char* name, Return (*function)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  struct AtEnd {
    ~AtEnd() {
      if (status != nullptr) observe(name, *status);
    }
    const char* name;
    mcapi_status_t* status;
  } at_end{name, last(arguments...)};
  return function(arguments...);
}

}  // namespace test

#define mcapi_cancel(...) test::observed("mcapi_cancel", mcapi_cancel, __VA_ARGS__)
#define mcapi_domain_id_get(...) test::observed("mcapi_domain_id_get", mcapi_domain_id_get, __VA_ARGS__)
#define mcapi_endpoint_create(...) test::observed("mcapi_endpoint_create", mcapi_endpoint_create, __VA_ARGS__)
#define mcapi_endpoint_delete(...) test::observed("mcapi_endpoint_delete", mcapi_endpoint_delete, __VA_ARGS__)
#define mcapi_endpoint_get(...) test::observed("mcapi_endpoint_get", mcapi_endpoint_get, __VA_ARGS__)
#define mcapi_endpoint_get_attribute(...) \
  test::observed("mcapi_endpoint_get_attribute", mcapi_endpoint_get_attribute, __VA_ARGS__)
#define mcapi_endpoint_get_i(...) test::observed("mcapi_endpoint_get_i", mcapi_endpoint_get_i, __VA_ARGS__)
#define mcapi_endpoint_set_attribute(...) \
  test::observed("mcapi_endpoint_set_attribute", mcapi_endpoint_set_attribute, __VA_ARGS__)
#define mcapi_finalize(...) test::observed("mcapi_finalize", mcapi_finalize, __VA_ARGS__)
#define mcapi_initialize(...) test::observed("mcapi_initialize", mcapi_initialize, __VA_ARGS__)
#define mcapi_msg_available(...) test::observed("mcapi_msg_available", mcapi_msg_available, __VA_ARGS__)
#define mcapi_msg_recv(...) test::observed("mcapi_msg_recv", mcapi_msg_recv, __VA_ARGS__)
#define mcapi_msg_recv_i(...) test::observed("mcapi_msg_recv_i", mcapi_msg_recv_i, __VA_ARGS__)
#define mcapi_msg_send(...) test::observed("mcapi_msg_send", mcapi_msg_send, __VA_ARGS__)
#define mcapi_msg_send_i(...) test::observed("mcapi_msg_send_i", mcapi_msg_send_i, __VA_ARGS__)
#define mcapi_node_get_attribute(...) test::observed("mcapi_node_get_attribute", mcapi_node_get_attribute, __VA_ARGS__)
#define mcapi_node_id_get(...) test::observed("mcapi_node_id_get", mcapi_node_id_get, __VA_ARGS__)
#define mcapi_node_init_attributes(...) \
  test::observed("mcapi_node_init_attributes", mcapi_node_init_attributes, __VA_ARGS__)
#define mcapi_node_set_attribute(...) test::observed("mcapi_node_set_attribute", mcapi_node_set_attribute, __VA_ARGS__)
#define mcapi_pktchan_available(...) test::observed("mcapi_pktchan_available", mcapi_pktchan_available, __VA_ARGS__)
#define mcapi_pktchan_connect_i(...) test::observed("mcapi_pktchan_connect_i", mcapi_pktchan_connect_i, __VA_ARGS__)
#define mcapi_pktchan_recv(...) test::observed("mcapi_pktchan_recv", mcapi_pktchan_recv, __VA_ARGS__)
#define mcapi_pktchan_recv_close_i(...) \
  test::observed("mcapi_pktchan_recv_close_i", mcapi_pktchan_recv_close_i, __VA_ARGS__)
#define mcapi_pktchan_recv_i(...) test::observed("mcapi_pktchan_recv_i", mcapi_pktchan_recv_i, __VA_ARGS__)
#define mcapi_pktchan_recv_open_i(...) \
  test::observed("mcapi_pktchan_recv_open_i", mcapi_pktchan_recv_open_i, __VA_ARGS__)
#define mcapi_pktchan_release(...) test::observed("mcapi_pktchan_release", mcapi_pktchan_release, __VA_ARGS__)
#define mcapi_pktchan_release_test(...) \
  test::observed("mcapi_pktchan_release_test", mcapi_pktchan_release_test, __VA_ARGS__)
#define mcapi_pktchan_send(...) test::observed("mcapi_pktchan_send", mcapi_pktchan_send, __VA_ARGS__)
#define mcapi_pktchan_send_close_i(...) \
  test::observed("mcapi_pktchan_send_close_i", mcapi_pktchan_send_close_i, __VA_ARGS__)
#define mcapi_pktchan_send_i(...) test::observed("mcapi_pktchan_send_i", mcapi_pktchan_send_i, __VA_ARGS__)
#define mcapi_pktchan_send_open_i(...) \
  test::observed("mcapi_pktchan_send_open_i", mcapi_pktchan_send_open_i, __VA_ARGS__)
#define mcapi_sclchan_available(...) test::observed("mcapi_sclchan_available", mcapi_sclchan_available, __VA_ARGS__)
#define mcapi_sclchan_connect_i(...) test::observed("mcapi_sclchan_connect_i", mcapi_sclchan_connect_i, __VA_ARGS__)
#define mcapi_sclchan_recv_close_i(...) \
  test::observed("mcapi_sclchan_recv_close_i", mcapi_sclchan_recv_close_i, __VA_ARGS__)
#define mcapi_sclchan_recv_open_i(...) \
  test::observed("mcapi_sclchan_recv_open_i", mcapi_sclchan_recv_open_i, __VA_ARGS__)
#define mcapi_sclchan_recv_uint16(...) \
  test::observed("mcapi_sclchan_recv_uint16", mcapi_sclchan_recv_uint16, __VA_ARGS__)
#define mcapi_sclchan_recv_uint32(...) \
  test::observed("mcapi_sclchan_recv_uint32", mcapi_sclchan_recv_uint32, __VA_ARGS__)
#define mcapi_sclchan_recv_uint64(...) \
  test::observed("mcapi_sclchan_recv_uint64", mcapi_sclchan_recv_uint64, __VA_ARGS__)
#define mcapi_sclchan_recv_uint8(...) test::observed("mcapi_sclchan_recv_uint8", mcapi_sclchan_recv_uint8, __VA_ARGS__)
#define mcapi_sclchan_send_close_i(...) \
  test::observed("mcapi_sclchan_send_close_i", mcapi_sclchan_send_close_i, __VA_ARGS__)
#define mcapi_sclchan_send_open_i(...) \
  test::observed("mcapi_sclchan_send_open_i", mcapi_sclchan_send_open_i, __VA_ARGS__)
#define mcapi_sclchan_send_uint16(...) \
  test::observed("mcapi_sclchan_send_uint16", mcapi_sclchan_send_uint16, __VA_ARGS__)
#define mcapi_sclchan_send_uint32(...) \
  test::observed("mcapi_sclchan_send_uint32", mcapi_sclchan_send_uint32, __VA_ARGS__)
#define mcapi_sclchan_send_uint64(...) \
  test::observed("mcapi_sclchan_send_uint64", mcapi_sclchan_send_uint64, __VA_ARGS__)
#define mcapi_sclchan_send_uint8(...) test::observed("mcapi_sclchan_send_uint8", mcapi_sclchan_send_uint8, __VA_ARGS__)
#define mcapi_test(...) test::observed("mcapi_test", mcapi_test, __VA_ARGS__)
#define mcapi_wait(...) test::observed("mcapi_wait", mcapi_wait, __VA_ARGS__)
#define mcapi_wait_any(...) test::observed("mcapi_wait_any", mcapi_wait_any, __VA_ARGS__)
