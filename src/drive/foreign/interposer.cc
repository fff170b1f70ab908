// The interposing library: stands before the functions of a foreign MCAPI, as that library's own header declares them.
//
// Compiled by `reprise mcapi-profile` with FOREIGN_VERSION 1 (1.063) or 2 (2.x). Functions have names of our own, and
// the library's by an assembler label, so that no declaration of the header is repeated.
//
// Not stood before: what cannot come out in another way. Channels carry data in one order only, so they pass unless
// contents are recorded, but for how much is available (channels.h).
#include <dlfcn.h>
#include <mcapi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine.h"

using namespace foreign;

#if defined(FOREIGN_WRAP)
#define DECLARE(name) extern "C" decltype(name) real_##name __asm__("__real_" #name)
DECLARE(mcapi_initialize);
DECLARE(mcapi_finalize);
DECLARE(mcapi_msg_send);
DECLARE(mcapi_msg_send_i);
DECLARE(mcapi_msg_recv);
DECLARE(mcapi_msg_recv_i);
DECLARE(mcapi_msg_available);
DECLARE(mcapi_pktchan_available);
DECLARE(mcapi_sclchan_available);
DECLARE(mcapi_test);
DECLARE(mcapi_wait);
DECLARE(mcapi_wait_any);
DECLARE(mcapi_cancel);
#if FOREIGN_VERSION == 1
DECLARE(mcapi_get_node_id);
DECLARE(mcapi_create_endpoint);
DECLARE(mcapi_delete_endpoint);
DECLARE(mcapi_get_endpoint);
DECLARE(mcapi_get_endpoint_i);
#else
DECLARE(mcapi_node_id_get);
DECLARE(mcapi_endpoint_create);
DECLARE(mcapi_endpoint_delete);
DECLARE(mcapi_endpoint_get);
DECLARE(mcapi_endpoint_get_i);
#endif
#endif

namespace {

#if FOREIGN_VERSION == 1
constexpr auto pending_status = MCAPI_INCOMPLETE;
constexpr auto truncated_status = MCAPI_ETRUNCATED;
constexpr auto memory_status = MCAPI_ENO_MEM;
constexpr auto invalid_request = MCAPI_ENOTREQ_HANDLE;
#else
constexpr auto pending_status = MCAPI_PENDING;
constexpr auto truncated_status = MCAPI_ERR_MSG_TRUNCATED;
constexpr auto memory_status = MCAPI_ERR_MEM_LIMIT;
constexpr auto invalid_request = MCAPI_ERR_REQUEST_INVALID;
#endif
#if defined(MCAPI_MAX_MSG_SIZE)
constexpr std::size_t size_max = MCAPI_MAX_MSG_SIZE;
#else
constexpr std::size_t size_max = MCAPI_MAX_MESSAGE_SIZE;
#endif
#if defined(MCAPI_TIMEOUT_INFINITE)
constexpr mcapi_timeout_t forever = static_cast<mcapi_timeout_t>(MCAPI_TIMEOUT_INFINITE);
#else
constexpr mcapi_timeout_t forever = static_cast<mcapi_timeout_t>(MCAPI_INFINITE);
#endif
constexpr auto success = static_cast<std::uint64_t>(MCAPI_SUCCESS);

// ---- the library itself ----

// As a preload the next library's; linked into the program (-Wl,--wrap) what the linker calls the real one.
#if defined(FOREIGN_WRAP)
#define REAL(name) real_##name
#define FOREIGN(name) __asm__("__wrap_" #name) __attribute__((visibility("default")))
#else
template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name)                                          \
  (*[] {                                                    \
    static auto* const found = real<decltype(name)>(#name); \
    return found;                                           \
  }())
#define FOREIGN(name) __asm__(#name) __attribute__((visibility("default")))
#endif

// Calls that the library makes to itself pass.
struct Inside {
  Inside() { ++gate::in_library; }
  ~Inside() { --gate::in_library; }
};
bool passes() { return gate::in_library != 0 || gate::current == nullptr; }
bool is_replayed() { return !gate::current->gate->lives(); }

bool has_contents = false;                                // the technique is data
thread_local std::uint64_t own_node = ~std::uint64_t{0};  // of the thread that began it
std::uint64_t last_node = 0;
std::uint64_t this_node() { return own_node != ~std::uint64_t{0} ? own_node : last_node; }
bool is_simulated() { return has_contents && is_replayed(); }

mcapi_status_t status_from(std::uint64_t number) { return static_cast<mcapi_status_t>(status_of(number)); }

#if FOREIGN_VERSION == 1
mcapi_boolean_t real_wait(mcapi_request_t* request, std::size_t* size, mcapi_timeout_t timeout,
                          mcapi_status_t* status) {
  return REAL(mcapi_wait)(request, size, status, timeout);
}
#else
mcapi_boolean_t real_wait(mcapi_request_t* request, std::size_t* size, mcapi_timeout_t timeout,
                          mcapi_status_t* status) {
  return REAL(mcapi_wait)(request, size, timeout, status);
}
#endif

// ---- requests ----

enum class Asked { other, send, receive, get, open, packet };

struct Pending {
  Asked asked{Asked::other};
  bool told{false};  // the program knows what it got
  Key endpoint{0};
  void* buffer{nullptr};
  std::size_t capacity{0};
  std::size_t size{0};
  mcapi_status_t status{MCAPI_SUCCESS};
  std::string bytes;      // what the library reads or writes
  void* result{nullptr};  // where the handle of what is asked for goes
  std::size_t result_size{0};
  void** packet{nullptr};
  Key name[3]{};  // domain, node and port of an endpoint that is asked for
  bool is_virtual{false};
  bool is_real{false};  // of a channel: on replay, too
};
std::map<Key, Pending> requests;  // guarded by `mutex`
std::uint32_t virtual_requests = 0;

Pending* find(const mcapi_request_t* request) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = requests.find(key_of(*request));
  return found == requests.end() ? nullptr : &found->second;
}

Pending& make_virtual(mcapi_request_t* request) {
  const std::lock_guard<std::mutex> lock(mutex);
  const Key key = key_of(value_of<mcapi_request_t>(0x5E000000u + ++virtual_requests));
  *request = value_of<mcapi_request_t>(key);
  Pending& made = requests[key];
  made.is_virtual = true;
  return made;
}

void forget(const mcapi_request_t* request) {
  const std::lock_guard<std::mutex> lock(mutex);
  requests.erase(key_of(*request));
}

// ---- messages ----

struct Own {
  mcapi_endpoint_t endpoint;
  std::uint64_t node;
};
std::vector<Own> own_endpoints;  // guarded by `mutex`

void hand_over(const Arrived& message, void* buffer, std::size_t capacity, std::size_t& size, mcapi_status_t& status) {
  size = std::min(message.bytes.size(), capacity);
  if (size > 0) std::memcpy(buffer, message.bytes.data(), size);
  status = message.bytes.size() <= capacity ? static_cast<mcapi_status_t>(MCAPI_SUCCESS)
                                            : static_cast<mcapi_status_t>(truncated_status);
}

// Recording: the program is told of a message.
void tell(Key at, const Arrived& message, const Passage& passage) {
  tell_message(at, message.id, passage);
  if (has_contents) keep_bytes(message.bytes.data(), message.bytes.size());
}

// Replay: all that has arrived is taken out of the library, so that its queues are never full.
void drain() {
  const std::lock_guard<std::mutex> lock(mutex);
  const Inside here;
  std::string room(size_max, '\0');
  for (const auto& [endpoint, node] : own_endpoints) {
    mcapi_status_t status = MCAPI_SUCCESS;
    while (REAL(mcapi_msg_available)(endpoint, &status) > 0 && status == MCAPI_SUCCESS) {
      std::size_t size = 0;
      REAL(mcapi_msg_recv)(endpoint, room.data(), room.size(), &size, &status);
      if (status != MCAPI_SUCCESS) break;
      stash[key_of(endpoint)].push_back(arrived(key_of(endpoint), room.data(), size));
    }
  }
}

void rest(int& times) { std::this_thread::sleep_for(std::chrono::microseconds(++times < 50 ? 20 : 1000)); }

// Replay: the message that a recorded number means, when it has come.
Arrived await_message(Key at, std::uint64_t number) {
  const Id id = told_message(at, number);
  if (has_contents) return {id, given_bytes()};
  for (int times = 0;; rest(times)) {
    drain();
    const std::lock_guard<std::mutex> lock(mutex);
    std::list<Arrived>& here = stash[at];
    for (auto each = here.begin(); each != here.end(); ++each) {
      if (!(each->id == id)) continue;
      Arrived message = std::move(*each);
      here.erase(each);
      return message;
    }
  }
}

// Replay: what was sent is sent again; who waits for room makes room.
void send_again(mcapi_endpoint_t from, mcapi_endpoint_t to, const void* buffer, std::size_t size,
                mcapi_priority_t priority) {
  Outgoing message(key_of(to), buffer, size, size_max);
  if (has_contents) return;
  for (int times = 0;; rest(times)) {
    mcapi_request_t request{};
    mcapi_status_t status = MCAPI_SUCCESS;
    {
      const Inside here;
      REAL(mcapi_msg_send_i)(from, to, message.bytes.data(), message.bytes.size(), priority, &request, &status);
    }
    if (status == static_cast<mcapi_status_t>(memory_status)) {
      drain();
      continue;
    }
    if (status != MCAPI_SUCCESS && status != static_cast<mcapi_status_t>(pending_status)) return;  // it is gone by now
    for (int again = 0;; rest(again)) {
      std::size_t sent = 0;
      const Inside here;
      if (real_wait(&request, &sent, 0, &status) != MCAPI_FALSE) return;
      if (status == static_cast<mcapi_status_t>(invalid_request)) return;
      --gate::in_library;
      drain();
      ++gate::in_library;
    }
  }
}

// ---- how a request comes to its end ----

mcapi_endpoint_t get_again(const Key (&name)[3], mcapi_status_t* status) {
  const Inside here;
#if FOREIGN_VERSION == 1
  return REAL(mcapi_get_endpoint)(static_cast<mcapi_node_t>(name[1]), static_cast<mcapi_port_t>(name[2]), status);
#else
  return REAL(mcapi_endpoint_get)(static_cast<mcapi_domain_t>(name[0]), static_cast<mcapi_node_t>(name[1]),
                                  static_cast<mcapi_port_t>(name[2]), forever, status);
#endif
}

// A packet from the recording; release_packet frees it.
void* packet_of(const std::string& bytes, std::size_t& size) {
  void* const buffer = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (buffer == nullptr) std::abort();
  std::memcpy(buffer, bytes.data(), bytes.size());
  size = bytes.size();
  return buffer;
}

// What a request gave besides its status: a handle or a packet.
bool gives_more(const Pending& request) {
  return has_contents &&
         (request.asked == Asked::get || request.asked == Asked::open || request.asked == Asked::packet);
}
void keep_more(Pending& request, std::size_t size) {
  if (request.asked != Asked::packet) return keep_bytes(request.result, request.result_size);
  request.size = size;
  keep_bytes(*request.packet, size);
}
void give_more(Pending& request, std::size_t* size) {
  const std::string bytes = given_bytes();
  if (request.asked == Asked::packet) {
    *request.packet = packet_of(bytes, request.size);
    *size = request.size;
  } else if (bytes.size() == request.result_size) {
    std::memcpy(request.result, bytes.data(), bytes.size());
  }
}

// Recording: the library says that `request` is complete, with this status and size.
void complete(Pending* request, bool result, std::size_t* size, mcapi_status_t* status, const Passage& passage) {
  if (request == nullptr || request->told || !result || request->asked != Asked::receive) {
    if (request != nullptr && result && request->asked == Asked::send) *size = request->size;
    if (request != nullptr && request->told && result) {
      *size = request->size;
      *status = request->status;
    }
    passage.keep(number_of(static_cast<std::uint64_t>(*status), result));
    if (request != nullptr && result && !request->told && *status == MCAPI_SUCCESS && gives_more(*request))
      keep_more(*request, *size);
  } else {
    const Arrived message = arrived(request->endpoint, request->bytes.data(), *size);
    hand_over(message, request->buffer, request->capacity, *size, *status);
    tell(request->endpoint, message, passage);
    request->size = *size;
    request->status = *status;
  }
  if (request == nullptr || !result) return;
  if (!request->told) {
    request->size = *size;
    request->status = *status;
  }
  request->told = true;
}

// Replay: the same from the recording.
bool complete_again(Pending* request, mcapi_request_t* handle, std::uint64_t number, std::size_t* size,
                    mcapi_status_t* status) {
  if (!is_status(number) && request != nullptr) {
    const Arrived message = await_message(request->endpoint, number);
    hand_over(message, request->buffer, request->capacity, *size, *status);
    request->size = *size;
    request->status = *status;
    request->told = true;
    return *status == MCAPI_SUCCESS;
  }
  *status = status_from(number);
  if (!result_of(number)) return false;
  if (request == nullptr) {  // of a channel: it is real, if anything is
    if (is_simulated()) return true;
    const Inside here;
    real_wait(handle, size, forever, status);
    return true;
  }
  if (request->is_real && !request->told) {
    const Inside here;
    mcapi_status_t now = MCAPI_SUCCESS;
    real_wait(handle, &request->size, forever, &now);
  }
  *size = request->size;
  if (!request->told && *status == MCAPI_SUCCESS) {
    if (gives_more(*request)) {
      give_more(*request, size);
    } else if (request->asked == Asked::get) {
      *static_cast<mcapi_endpoint_t*>(request->result) = get_again(request->name, status);
    }
  }
  request->told = true;
  return true;
}

std::uint64_t expected_of(const Pending* request) {
  return request != nullptr && request->asked == Asked::receive && !request->told ? expected_message(request->endpoint)
                                                                                  : number_of(success, true);
}

bool wait_for(mcapi_request_t* handle, std::size_t* size, mcapi_timeout_t timeout, mcapi_status_t* status) {
  Pending* request = find(handle);
  const Passage passage(Kind::mcapi_wait, expected_of(request));
  bool result = false;
  if (passage.is_known()) {
    result = complete_again(request, handle, passage.number(), size, status);
  } else {
    {
      const Inside here;
      result = real_wait(handle, size, timeout, status) != MCAPI_FALSE;
    }
    complete(request, result, size, status, passage);
  }
  if (request != nullptr && request->told) forget(handle);
  return result && (request == nullptr || *status == MCAPI_SUCCESS);
}

}  // namespace

#include "calls.h"
