// The interface of 1.063: <mcapi.h> of include/mcapi1, libmcapi1.so.
#include <mcapi1/mcapi.h>
#include <reprise/detail/gate.h>

#include <iterator>

#include "program/adapters/mcapi/operations.h"

namespace reprise::mcapi {
namespace {

constexpr mcapi_version_t version = 1063;

// The name that 1.063 has for each status of 2.015, from success on.
constexpr int old_names[] = {MCAPI_SUCCESS,         MCAPI_INCOMPLETE,     MCAPI_EREQ_TIMEOUT,   MCAPI_EPARAM,
                             MCAPI_ENODE_NOTVALID,  MCAPI_ENODE_NOTVALID, MCAPI_ENO_INIT,       MCAPI_INITIALIZED,
                             MCAPI_ENODE_NOTINIT,   MCAPI_ENO_FINAL,      MCAPI_EPORT_NOTVALID, MCAPI_ENOT_ENDP,
                             MCAPI_EENDP_ISCREATED, MCAPI_ERROR,          MCAPI_ENOT_ENDP,      MCAPI_ENOT_OWNER,
                             MCAPI_ENOT_ENDP,       MCAPI_EATTR_INCOMP,   MCAPI_EATTR_SIZE,     MCAPI_EATTR_NUM,
                             MCAPI_EPARAM,          MCAPI_EATTR_NUM,      MCAPI_EREAD_ONLY,     MCAPI_EMESS_LIMIT,
                             MCAPI_ETRUNCATED,      MCAPI_ECHAN_OPEN,     MCAPI_ECHAN_TYPE,     MCAPI_EDIR,
                             MCAPI_ECONNECTED,      MCAPI_ECHAN_OPEN,     MCAPI_ECHAN_OPEN,     MCAPI_ENOT_OPEN,
                             MCAPI_ENOT_HANDLE,     MCAPI_EPACK_LIMIT,    MCAPI_ERROR,          MCAPI_EPRIO,
                             MCAPI_ENOT_VALID_BUF,  MCAPI_ENO_MEM,        MCAPI_ENOTREQ_HANDLE, MCAPI_ENO_REQUEST,
                             MCAPI_EREQ_CANCELED,   MCAPI_ERROR,          MCAPI_ERROR};
static_assert(std::size(old_names) == static_cast<std::size_t>(Status::end) - 1);

// The number that 2.015 has for each attribute of 1.063.
constexpr Attribute old_to_new[] = {
    Attribute::num_priorities, Attribute::num_send_buffers, Attribute::max_payload_size,
    Attribute::buffer_type,    Attribute::memory_type,      Attribute::timeout,
    Attribute::priority,       Attribute::status,           Attribute::num_recv_buffers};
constexpr std::uint32_t old_attributes = std::size(old_to_new);

void tell(mcapi_status_t* place, Status status) {
  if (place != nullptr) *place = static_cast<mcapi_status_t>(old_names[static_cast<std::size_t>(status) - 1]);
}

template <typename Word>
Word receive_as(Handle handle, mcapi_status_t* place) {
  std::uint64_t value = 0;
  const Status status = receive_scalar(handle, value, sizeof(Word));
  tell(place, status);
  if (status == Status::general && place != nullptr) *place = MCAPI_ESCL_SIZE;
  return static_cast<Word>(value);
}

}  // namespace
}  // namespace reprise::mcapi

using namespace reprise::mcapi;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" {

REPRISE_API void mcapi_initialize(mcapi_node_t node_id, mcapi_version_t* mcapi_version, mcapi_status_t* mcapi_status) {
  if (mcapi_version == nullptr) return tell(mcapi_status, Status::parameter);
  const Status status = initialize(0, static_cast<std::uint32_t>(node_id), 0, 0);
  if (status == Status::success) *mcapi_version = version;
  tell(mcapi_status, status);
}

REPRISE_API void mcapi_finalize(mcapi_status_t* mcapi_status) { tell(mcapi_status, finalize()); }

REPRISE_API mcapi_uint_t mcapi_get_node_id(mcapi_status_t* mcapi_status) {
  const Node* node = here();
  tell(mcapi_status, node == nullptr ? Status::node_notinit : Status::success);
  return node == nullptr ? no_value : node->id & node_max;
}

REPRISE_API mcapi_endpoint_t mcapi_create_endpoint(mcapi_port_t port_id, mcapi_status_t* mcapi_status) {
  Handle handle = 0;
  tell(mcapi_status, create_endpoint(static_cast<std::uint32_t>(port_id), handle));
  return handle;
}

REPRISE_API void mcapi_get_endpoint_i(mcapi_node_t node_id, mcapi_port_t port_id, mcapi_endpoint_t* endpoint,
                                      mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, get_endpoint_i(0, static_cast<std::uint32_t>(node_id), static_cast<std::uint32_t>(port_id),
                                    endpoint, request, __builtin_return_address(0)));
}

REPRISE_API mcapi_endpoint_t mcapi_get_endpoint(mcapi_node_t node_id, mcapi_port_t port_id,
                                                mcapi_status_t* mcapi_status) {
  Handle handle = 0;
  tell(mcapi_status,
       get_endpoint(0, static_cast<std::uint32_t>(node_id), static_cast<std::uint32_t>(port_id), forever, handle));
  return handle;
}

REPRISE_API void mcapi_delete_endpoint(mcapi_endpoint_t endpoint, mcapi_status_t* mcapi_status) {
  // 1.063 has its own name for a channel that is in the way.
  const Status status = delete_endpoint(endpoint);
  tell(mcapi_status, status == Status::chan_connected ? Status::chan_open : status);
}

REPRISE_API void mcapi_get_endpoint_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, void* attribute,
                                              size_t attribute_size, mcapi_status_t* mcapi_status) {
  const std::uint32_t number =
      attribute_num < old_attributes ? static_cast<std::uint32_t>(old_to_new[attribute_num]) : attributes;
  tell(mcapi_status, get_attribute(endpoint, number, attribute, attribute_size));
}

REPRISE_API void mcapi_set_endpoint_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num,
                                              const void* attribute, size_t attribute_size,
                                              mcapi_status_t* mcapi_status) {
  const std::uint32_t number =
      attribute_num < old_attributes ? static_cast<std::uint32_t>(old_to_new[attribute_num]) : attributes;
  tell(mcapi_status, set_attribute(endpoint, number, attribute, attribute_size));
}

REPRISE_API void mcapi_msg_send_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer,
                                  size_t buffer_size, mcapi_priority_t priority, mcapi_request_t* request,
                                  mcapi_status_t* mcapi_status) {
  tell(mcapi_status, send_i(send_endpoint, receive_endpoint, buffer, buffer_size, static_cast<std::uint32_t>(priority),
                            request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_msg_send(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer,
                                size_t buffer_size, mcapi_priority_t priority, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, send(send_endpoint, receive_endpoint, buffer, buffer_size, static_cast<std::uint32_t>(priority)));
}

REPRISE_API void mcapi_connect_pktchan_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                                         mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, connect_i(Channel::packet, send_endpoint, receive_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_open_pktchan_recv_i(mcapi_pktchan_recv_hndl_t* recv_handle, mcapi_endpoint_t receive_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, open_i(Channel::packet, Direction::receive, recv_handle, receive_endpoint, request,
                            __builtin_return_address(0)));
}

REPRISE_API void mcapi_open_pktchan_send_i(mcapi_pktchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status,
       open_i(Channel::packet, Direction::send, send_handle, send_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_pktchan_free(void* buffer, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, release_packet(buffer));
}

REPRISE_API void mcapi_connect_sclchan_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                                         mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, connect_i(Channel::scalar, send_endpoint, receive_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_open_sclchan_recv_i(mcapi_sclchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, open_i(Channel::scalar, Direction::receive, receive_handle, receive_endpoint, request,
                            __builtin_return_address(0)));
}

REPRISE_API void mcapi_open_sclchan_send_i(mcapi_sclchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status,
       open_i(Channel::scalar, Direction::send, send_handle, send_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API mcapi_boolean_t mcapi_wait(mcapi_request_t* request, size_t* size, mcapi_status_t* mcapi_status,
                                       mcapi_timeout_t timeout) {
  Status status{};
  const bool done = wait(request, size, static_cast<std::uint32_t>(timeout), status);
  tell(mcapi_status, status);
  return done ? MCAPI_TRUE : MCAPI_FALSE;
}

REPRISE_API mcapi_int_t mcapi_wait_any(size_t number, mcapi_request_t** requests, size_t* size,
                                       mcapi_status_t* mcapi_status, mcapi_timeout_t timeout) {
  Status status{};
  const std::uint32_t index = wait_any(number, requests, size, static_cast<std::uint32_t>(timeout), status);
  tell(mcapi_status, status);
  return static_cast<mcapi_int_t>(index);
}

#include "program/adapters/mcapi/interface_both.inc"

}  // extern "C"
