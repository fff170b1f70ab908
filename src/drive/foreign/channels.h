// Packet and scalar channels, and attributes: see interposer.cc. Included once, by calls.h.
//
// A channel carries data in one order only: by receiver its calls pass, and a replay makes them again. With contents
// each is recorded with what it gave, and a replay asks the library nothing.
#pragma once

#if FOREIGN_VERSION == 1
#define CONNECT_PACKETS mcapi_connect_pktchan_i
#define OPEN_PACKETS_IN mcapi_open_pktchan_recv_i
#define OPEN_PACKETS_OUT mcapi_open_pktchan_send_i
#define CONNECT_SCALARS mcapi_connect_sclchan_i
#define OPEN_SCALARS_IN mcapi_open_sclchan_recv_i
#define OPEN_SCALARS_OUT mcapi_open_sclchan_send_i
#define RELEASE_PACKET mcapi_pktchan_free
#define GET_ATTRIBUTE mcapi_get_endpoint_attribute
#define SET_ATTRIBUTE mcapi_set_endpoint_attribute
#else
#define CONNECT_PACKETS mcapi_pktchan_connect_i
#define OPEN_PACKETS_IN mcapi_pktchan_recv_open_i
#define OPEN_PACKETS_OUT mcapi_pktchan_send_open_i
#define CONNECT_SCALARS mcapi_sclchan_connect_i
#define OPEN_SCALARS_IN mcapi_sclchan_recv_open_i
#define OPEN_SCALARS_OUT mcapi_sclchan_send_open_i
#define RELEASE_PACKET mcapi_pktchan_release
#define GET_ATTRIBUTE mcapi_endpoint_get_attribute
#define SET_ATTRIBUTE mcapi_endpoint_set_attribute
#endif
// The names above are spelled out before they become strings or parts of names.
#define STAND_BEFORE(name) FOREIGN(name)
#define NATIVE(name) REAL(name)

#if defined(FOREIGN_WRAP)
#define DECLARE_NAMED(name) DECLARE(name)
DECLARE_NAMED(CONNECT_PACKETS);
DECLARE_NAMED(OPEN_PACKETS_IN);
DECLARE_NAMED(OPEN_PACKETS_OUT);
DECLARE_NAMED(CONNECT_SCALARS);
DECLARE_NAMED(OPEN_SCALARS_IN);
DECLARE_NAMED(OPEN_SCALARS_OUT);
DECLARE_NAMED(RELEASE_PACKET);
DECLARE_NAMED(GET_ATTRIBUTE);
DECLARE_NAMED(SET_ATTRIBUTE);
DECLARE(mcapi_pktchan_send);
DECLARE(mcapi_pktchan_send_i);
DECLARE(mcapi_pktchan_recv);
DECLARE(mcapi_pktchan_recv_i);
DECLARE(mcapi_pktchan_recv_close_i);
DECLARE(mcapi_pktchan_send_close_i);
DECLARE(mcapi_sclchan_recv_close_i);
DECLARE(mcapi_sclchan_send_close_i);
DECLARE(mcapi_sclchan_send_uint8);
DECLARE(mcapi_sclchan_send_uint16);
DECLARE(mcapi_sclchan_send_uint32);
DECLARE(mcapi_sclchan_send_uint64);
DECLARE(mcapi_sclchan_recv_uint8);
DECLARE(mcapi_sclchan_recv_uint16);
DECLARE(mcapi_sclchan_recv_uint32);
DECLARE(mcapi_sclchan_recv_uint64);
#endif

namespace {

bool channels_pass() { return passes() || !has_contents; }

bool is_taken(mcapi_status_t status) {
  return status == MCAPI_SUCCESS || status == static_cast<mcapi_status_t>(pending_status);
}

// A call whose status is all that it gives; true if it succeeded.
template <typename Call>
bool channel_call(mcapi_status_t* status, Call call) {
  const Passage passage(Kind::mcapi_channel, number_of(success, true));
  if (passage.is_known()) {
    *status = status_from(passage.number());
  } else {
    const Inside here;
    call();
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
  return *status == MCAPI_SUCCESS;
}

// A call that makes a request. By receiver the request is the library's, and only how it comes to its end is recorded.
template <typename Call>
void channel_call_i(Pending&& made, mcapi_request_t* request, mcapi_status_t* status, Call call) {
  if (has_contents) {
    channel_call(status, call);
  } else {
    const Inside here;
    call();
    made = Pending{};
    made.is_real = true;
  }
  if (!is_taken(*status)) return;
  if (is_simulated()) {
    made.is_virtual = true;
    make_virtual(request) = std::move(made);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  requests[key_of(*request)] = std::move(made);
}

// What a call gave besides its status is kept, or given back.
void pass_bytes(void* bytes, std::size_t size) {
  if (!is_replayed()) return keep_bytes(bytes, size);
  const std::string given = given_bytes();
  if (given.size() == size) std::memcpy(bytes, given.data(), size);
}

template <typename Handle>
Pending pending_open(Handle* result) {
  Pending made;
  made.asked = Asked::open;
  made.result = result;
  made.result_size = sizeof *result;
  return made;
}

}  // namespace

extern "C" {

// ---- connect, open, close ----

#define CHANNEL_CONNECT(ours, name)                                                                         \
  void ours(mcapi_endpoint_t from, mcapi_endpoint_t to, mcapi_request_t* request, mcapi_status_t* status)   \
      STAND_BEFORE(name);                                                                                   \
  void ours(mcapi_endpoint_t from, mcapi_endpoint_t to, mcapi_request_t* request, mcapi_status_t* status) { \
    if (passes() || request == nullptr) return NATIVE(name)(from, to, request, status);                     \
    channel_call_i({}, request, status, [&] { NATIVE(name)(from, to, request, status); });                  \
  }
CHANNEL_CONNECT(our_connect_packets, CONNECT_PACKETS)
CHANNEL_CONNECT(our_connect_scalars, CONNECT_SCALARS)

#define CHANNEL_OPEN(ours, name, type)                                                                         \
  void ours(type* end, mcapi_endpoint_t endpoint, mcapi_request_t* request, mcapi_status_t* status)            \
      STAND_BEFORE(name);                                                                                      \
  void ours(type* end, mcapi_endpoint_t endpoint, mcapi_request_t* request, mcapi_status_t* status) {          \
    if (passes() || request == nullptr || end == nullptr) return NATIVE(name)(end, endpoint, request, status); \
    channel_call_i(pending_open(end), request, status, [&] { NATIVE(name)(end, endpoint, request, status); }); \
  }
CHANNEL_OPEN(our_open_packets_in, OPEN_PACKETS_IN, mcapi_pktchan_recv_hndl_t)
CHANNEL_OPEN(our_open_packets_out, OPEN_PACKETS_OUT, mcapi_pktchan_send_hndl_t)
CHANNEL_OPEN(our_open_scalars_in, OPEN_SCALARS_IN, mcapi_sclchan_recv_hndl_t)
CHANNEL_OPEN(our_open_scalars_out, OPEN_SCALARS_OUT, mcapi_sclchan_send_hndl_t)

#define CHANNEL_CLOSE(ours, name, type)                                                \
  void ours(type end, mcapi_request_t* request, mcapi_status_t* status) FOREIGN(name); \
  void ours(type end, mcapi_request_t* request, mcapi_status_t* status) {              \
    if (passes() || request == nullptr) return REAL(name)(end, request, status);       \
    channel_call_i({}, request, status, [&] { REAL(name)(end, request, status); });    \
  }
CHANNEL_CLOSE(our_close_packets_in, mcapi_pktchan_recv_close_i, mcapi_pktchan_recv_hndl_t)
CHANNEL_CLOSE(our_close_packets_out, mcapi_pktchan_send_close_i, mcapi_pktchan_send_hndl_t)
CHANNEL_CLOSE(our_close_scalars_in, mcapi_sclchan_recv_close_i, mcapi_sclchan_recv_hndl_t)
CHANNEL_CLOSE(our_close_scalars_out, mcapi_sclchan_send_close_i, mcapi_sclchan_send_hndl_t)

// ---- packets ----

void our_send_packet(mcapi_pktchan_send_hndl_t end, void* buffer, std::size_t size, mcapi_status_t* status)
    FOREIGN(mcapi_pktchan_send);
void our_send_packet(mcapi_pktchan_send_hndl_t end, void* buffer, std::size_t size, mcapi_status_t* status) {
  if (channels_pass()) return REAL(mcapi_pktchan_send)(end, buffer, size, status);
  channel_call(status, [&] { REAL(mcapi_pktchan_send)(end, buffer, size, status); });
}

void our_send_packet_i(mcapi_pktchan_send_hndl_t end, void* buffer, std::size_t size, mcapi_request_t* request,
                       mcapi_status_t* status) FOREIGN(mcapi_pktchan_send_i);
void our_send_packet_i(mcapi_pktchan_send_hndl_t end, void* buffer, std::size_t size, mcapi_request_t* request,
                       mcapi_status_t* status) {
  if (passes() || request == nullptr) return REAL(mcapi_pktchan_send_i)(end, buffer, size, request, status);
  Pending made;
  made.asked = Asked::send;
  made.size = size;
  channel_call_i(std::move(made), request, status, [&] {
    REAL(mcapi_pktchan_send_i)(end, buffer, size, request, status);
  });
}

void our_recv_packet(mcapi_pktchan_recv_hndl_t end, void** buffer, std::size_t* size, mcapi_status_t* status)
    FOREIGN(mcapi_pktchan_recv);
void our_recv_packet(mcapi_pktchan_recv_hndl_t end, void** buffer, std::size_t* size, mcapi_status_t* status) {
  if (channels_pass() || buffer == nullptr || size == nullptr)
    return REAL(mcapi_pktchan_recv)(end, buffer, size, status);
  if (!channel_call(status, [&] { REAL(mcapi_pktchan_recv)(end, buffer, size, status); })) return;
  if (!is_replayed()) return keep_bytes(*buffer, *size);
  *buffer = packet_of(given_bytes(), *size);
}

void our_recv_packet_i(mcapi_pktchan_recv_hndl_t end, void** buffer, mcapi_request_t* request, mcapi_status_t* status)
    FOREIGN(mcapi_pktchan_recv_i);
void our_recv_packet_i(mcapi_pktchan_recv_hndl_t end, void** buffer, mcapi_request_t* request, mcapi_status_t* status) {
  if (passes() || buffer == nullptr || request == nullptr)
    return REAL(mcapi_pktchan_recv_i)(end, buffer, request, status);
  Pending made;
  made.asked = Asked::packet;
  made.packet = buffer;
  channel_call_i(std::move(made), request, status, [&] { REAL(mcapi_pktchan_recv_i)(end, buffer, request, status); });
}

void our_release_packet(void* buffer, mcapi_status_t* status) STAND_BEFORE(RELEASE_PACKET);
void our_release_packet(void* buffer, mcapi_status_t* status) {
  if (channels_pass()) return NATIVE(RELEASE_PACKET)(buffer, status);
  const bool released = channel_call(status, [&] { NATIVE(RELEASE_PACKET)(buffer, status); });
  if (released && is_replayed()) std::free(buffer);
}

// ---- scalars ----

#define SCALAR(send, recv, send_name, recv_name, type)                                                         \
  void send(mcapi_sclchan_send_hndl_t end, type value, mcapi_status_t* status) FOREIGN(send_name);             \
  void send(mcapi_sclchan_send_hndl_t end, type value, mcapi_status_t* status) {                               \
    if (channels_pass()) return REAL(send_name)(end, value, status);                                           \
    channel_call(status, [&] { REAL(send_name)(end, value, status); });                                        \
  }                                                                                                            \
  type recv(mcapi_sclchan_recv_hndl_t end, mcapi_status_t* status) FOREIGN(recv_name);                         \
  type recv(mcapi_sclchan_recv_hndl_t end, mcapi_status_t* status) {                                           \
    if (channels_pass()) return REAL(recv_name)(end, status);                                                  \
    type value{};                                                                                              \
    if (channel_call(status, [&] { value = REAL(recv_name)(end, status); })) pass_bytes(&value, sizeof value); \
    return value;                                                                                              \
  }
SCALAR(our_send_8, our_recv_8, mcapi_sclchan_send_uint8, mcapi_sclchan_recv_uint8, mcapi_uint8_t)
SCALAR(our_send_16, our_recv_16, mcapi_sclchan_send_uint16, mcapi_sclchan_recv_uint16, mcapi_uint16_t)
SCALAR(our_send_32, our_recv_32, mcapi_sclchan_send_uint32, mcapi_sclchan_recv_uint32, mcapi_uint32_t)
SCALAR(our_send_64, our_recv_64, mcapi_sclchan_send_uint64, mcapi_sclchan_recv_uint64, mcapi_uint64_t)

// ---- attributes ----

// How many buffers are free differs from run to run: what was read is recorded with either technique.
void our_get_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t number, void* value, std::size_t size,
                       mcapi_status_t* status) STAND_BEFORE(GET_ATTRIBUTE);
void our_get_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t number, void* value, std::size_t size,
                       mcapi_status_t* status) {
  if (passes() || value == nullptr) return NATIVE(GET_ATTRIBUTE)(endpoint, number, value, size, status);
  if (channel_call(status, [&] { NATIVE(GET_ATTRIBUTE)(endpoint, number, value, size, status); }))
    pass_bytes(value, size);
}

void our_set_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t number, const void* value, std::size_t size,
                       mcapi_status_t* status) STAND_BEFORE(SET_ATTRIBUTE);
void our_set_attribute(mcapi_endpoint_t endpoint, mcapi_uint_t number, const void* value, std::size_t size,
                       mcapi_status_t* status) {
  const auto set = [&] { NATIVE(SET_ATTRIBUTE)(endpoint, number, const_cast<void*>(value), size, status); };
  if (channels_pass()) return set();
  channel_call(status, set);
}

}  // extern "C"
