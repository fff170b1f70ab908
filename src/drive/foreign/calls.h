// The functions that stand before the library's: see interposer.cc, which includes this once.
#pragma once

extern "C" {

// ---- nodes ----

#if FOREIGN_VERSION == 1
void our_initialize(mcapi_node_t node, mcapi_version_t* version, mcapi_status_t* status) FOREIGN(mcapi_initialize);
#else
void our_initialize(mcapi_domain_t domain, mcapi_node_t node, mcapi_node_attributes_t* attributes,
                    mcapi_param_t* parameters, mcapi_info_t* info, mcapi_status_t* status) FOREIGN(mcapi_initialize);
#endif

}  // extern "C"

namespace {

// The technique is told when a node begins, as our own library does it.
template <typename Start, typename Info>
void begin_node(std::uint64_t id, Info* info, mcapi_status_t* status, Start start) {
  if (!is_replayed()) {
    const Inside here;
    start();
    if (*status != MCAPI_SUCCESS) return;
  }
  constexpr std::uint64_t techniques = 4;
  constexpr std::uint64_t data = 2;
  const Passage passage(Kind::mcapi_node, techniques - 1);
  passage.keep(id * techniques + (gate::current->gate->keeps_contents() ? data : 0));
  has_contents = passage.is_known() ? passage.number() % techniques == data : gate::current->gate->keeps_contents();
  own_node = last_node = id;
  if (is_replayed() && !has_contents) {
    const Inside here;
    start();
  }
  if (!has_contents || info == nullptr) return;
  if (!is_replayed()) return keep_bytes(info, sizeof *info);
  const std::string bytes = given_bytes();
  if (bytes.size() == sizeof *info) std::memcpy(info, bytes.data(), bytes.size());
  *status = MCAPI_SUCCESS;
}

}  // namespace

extern "C" {

#if FOREIGN_VERSION == 1
void our_initialize(mcapi_node_t node, mcapi_version_t* version, mcapi_status_t* status) {
  if (passes()) return REAL(mcapi_initialize)(node, version, status);
  begin_node(static_cast<std::uint64_t>(node) & 0xFFF, version, status, [&] {
    REAL(mcapi_initialize)(node, version, status);
  });
}
#else
void our_initialize(mcapi_domain_t domain, mcapi_node_t node, mcapi_node_attributes_t* attributes,
                    mcapi_param_t* parameters, mcapi_info_t* info, mcapi_status_t* status) {
  if (passes()) return REAL(mcapi_initialize)(domain, node, attributes, parameters, info, status);
  begin_node(std::uint64_t{domain} << 12 | (node & 0xFFF), info, status, [&] {
    REAL(mcapi_initialize)(domain, node, attributes, parameters, info, status);
  });
}
#endif

void our_finalize(mcapi_status_t* status) FOREIGN(mcapi_finalize);
void our_finalize(mcapi_status_t* status) {
  if (passes()) return REAL(mcapi_finalize)(status);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::uint64_t node = this_node();
    const auto is_its = [node](const Own& own) { return own.node == node; };
    own_endpoints.erase(std::remove_if(own_endpoints.begin(), own_endpoints.end(), is_its), own_endpoints.end());
  }
  *status = MCAPI_SUCCESS;
  if (is_simulated()) return;
  const Inside here;
  REAL(mcapi_finalize)(status);
}

#if FOREIGN_VERSION == 1
#define real_node_id REAL(mcapi_get_node_id)
mcapi_uint_t our_node_id(mcapi_status_t* status) FOREIGN(mcapi_get_node_id);
#else
#define real_node_id REAL(mcapi_node_id_get)
mcapi_uint_t our_node_id(mcapi_status_t* status) FOREIGN(mcapi_node_id_get);
#endif
mcapi_uint_t our_node_id(mcapi_status_t* status) {
  if (passes() || !is_simulated()) return static_cast<mcapi_uint_t>(real_node_id(status));
  *status = MCAPI_SUCCESS;
  return this_node() & 0xFFF;
}

// ---- endpoints ----

#if FOREIGN_VERSION == 1
#define real_create REAL(mcapi_create_endpoint)
#define real_delete REAL(mcapi_delete_endpoint)
mcapi_endpoint_t our_create(mcapi_port_t port, mcapi_status_t* status) FOREIGN(mcapi_create_endpoint);
void our_delete(mcapi_endpoint_t endpoint, mcapi_status_t* status) FOREIGN(mcapi_delete_endpoint);
#else
#define real_create REAL(mcapi_endpoint_create)
#define real_delete REAL(mcapi_endpoint_delete)
mcapi_endpoint_t our_create(mcapi_port_t port, mcapi_status_t* status) FOREIGN(mcapi_endpoint_create);
void our_delete(mcapi_endpoint_t endpoint, mcapi_status_t* status) FOREIGN(mcapi_endpoint_delete);
#endif

mcapi_endpoint_t our_create(mcapi_port_t port, mcapi_status_t* status) {
  if (passes()) return real_create(port, status);
  const Passage passage(Kind::mcapi_endpoint, number_of(success, true));
  mcapi_endpoint_t made{};
  if (passage.is_known() && (is_simulated() || status_from(passage.number()) != MCAPI_SUCCESS)) {
    *status = status_from(passage.number());
  } else {
    const Inside here;
    made = real_create(port, status);
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
  if (*status != MCAPI_SUCCESS) return made;
  if (is_simulated()) {
    const std::string bytes = given_bytes();
    if (bytes.size() == sizeof made) std::memcpy(&made, bytes.data(), bytes.size());
  } else if (has_contents) {
    keep_bytes(&made, sizeof made);
  }
  const std::lock_guard<std::mutex> lock(mutex);
  if (!is_simulated()) own_endpoints.push_back({made, this_node()});
  return made;
}

void our_delete(mcapi_endpoint_t endpoint, mcapi_status_t* status) {
  if (passes()) return real_delete(endpoint, status);
  const Passage passage(Kind::mcapi_endpoint, number_of(success, true));
  if (passage.is_known()) *status = status_from(passage.number());
  if (!passage.is_known() || (!is_simulated() && *status == MCAPI_SUCCESS)) {
    const std::lock_guard<std::mutex> lock(mutex);
    const Inside here;
    real_delete(endpoint, status);
    for (std::size_t i = 0; *status == MCAPI_SUCCESS && i < own_endpoints.size(); ++i) {
      if (own_endpoints[i].endpoint == endpoint)
        own_endpoints.erase(own_endpoints.begin() + static_cast<std::ptrdiff_t>(i--));
    }
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
}

}  // extern "C"

namespace {

// wait_any takes an array of requests in the specification, and one of pointers to them in most libraries.
template <typename Function>
struct RequestsOf;
template <typename R, typename N, typename Requests, typename... More>
struct RequestsOf<R (*)(N, Requests, More...)> {
  using Type = Requests;
};
[[maybe_unused]] mcapi_request_t* request_at(mcapi_request_t** handles, std::size_t index) { return handles[index]; }
[[maybe_unused]] mcapi_request_t* request_at(mcapi_request_t* handles, std::size_t index) { return handles + index; }

template <typename Get>
mcapi_endpoint_t get_endpoint(const Key (&name)[3], mcapi_status_t* status, Get get) {
  const Passage passage(Kind::mcapi_wait, number_of(success, true));
  mcapi_endpoint_t found{};
  if (!passage.is_known()) {
    const Inside here;
    found = get();
  } else {
    *status = status_from(passage.number());
    if (*status == MCAPI_SUCCESS && !is_simulated()) found = get_again(name, status);
  }
  passage.keep(number_of(static_cast<std::uint64_t>(*status), true));
  if (*status != MCAPI_SUCCESS || !has_contents) return found;
  if (!is_replayed()) {
    keep_bytes(&found, sizeof found);
  } else {
    const std::string bytes = given_bytes();
    if (bytes.size() == sizeof found) std::memcpy(&found, bytes.data(), bytes.size());
  }
  return found;
}

template <typename Get>
void get_endpoint_i(Pending&& made, mcapi_request_t* request, mcapi_status_t* status, Get get) {
  const Passage passage(Kind::mcapi_value, success);
  if (passage.is_known()) {
    *status = static_cast<mcapi_status_t>(passage.number());
    Pending& kept = make_virtual(request);
    made.is_virtual = true;
    kept = std::move(made);
    return;
  }
  {
    const Inside here;
    get();
  }
  passage.keep(static_cast<std::uint64_t>(*status));
  const std::lock_guard<std::mutex> lock(mutex);
  requests[key_of(*request)] = std::move(made);
}

}  // namespace

extern "C" {

#if FOREIGN_VERSION == 1
#define GET_NAME mcapi_node_t node, mcapi_port_t port
#define GET_TIMEOUT
#define real_get() REAL(mcapi_get_endpoint)(node, port, status)
#define real_get_i() REAL(mcapi_get_endpoint_i)(node, port, result, request, status)
#define GET FOREIGN(mcapi_get_endpoint)
#define GET_I FOREIGN(mcapi_get_endpoint_i)
constexpr Key no_domain = 0;
#define THIS_DOMAIN no_domain
#else
#define GET_NAME mcapi_domain_t domain, mcapi_node_t node, mcapi_port_t port
#define GET_TIMEOUT mcapi_timeout_t timeout,
#define real_get() REAL(mcapi_endpoint_get)(domain, node, port, timeout, status)
#define real_get_i() REAL(mcapi_endpoint_get_i)(domain, node, port, result, request, status)
#define GET FOREIGN(mcapi_endpoint_get)
#define GET_I FOREIGN(mcapi_endpoint_get_i)
#define THIS_DOMAIN domain
#endif

mcapi_endpoint_t our_get(GET_NAME, GET_TIMEOUT mcapi_status_t* status) GET;
mcapi_endpoint_t our_get(GET_NAME, GET_TIMEOUT mcapi_status_t* status) {
  if (passes()) return real_get();
  return get_endpoint({THIS_DOMAIN, static_cast<Key>(node), static_cast<Key>(port)}, status,
                      [&] { return real_get(); });
}

void our_get_i(GET_NAME, mcapi_endpoint_t* result, mcapi_request_t* request, mcapi_status_t* status) GET_I;
void our_get_i(GET_NAME, mcapi_endpoint_t* result, mcapi_request_t* request, mcapi_status_t* status) {
  if (passes()) return real_get_i();
  Pending made;
  made.asked = Asked::get;
  made.result = result;
  made.result_size = sizeof *result;
  made.name[0] = THIS_DOMAIN;
  made.name[1] = static_cast<Key>(node);
  made.name[2] = static_cast<Key>(port);
  get_endpoint_i(std::move(made), request, status, [&] { real_get_i(); });
}

#include "transfers.h"

}  // extern "C"

#include "channels.h"
