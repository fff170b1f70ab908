// The statuses of MCAPI, with the numbers of 2.015, and its limits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reprise::mcapi {

enum class Status : std::uint32_t {
  success = 1,
  pending,
  timeout,
  parameter,
  domain_invalid,
  node_invalid,
  node_initfailed,
  node_initialized,
  node_notinit,
  node_finalfailed,
  port_invalid,
  endp_invalid,
  endp_exists,
  endp_get_limit,
  endp_deleted,
  endp_notowner,
  endp_remote,
  attr_incompatible,
  attr_size,
  attr_num,
  attr_value,
  attr_notsupported,
  attr_readonly,
  msg_size,
  msg_truncated,
  chan_open,
  chan_type,
  chan_direction,
  chan_connected,
  chan_openpending,
  chan_closepending,
  chan_notopen,
  chan_invalid,
  pkt_size,
  transmission,
  priority,
  buf_invalid,
  mem_limit,
  request_invalid,
  request_limit,
  request_cancelled,
  wait_pending,
  general,
  end,
};

constexpr std::uint32_t domain_max = 15;
constexpr std::uint32_t node_max = 4095;
constexpr std::uint32_t port_max = 65535;
constexpr std::uint32_t first_any_port = 32768;
constexpr std::uint32_t any_port = ~0u;
constexpr std::uint32_t no_value = ~0u;
constexpr std::uint32_t forever = ~0u;
constexpr std::uint32_t priorities = 8;
#if defined(MCAPI_MESSAGE_BYTES)  // a build for tests: tests/plain
constexpr std::size_t message_bytes_max = MCAPI_MESSAGE_BYTES;
#else
constexpr std::size_t message_bytes_max = 65536;
#endif
constexpr std::uint32_t queue_max = 1024;
constexpr std::uint32_t requests_max = 65536;
constexpr std::uint32_t processes_max = 256;
constexpr std::uint32_t nodes_max = 1024;
constexpr std::uint32_t endpoints_max = 2048;

using Handle = std::uint32_t;  // an endpoint: domain, node and port

constexpr std::uint32_t node_id(std::uint32_t domain, std::uint32_t node) { return domain << 12 | node; }
constexpr Handle handle_of(std::uint32_t id, std::uint32_t port) { return id << 16 | port; }
constexpr std::uint32_t id_of(Handle handle) { return handle >> 16; }

}  // namespace reprise::mcapi
