// test, wait, wait_any and cancel.
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/notes.h"
#include "program/adapters/mcapi/operations.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

void give_size(const Request& request, std::size_t* size) {
  if (size != nullptr) *size = request.size;
}

Request* find(Node& node, RequestHandle handle) {
  const std::lock_guard lock(node.mutex);
  return node.find(handle);
}

void release(Node& node, Request& request) {
  const std::lock_guard lock(node.mutex);
  request.waited = false;
  node.release(request);
}

// Posts what a replay did not, because the program goes on by itself now.
void post_late(Node& node, Request& request) {
  if (request.done || (request.asked != Asked::receive && request.asked != Asked::packet)) return;
  auto& pending = node.inbox(request.endpoint).pending;
  for (const Request* each : pending) {
    if (each == &request) return;
  }
  pending.push_back(&request);
}

}  // namespace

bool test(const RequestHandle* handle, std::size_t* size, Status& status) {
  Node* node = here();
  status = node == nullptr ? Status::node_notinit : Status::parameter;
  if (node == nullptr || handle == nullptr || size == nullptr) return false;
  Request* request = find(*node, *handle);
  status = Status::request_invalid;
  if (request == nullptr) return false;
  if (!request->told) {
    const Passage passage(Kind::mcapi_test, number_of(Status::pending));
    status = Status::pending;
    if (passage.is_known()) {
      if (passage.number() == number_of(Status::pending)) {
        ++request->failed_tests;
        return false;
      }
      tell_again(*node, *request, passage.number());
    } else {
      const std::lock_guard lock(node->mutex);
      post_late(*node, *request);
      if (!poll(*node, *request)) {
        passage.keep(number_of(Status::pending));
        ++request->failed_tests;
        return false;
      }
      tell(*request, passage);
    }
    if (takes_notes()) note_test(*node, *request);
  }
  give_size(*request, size);
  status = request->status;
  if (choices().test_releases) release(*node, *request);
  return status == Status::success;
}

namespace {

// Waits for the request natively. The status is what the program is told when it did not complete.
Status wait_live(Node& node, Request& request, std::uint32_t timeout_ms, const Passage& passage) {
  {
    const std::lock_guard lock(node.mutex);
    if (request.waited) {
      passage.keep(number_of(Status::wait_pending));
      return Status::wait_pending;
    }
    request.waited = true;
    post_late(node, request);
  }
  const bool over = !wait_for(node, node.event(), Deadline(timeout_ms), [&] {
    const std::lock_guard lock(node.mutex);
    return request.cancelled || poll(node, request);
  });
  const std::lock_guard lock(node.mutex);
  request.waited = false;
  if (request.done && !request.cancelled) {
    tell(request, passage);
    return Status::success;
  }
  const Status status = request.cancelled   ? Status::request_cancelled
                        : node.ended.load() ? Status::node_notinit
                        : over              ? Status::timeout
                                            : Status::general;
  passage.keep(number_of(status));
  return status;
}

bool leaves_alive(Status status) { return status == Status::timeout || status == Status::wait_pending; }

// Status::success: the request is complete, and its own status counts.
Status wait_told(Node& node, Request& request, std::uint32_t timeout_ms) {
  if (request.told) return Status::success;
  const Passage passage(Kind::mcapi_wait, expected_of(request));
  if (!passage.is_known()) return wait_live(node, request, timeout_ms, passage);
  if (is_status(passage.number())) {
    const Status status = status_of(passage.number());
    if (leaves_alive(status) || status == Status::request_cancelled || status == Status::node_notinit) return status;
  }
  tell_again(node, request, passage.number());
  return Status::success;
}

}  // namespace

bool wait(const RequestHandle* handle, std::size_t* size, std::uint32_t timeout_ms, Status& status) {
  Node* node = here();
  status = node == nullptr ? Status::node_notinit : Status::parameter;
  if (node == nullptr || handle == nullptr || size == nullptr) return false;
  Request* request = find(*node, *handle);
  status = Status::request_invalid;
  if (request == nullptr) return false;
  const bool was_told = request->told;
  status = wait_told(*node, *request, timeout_ms);
  if (status == Status::success && !was_told && takes_notes()) note_wait(*node, *request);
  if (leaves_alive(status) || status == Status::node_notinit) return false;
  if (status == Status::success) {
    status = request->status;
    give_size(*request, size);
  }
  release(*node, *request);
  return status == Status::success;
}

// ---- wait_any ----

namespace {

// What wait_any found: an index, or a status. An index is even, as a status is odd.
constexpr std::uint64_t number_of_index(std::size_t index) { return std::uint64_t{index} << 1; }

struct Any {
  Node& node;
  std::size_t number;
  const RequestHandle* const* handles;
  std::size_t found{0};
  Status status{Status::success};

  // Looks at all of them; true when one is done, or is none of ours.
  bool look() {
    const std::lock_guard lock(node.mutex);
    for (std::size_t index = 0; index < number; ++index) {
      Request* request = handles[index] == nullptr ? nullptr : node.find(*handles[index]);
      if (request == nullptr) return end(index, Status::request_invalid);
      if (request->cancelled) return end(index, Status::request_cancelled);
      post_late(node, *request);
      if (poll(node, *request)) return end(index, Status::success);
    }
    return false;
  }
  // Marks them as waited for; false when another thread waits for one.
  bool claim(bool on) {
    const std::lock_guard lock(node.mutex);
    for (std::size_t index = 0; on && index < number; ++index) {
      const Request* request = handles[index] == nullptr ? nullptr : node.find(*handles[index]);
      if (request != nullptr && request->waited) return false;
    }
    for (std::size_t index = 0; index < number; ++index) {
      if (Request* request = handles[index] == nullptr ? nullptr : node.find(*handles[index])) request->waited = on;
    }
    return true;
  }

 private:
  bool end(std::size_t index, Status with) {
    found = index;
    status = with;
    return true;
  }
};

// Native: the number that says how it came out.
std::uint64_t wait_any_live(Any& any, std::uint32_t timeout_ms) {
  if (!any.claim(true)) return number_of(Status::wait_pending);
  const bool found = wait_for(any.node, any.node.event(), Deadline(timeout_ms), [&] { return any.look(); });
  any.claim(false);
  if (any.node.ended.load()) return number_of(Status::node_notinit);
  if (!found) return number_of(Status::timeout);
  return number_of_index(any.found);
}

}  // namespace

std::uint32_t wait_any(std::size_t number, const RequestHandle* const* requests, std::size_t* size,
                       std::uint32_t timeout_ms, Status& status) {
  Node* node = here();
  status = node == nullptr ? Status::node_notinit : Status::parameter;
  if (node == nullptr || requests == nullptr || number == 0 || size == nullptr) return no_value;
  std::uint64_t outcome = 0;
  const std::uint64_t order = takes_notes() ? node->wait_anys_noted.fetch_add(1) + 1 : 0;
  {
    const Passage passage(Kind::mcapi_index, number_of_index(0));
    Any any{*node, number, requests};
    outcome = passage.is_known() ? passage.number() : wait_any_live(any, timeout_ms);
    passage.keep(outcome);
  }
  if (is_status(outcome)) {
    status = status_of(outcome);
    return no_value;
  }
  const std::size_t index = std::min<std::size_t>(outcome >> 1, number - 1);
  Request* request = requests[index] == nullptr ? nullptr : find(*node, *requests[index]);
  if (request == nullptr) {
    status = Status::request_invalid;
    return static_cast<std::uint32_t>(index);
  }
  status = wait_told(*node, *request, forever);
  if (status == Status::success) {
    if (order != 0) note_wait_any(*node, order, index, *request);
    status = request->status;
    give_size(*request, size);
  }
  release(*node, *request);
  return static_cast<std::uint32_t>(index);
}

namespace {

// An open that is taken back leaves the endpoint as it was.
void undo_open(const Request& request) {
  if (request.asked != Asked::open) return;
  const Lock registry = lock_registry();
  Endpoint& endpoint = segment().endpoint(request.endpoint);
  const Lock lock = lock_endpoint(endpoint);
  if (endpoint.handle.load() != request.handle || !endpoint.opening) return;
  endpoint.opening = false;
  if (endpoint.connected) return;
  endpoint.channel = Channel::none;
  endpoint.direction = Direction::none;
}

}  // namespace

Status cancel(const RequestHandle* handle) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (handle == nullptr) return Status::parameter;
  const Passage passage(Kind::mcapi_cancel, number_of(Status::success));
  Status status = status_of(passage.number());
  const std::lock_guard lock(node->mutex);
  Request* request = node->find(*handle);
  if (!passage.is_known()) {
    const bool alive = request != nullptr && !request->cancelled && !poll(*node, *request);
    status = alive ? Status::success : Status::request_invalid;
    passage.keep(number_of(status));
  }
  if (status != Status::success || request == nullptr) return status;
  if (takes_notes()) note_failed_tests(*node, *request);
  undo_open(*request);
  node->withdraw(*request);
  if (request->waited) {
    request->cancelled = true;
    node->event().signal();
  } else {
    node->release(*request);
  }
  return status;
}

}  // namespace reprise::mcapi
