// The operations of MCAPI, free of the two interfaces that call them (interface2.cc, interface1.cc).
//
//   Status status = send(from, to, bytes, size, priority);
//
// Each takes the caller's node from the calling thread and returns the status that 2.015 has for what happened.
//
// Threads   Any.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

using RequestHandle = std::uint32_t;

// Endpoints.
Status create_endpoint(std::uint32_t port, Handle& handle);
Status get_endpoint(std::uint32_t domain, std::uint32_t node, std::uint32_t port, std::uint32_t timeout_ms,
                    Handle& handle);
Status get_endpoint_i(std::uint32_t domain, std::uint32_t node, std::uint32_t port, Handle* result,
                      RequestHandle* request, const void* caller);
Status delete_endpoint(Handle handle);

enum class Attribute : std::uint8_t {
  max_payload_size,
  buffer_type,
  memory_type,
  num_priorities,
  priority,
  num_send_buffers,
  num_recv_buffers,
  status,
  timeout,
};
constexpr std::uint32_t attributes = 9;
Status get_attribute(Handle handle, std::uint32_t number, void* value, std::size_t size);
Status set_attribute(Handle handle, std::uint32_t number, const void* value, std::size_t size);
Status get_node_attribute(std::uint32_t domain, std::uint32_t node, std::uint32_t number, void* value,
                          std::size_t size);

// Messages.
Status send(Handle from, Handle to, const void* bytes, std::size_t size, std::uint32_t priority);
Status send_i(Handle from, Handle to, const void* bytes, std::size_t size, std::uint32_t priority,
              RequestHandle* request, const void* caller);
Status receive(Handle handle, void* buffer, std::size_t capacity, std::size_t* received);
Status receive_i(Handle handle, void* buffer, std::size_t capacity, RequestHandle* request, const void* caller);
Status available(Handle handle, std::uint32_t& count);

// Channels.
Status connect_i(Channel channel, Handle from, Handle to, RequestHandle* request, const void* caller);
Status open_i(Channel channel, Direction direction, Handle* result, Handle handle, RequestHandle* request,
              const void* caller);
Status close_i(Channel channel, Direction direction, Handle handle, RequestHandle* request, const void* caller);
Status send_packet(Handle handle, const void* bytes, std::size_t size);
Status send_packet_i(Handle handle, const void* bytes, std::size_t size, RequestHandle* request, const void* caller);
Status receive_packet(Handle handle, void** buffer, std::size_t* received);
Status receive_packet_i(Handle handle, void** buffer, RequestHandle* request, const void* caller);
Status channel_available(Channel channel, Handle handle, std::uint32_t& count);
Status release_packet(void* buffer);
bool is_released(const void* buffer, Status& status);
Status send_scalar(Handle handle, std::uint64_t value, std::size_t width);
Status receive_scalar(Handle handle, std::uint64_t& value, std::size_t width);

// Requests.
bool test(const RequestHandle* request, std::size_t* size, Status& status);
bool wait(const RequestHandle* request, std::size_t* size, std::uint32_t timeout_ms, Status& status);
std::uint32_t wait_any(std::size_t number, const RequestHandle* const* requests, std::size_t* size,
                       std::uint32_t timeout_ms, Status& status);
Status cancel(const RequestHandle* request);

const char* status_text(Status status);

}  // namespace reprise::mcapi
