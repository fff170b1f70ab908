// The interface of 2.015: <mcapi.h>, libmcapi.so.
#include <mcapi/mcapi.h>
#include <reprise/detail/gate.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "program/adapters/mcapi/operations.h"

namespace reprise::mcapi {
namespace {

static_assert(MCAPI_SUCCESS == static_cast<int>(Status::success));
static_assert(MCAPI_ERR_CHAN_OPEN == static_cast<int>(Status::chan_open));
static_assert(MCAPI_STATUSCODE_END == static_cast<int>(Status::end));
static_assert(MCAPI_MAX_DOMAIN == domain_max && MCAPI_MAX_NODE == node_max && MCAPI_MAX_PORT == port_max);
static_assert(MCAPI_MAX_MESSAGE_SIZE == message_bytes_max && MCAPI_MAX_PACKET_SIZE == message_bytes_max);
static_assert(MCAPI_MIN_PRORITY + 1 == priorities && MCAPI_MAX_QUEUE_ELEMENTS == queue_max);
static_assert(MCAPI_MAX_NODES == nodes_max && MCAPI_MAX_ENDPOINTS == endpoints_max);
static_assert(MCAPI_MAX_REQUESTS == requests_max && MCAPI_ENDP_ATTR_END == attributes);

constexpr mcapi_uint_t own_attributes = 64;  // numbers from here on belong to other organisations

void tell(mcapi_status_t* place, Status status) {
  if (place != nullptr) *place = static_cast<mcapi_status_t>(status);
}

void describe(mcapi_info_t& info) {
  info.mcapi_version = MCAPI_VERSION;
  info.organization_id = 0;
  info.implementation_version = 1;
  info.number_of_domains = MCAPI_MAX_DOMAIN + 1;
  info.number_of_nodes = MCAPI_MAX_NODES;
  info.number_of_ports = MCAPI_MAX_PORT + 1;
  info.impl_info.endpoints_max = MCAPI_MAX_ENDPOINTS;
  info.impl_info.message_bytes_max = MCAPI_MAX_MESSAGE_SIZE;
  info.impl_info.requests_max = MCAPI_MAX_REQUESTS;
}

template <typename Word>
Word receive_as(Handle handle, mcapi_status_t* status) {
  std::uint64_t value = 0;
  tell(status, receive_scalar(handle, value, sizeof(Word)));
  return static_cast<Word>(value);
}

}  // namespace
}  // namespace reprise::mcapi

using namespace reprise::mcapi;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" {

REPRISE_API void mcapi_initialize(mcapi_domain_t domain_id, mcapi_node_t node_id,
                                  mcapi_node_attributes_t* mcapi_node_attributes, mcapi_param_t* mcapi_parameters,
                                  mcapi_info_t* mcapi_info, mcapi_status_t* mcapi_status) {
  if (mcapi_info == nullptr) return tell(mcapi_status, Status::parameter);
  const std::uint32_t kind = mcapi_node_attributes == nullptr ? 0 : mcapi_node_attributes->kind;
  const std::uint32_t memory_mib = mcapi_parameters == nullptr ? 0 : mcapi_parameters->memory_mib;
  const Status status = initialize(domain_id, node_id, kind, memory_mib);
  if (status == Status::success) describe(*mcapi_info);
  tell(mcapi_status, status);
}

REPRISE_API void mcapi_finalize(mcapi_status_t* mcapi_status) { tell(mcapi_status, finalize()); }

REPRISE_API mcapi_domain_t mcapi_domain_id_get(mcapi_status_t* mcapi_status) {
  const Node* node = here();
  tell(mcapi_status, node == nullptr ? Status::node_notinit : Status::success);
  return node == nullptr ? MCAPI_DOMAIN_INVALID : node->id >> 12;
}

REPRISE_API mcapi_node_t mcapi_node_id_get(mcapi_status_t* mcapi_status) {
  const Node* node = here();
  tell(mcapi_status, node == nullptr ? Status::node_notinit : Status::success);
  return node == nullptr ? MCAPI_NODE_INVALID : node->id & node_max;
}

REPRISE_API void mcapi_node_init_attributes(mcapi_node_attributes_t* mcapi_node_attributes,
                                            mcapi_status_t* mcapi_status) {
  if (mcapi_node_attributes == nullptr) return tell(mcapi_status, Status::parameter);
  mcapi_node_attributes->kind = MCAPI_NODE_ATTR_TYPE_REGULAR;
  tell(mcapi_status, Status::success);
}

REPRISE_API void mcapi_node_set_attribute(mcapi_node_attributes_t* mcapi_node_attributes, mcapi_uint_t attribute_num,
                                          void* attribute, size_t attribute_size, mcapi_status_t* mcapi_status) {
  if (mcapi_node_attributes == nullptr || attribute == nullptr) return tell(mcapi_status, Status::parameter);
  if (attribute_num != MCAPI_NODE_ATTR_TYPE)
    return tell(mcapi_status, attribute_num < own_attributes ? Status::attr_notsupported : Status::attr_num);
  if (attribute_size != sizeof(mcapi_uint_t)) return tell(mcapi_status, Status::attr_size);
  std::memcpy(&mcapi_node_attributes->kind, attribute, sizeof(mcapi_uint_t));
  tell(mcapi_status, Status::success);
}

REPRISE_API void mcapi_node_get_attribute(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_uint_t attribute_num,
                                          void* attribute, size_t attribute_size, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, get_node_attribute(domain_id, node_id, attribute_num, attribute, attribute_size));
}

REPRISE_API mcapi_endpoint_t mcapi_endpoint_create(mcapi_port_t port_id, mcapi_status_t* mcapi_status) {
  Handle handle = 0;
  tell(mcapi_status, create_endpoint(port_id, handle));
  return handle;
}

REPRISE_API void mcapi_endpoint_get_i(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_port_t port_id,
                                      mcapi_endpoint_t* endpoint, mcapi_request_t* request,
                                      mcapi_status_t* mcapi_status) {
  tell(mcapi_status, get_endpoint_i(domain_id, node_id, port_id, endpoint, request, __builtin_return_address(0)));
}

REPRISE_API mcapi_endpoint_t mcapi_endpoint_get(mcapi_domain_t domain_id, mcapi_node_t node_id, mcapi_port_t port_id,
                                                mcapi_timeout_t timeout, mcapi_status_t* mcapi_status) {
  Handle handle = 0;
  tell(mcapi_status, get_endpoint(domain_id, node_id, port_id, timeout, handle));
  return handle;
}

REPRISE_API void mcapi_endpoint_delete(mcapi_endpoint_t endpoint, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, delete_endpoint(endpoint));
}

REPRISE_API void mcapi_endpoint_get_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num, void* attribute,
                                              size_t attribute_size, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, get_attribute(endpoint, attribute_num, attribute, attribute_size));
}

REPRISE_API void mcapi_endpoint_set_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t attribute_num,
                                              const void* attribute, size_t attribute_size,
                                              mcapi_status_t* mcapi_status) {
  tell(mcapi_status, set_attribute(endpoint, attribute_num, attribute, attribute_size));
}

REPRISE_API void mcapi_msg_send_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer,
                                  size_t buffer_size, mcapi_priority_t priority, mcapi_request_t* request,
                                  mcapi_status_t* mcapi_status) {
  tell(mcapi_status,
       send_i(send_endpoint, receive_endpoint, buffer, buffer_size, priority, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_msg_send(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint, void* buffer,
                                size_t buffer_size, mcapi_priority_t priority, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, send(send_endpoint, receive_endpoint, buffer, buffer_size, priority));
}

REPRISE_API void mcapi_pktchan_connect_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                                         mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, connect_i(Channel::packet, send_endpoint, receive_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_pktchan_recv_open_i(mcapi_pktchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, open_i(Channel::packet, Direction::receive, receive_handle, receive_endpoint, request,
                            __builtin_return_address(0)));
}

REPRISE_API void mcapi_pktchan_send_open_i(mcapi_pktchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status,
       open_i(Channel::packet, Direction::send, send_handle, send_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_pktchan_release(void* buffer, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, release_packet(buffer));
}

REPRISE_API mcapi_boolean_t mcapi_pktchan_release_test(void* buffer, mcapi_status_t* mcapi_status) {
  Status status{};
  const bool released = is_released(buffer, status);
  tell(mcapi_status, status);
  return released ? MCAPI_TRUE : MCAPI_FALSE;
}

REPRISE_API void mcapi_sclchan_connect_i(mcapi_endpoint_t send_endpoint, mcapi_endpoint_t receive_endpoint,
                                         mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, connect_i(Channel::scalar, send_endpoint, receive_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API void mcapi_sclchan_recv_open_i(mcapi_sclchan_recv_hndl_t* receive_handle, mcapi_endpoint_t receive_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status, open_i(Channel::scalar, Direction::receive, receive_handle, receive_endpoint, request,
                            __builtin_return_address(0)));
}

REPRISE_API void mcapi_sclchan_send_open_i(mcapi_sclchan_send_hndl_t* send_handle, mcapi_endpoint_t send_endpoint,
                                           mcapi_request_t* request, mcapi_status_t* mcapi_status) {
  tell(mcapi_status,
       open_i(Channel::scalar, Direction::send, send_handle, send_endpoint, request, __builtin_return_address(0)));
}

REPRISE_API mcapi_boolean_t mcapi_wait(mcapi_request_t* request, size_t* size, mcapi_timeout_t timeout,
                                       mcapi_status_t* mcapi_status) {
  Status status{};
  const bool done = wait(request, size, timeout, status);
  tell(mcapi_status, status);
  return done ? MCAPI_TRUE : MCAPI_FALSE;
}

REPRISE_API mcapi_uint_t mcapi_wait_any(size_t number, mcapi_request_t* requests, size_t* size, mcapi_timeout_t timeout,
                                        mcapi_status_t* mcapi_status) {
  std::vector<const mcapi_request_t*> pointers(requests == nullptr ? 0 : number);
  for (std::size_t i = 0; i < pointers.size(); ++i) pointers[i] = &requests[i];
  Status status{};
  const std::uint32_t index = wait_any(number, requests == nullptr ? nullptr : pointers.data(), size, timeout, status);
  tell(mcapi_status, status);
  return index;
}

REPRISE_API char* mcapi_display_status(mcapi_status_t mcapi_status, char* status_message, size_t size) {
  if (status_message == nullptr || size == 0) return status_message;
  std::snprintf(status_message, size, "%s", status_text(static_cast<Status>(mcapi_status)));
  return status_message;
}

REPRISE_API mcapi_uint_t mcapi_wait_any_pointers(size_t number, mcapi_request_t** requests, size_t* size,
                                                 mcapi_timeout_t timeout, mcapi_status_t* mcapi_status) {
  Status status{};
  const std::uint32_t index = wait_any(number, requests, size, timeout, status);
  tell(mcapi_status, status);
  return index;
}

#include "program/adapters/mcapi/interface_both.inc"

}  // extern "C"
