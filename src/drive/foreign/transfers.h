// Messages and requests: see interposer.cc. Included once, by calls.h.
#pragma once

// ---- messages ----

void our_send(mcapi_endpoint_t from, mcapi_endpoint_t to, void* buffer, std::size_t size, mcapi_priority_t priority,
              mcapi_status_t* status) FOREIGN(mcapi_msg_send);
void our_send(mcapi_endpoint_t from, mcapi_endpoint_t to, void* buffer, std::size_t size, mcapi_priority_t priority,
              mcapi_status_t* status) {
  // What the library refuses for its arguments alone is refused again.
  if (passes() || (buffer == nullptr && size > 0) || size > size_max)
    return REAL(mcapi_msg_send)(from, to, buffer, size, priority, status);
  const Passage passage(Kind::mcapi_send, number_of(success, true));
  if (passage.is_known()) {
    *status = status_from(passage.number());
    if (*status == MCAPI_SUCCESS) send_again(from, to, buffer, size, priority);
    return;
  }
  Outgoing message(key_of(to), buffer, size, size_max);
  {
    const Inside here;
    REAL(mcapi_msg_send)(from, to, message.bytes.data(), message.bytes.size(), priority, status);
  }
  if (*status != MCAPI_SUCCESS) message.withdraw(key_of(to));
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
}

void our_send_i(mcapi_endpoint_t from, mcapi_endpoint_t to, void* buffer, std::size_t size, mcapi_priority_t priority,
                mcapi_request_t* request, mcapi_status_t* status) FOREIGN(mcapi_msg_send_i);
void our_send_i(mcapi_endpoint_t from, mcapi_endpoint_t to, void* buffer, std::size_t size, mcapi_priority_t priority,
                mcapi_request_t* request, mcapi_status_t* status) {
  if (passes() || (buffer == nullptr && size > 0) || size > size_max)
    return REAL(mcapi_msg_send_i)(from, to, buffer, size, priority, request, status);
  const Passage passage(Kind::mcapi_send, number_of(success, true));
  const auto is_taken = [&] {
    return *status == MCAPI_SUCCESS || *status == static_cast<mcapi_status_t>(pending_status);
  };
  if (passage.is_known()) {
    *status = status_from(passage.number());
    if (!is_taken()) return;
    send_again(from, to, buffer, size, priority);
    Pending& made = make_virtual(request);
    made.asked = Asked::send;
    made.size = size;
    return;
  }
  Outgoing message(key_of(to), buffer, size, size_max);
  Pending made;
  made.asked = Asked::send;
  made.size = size;
  made.bytes = message.bytes;
  {
    const Inside here;
    REAL(mcapi_msg_send_i)(from, to, made.bytes.data(), made.bytes.size(), priority, request, status);
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
  if (!is_taken()) return message.withdraw(key_of(to));
  const std::lock_guard<std::mutex> lock(mutex);
  requests[key_of(*request)] = std::move(made);
}

void our_recv(mcapi_endpoint_t endpoint, void* buffer, std::size_t capacity, std::size_t* size, mcapi_status_t* status)
    FOREIGN(mcapi_msg_recv);
void our_recv(mcapi_endpoint_t endpoint, void* buffer, std::size_t capacity, std::size_t* size,
              mcapi_status_t* status) {
  if (passes() || size == nullptr) return REAL(mcapi_msg_recv)(endpoint, buffer, capacity, size, status);
  const Key at = key_of(endpoint);
  const Passage passage(Kind::mcapi_recv, expected_message(at));
  if (passage.is_known()) {
    *status = status_from(passage.number());
    if (!is_status(passage.number())) hand_over(await_message(at, passage.number()), buffer, capacity, *size, *status);
    return;
  }
  std::string room(size_max, '\0');
  {
    const Inside here;
    REAL(mcapi_msg_recv)(endpoint, room.data(), room.size(), size, status);
  }
  if (*status != MCAPI_SUCCESS) return passage.keep(number_of(static_cast<std::uint64_t>(*status), false));
  const Arrived message = arrived(at, room.data(), *size);
  hand_over(message, buffer, capacity, *size, *status);
  tell(at, message, passage);
}

void our_recv_i(mcapi_endpoint_t endpoint, void* buffer, std::size_t capacity, mcapi_request_t* request,
                mcapi_status_t* status) FOREIGN(mcapi_msg_recv_i);
void our_recv_i(mcapi_endpoint_t endpoint, void* buffer, std::size_t capacity, mcapi_request_t* request,
                mcapi_status_t* status) {
  if (passes() || request == nullptr) return REAL(mcapi_msg_recv_i)(endpoint, buffer, capacity, request, status);
  Pending made;
  made.asked = Asked::receive;
  made.endpoint = key_of(endpoint);
  made.buffer = buffer;
  made.capacity = capacity;
  const Passage passage(Kind::mcapi_value, static_cast<std::uint64_t>(pending_status));
  if (passage.is_known()) {
    *status = static_cast<mcapi_status_t>(passage.number());
    if (*status != MCAPI_SUCCESS && *status != static_cast<mcapi_status_t>(pending_status)) return;
    Pending& kept = make_virtual(request);
    made.is_virtual = true;
    kept = std::move(made);
    return;
  }
  // Its place must not change any more: the library writes into it.
  made.bytes.resize(size_max);
  {
    const Inside here;
    REAL(mcapi_msg_recv_i)(endpoint, made.bytes.data(), made.bytes.size(), request, status);
  }
  passage.keep(static_cast<std::uint64_t>(*status));
  const std::lock_guard<std::mutex> lock(mutex);
  requests[key_of(*request)] = std::move(made);
}

#define AVAILABLE(ours, name, type)                                                              \
  mcapi_uint_t ours(type end, mcapi_status_t* status) FOREIGN(name);                             \
  mcapi_uint_t ours(type end, mcapi_status_t* status) {                                          \
    if (passes()) return REAL(name)(end, status);                                                \
    const Passage passage(Kind::mcapi_value, 0);                                                 \
    if (passage.is_known()) {                                                                    \
      *status = static_cast<mcapi_status_t>(passage.number() >> 32);                             \
      return static_cast<mcapi_uint_t>(passage.number());                                        \
    }                                                                                            \
    mcapi_uint_t count = 0;                                                                      \
    {                                                                                            \
      const Inside here;                                                                         \
      count = REAL(name)(end, status);                                                           \
    }                                                                                            \
    passage.keep(static_cast<std::uint64_t>(*status) << 32 | static_cast<std::uint32_t>(count)); \
    return count;                                                                                \
  }
AVAILABLE(our_available, mcapi_msg_available, mcapi_endpoint_t)
AVAILABLE(our_packets, mcapi_pktchan_available, mcapi_pktchan_recv_hndl_t)
AVAILABLE(our_scalars, mcapi_sclchan_available, mcapi_sclchan_recv_hndl_t)

// ---- requests ----

mcapi_boolean_t our_test(mcapi_request_t* handle, std::size_t* size, mcapi_status_t* status) FOREIGN(mcapi_test);
mcapi_boolean_t our_test(mcapi_request_t* handle, std::size_t* size, mcapi_status_t* status) {
  if (passes() || handle == nullptr || size == nullptr) return REAL(mcapi_test)(handle, size, status);
  Pending* request = find(handle);
  const Passage passage(Kind::mcapi_test, number_of(static_cast<std::uint64_t>(pending_status), false));
  if (passage.is_known()) return complete_again(request, handle, passage.number(), size, status);
  bool result = false;
  {
    const Inside here;
    result = REAL(mcapi_test)(handle, size, status) != MCAPI_FALSE;
  }
  complete(request, result, size, status, passage);
  return result && *status == MCAPI_SUCCESS;
}

#if FOREIGN_VERSION == 1
mcapi_boolean_t our_wait(mcapi_request_t* request, std::size_t* size, mcapi_status_t* status, mcapi_timeout_t timeout)
    FOREIGN(mcapi_wait);
mcapi_boolean_t our_wait(mcapi_request_t* request, std::size_t* size, mcapi_status_t* status, mcapi_timeout_t timeout) {
#else
mcapi_boolean_t our_wait(mcapi_request_t* request, std::size_t* size, mcapi_timeout_t timeout, mcapi_status_t* status)
    FOREIGN(mcapi_wait);
mcapi_boolean_t our_wait(mcapi_request_t* request, std::size_t* size, mcapi_timeout_t timeout, mcapi_status_t* status) {
#endif
  if (passes() || request == nullptr || size == nullptr) return real_wait(request, size, timeout, status);
  return wait_for(request, size, timeout, status);
}

void our_cancel(mcapi_request_t* request, mcapi_status_t* status) FOREIGN(mcapi_cancel);
void our_cancel(mcapi_request_t* request, mcapi_status_t* status) {
  if (passes() || request == nullptr) return REAL(mcapi_cancel)(request, status);
  const Passage passage(Kind::mcapi_cancel, number_of(success, true));
  const Pending* found = find(request);
  if (passage.is_known()) *status = status_from(passage.number());
  if (!passage.is_known() || found == nullptr || found->is_real) {
    const Inside here;
    REAL(mcapi_cancel)(request, status);
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
  if (*status == MCAPI_SUCCESS) forget(request);
}

#if FOREIGN_VERSION == 1
using AnyRequests = mcapi_request_t**;
#define ANY_ARGUMENTS \
  std::size_t number, AnyRequests handles, std::size_t *size, mcapi_status_t *status, mcapi_timeout_t timeout
#define ANY_CALL number, handles, size, status, timeout
#else
using AnyRequests = RequestsOf<decltype(&mcapi_wait_any)>::Type;
#define ANY_ARGUMENTS \
  std::size_t number, AnyRequests handles, std::size_t *size, mcapi_timeout_t timeout, mcapi_status_t *status
#define ANY_CALL number, handles, size, timeout, status
#endif

using AnyIndex = decltype(mcapi_wait_any(0, nullptr, nullptr, {}, {}));

AnyIndex our_wait_any(ANY_ARGUMENTS) FOREIGN(mcapi_wait_any);
AnyIndex our_wait_any(ANY_ARGUMENTS) {
  if (passes() || number == 0 || handles == nullptr || size == nullptr) return REAL(mcapi_wait_any)(ANY_CALL);
  std::uint64_t outcome = 0;
  AnyIndex index{};
  std::size_t bytes = 0;
  {
    const Passage passage(Kind::mcapi_index, 0);
    if (passage.is_known()) {
      outcome = passage.number();
    } else {
      {
        const Inside here;
        index = REAL(mcapi_wait_any)(ANY_CALL);
      }
      bytes = *size;
      const bool has_index = *status == MCAPI_SUCCESS && static_cast<std::size_t>(index) < number;
      outcome = has_index ? std::uint64_t{static_cast<std::uint32_t>(index)} << 1
                          : (static_cast<std::uint64_t>(*status) << 32 | static_cast<std::uint32_t>(index)) << 1 | 1;
      passage.keep(outcome);
    }
  }
  if (is_status(outcome)) {
    *status = static_cast<mcapi_status_t>(outcome >> 33);
    return static_cast<AnyIndex>(static_cast<std::uint32_t>(outcome >> 1));
  }
  mcapi_request_t* handle = request_at(handles, outcome >> 1);
  Pending* request = find(handle);
  const Passage passage(Kind::mcapi_wait, expected_of(request));
  if (passage.is_known()) {
    complete_again(request, handle, passage.number(), size, status);
  } else {
    *size = bytes;
    complete(request, true, size, status, passage);
  }
  if (request != nullptr) forget(handle);
  return static_cast<AnyIndex>(outcome >> 1);
}
