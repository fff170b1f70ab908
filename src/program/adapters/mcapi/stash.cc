#include "program/adapters/mcapi/stash.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

Stash::Line& Stash::line_of(const MessageId& id) {
  for (Line& line : lines_) {
    if (line.node == id.node && line.thread == id.thread) return line;
  }
  return lines_.emplace_back(Line{id.node, id.thread, {}});
}

std::string& Stash::put(const MessageId& id) {
  ++size_;
  return line_of(id).kept.emplace_back(Kept{id.number, ++came_, {}}).bytes;
}

std::string* Stash::find(const MessageId& id) {
  if (size_ == 0) return nullptr;
  Line& line = line_of(id);
  for (std::size_t i = 0; i < line.kept.size(); ++i) {  // it is the first, unless priorities differ
    if (line.kept[i].number != id.number) continue;
    found_line_ = &line;
    found_ = i;
    return &line.kept[i].bytes;
  }
  return nullptr;
}

void Stash::remove_found() {
  found_line_->kept.erase(found_line_->kept.begin() + static_cast<std::ptrdiff_t>(found_));
  --size_;
}

MessageId Stash::first() const {
  const Line* first = nullptr;
  for (const Line& line : lines_) {
    if (line.kept.empty()) continue;
    if (first == nullptr || line.kept.front().came < first->kept.front().came) first = &line;
  }
  return {first->node, first->thread, first->kept.front().number};
}

namespace {

// A sender that is so many messages ahead of what its receiver needs is held back: what has come and is not needed yet
// is all that a replay keeps in memory.
constexpr std::uint32_t ahead_max = 256;

// Moves the message that is next into the stash. A Taking is held.
void stash_front(Endpoint& endpoint, Stash& stash, Index message, std::uint32_t priority) {
  std::string& bytes = stash.put(segment().block(message).id);
  bytes.resize(segment().block(message).size);
  read(message, bytes.data(), bytes.size());
  remove_front(endpoint, priority);
}

void fill_request(const Node& node, Request& request, const MessageId& id, std::size_t size) {
  std::atomic<std::uint32_t>& retrieved = segment().node(node.slot).retrieved;
  retrieved.store(retrieved.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const bool fits = size <= request.capacity;
  request.id = id;
  request.complete(fits ? Status::success : Status::msg_truncated, std::min(size, request.capacity));
}

bool stays(const Request& request) { return request.status != Status::success && choices().keep_truncated; }

// Those who are held back are told of room when there is enough to go on with.
void tell_of_room(const Node& node, Index index, const Stash& stash) {
  make_room_known(node, index);
  Endpoint& endpoint = segment().endpoint(index);
  endpoint.ahead.store(static_cast<std::uint32_t>(stash.size()), std::memory_order_relaxed);
  if (count_of(endpoint) + stash.size() <= ahead_max / 2) endpoint.needed.signal();
}

// Does anybody go on? Any message that is retrieved anywhere makes this another number.
std::uint64_t retrieved_by_all() {
  std::uint64_t all = 0;
  for (Index index = 0; index < segment().header().nodes_used.load(); ++index)
    all += segment().node(index).retrieved.load(std::memory_order_relaxed);
  return all;
}

constexpr std::uint64_t packed(std::uint32_t node, std::uint32_t thread) {
  return std::uint64_t{node} << 32 | std::uint64_t{thread} << 1 | 1;
}

}  // namespace

void stash_all(Node& node) {
  bool took = false;
  for (Index index = 0; index < segment().header().endpoints_used.load(); ++index) {
    Endpoint& endpoint = segment().endpoint(index);
    if (endpoint.state.load() != State::live || endpoint.node != node.slot || endpoint.channel != Channel::none)
      continue;
    const Taking taking(segment().node(node.slot));
    std::uint32_t priority = 0;
    for (Index message = front(endpoint, priority); message != none; message = front(endpoint, priority)) {
      stash_front(endpoint, node.inbox(index).stash, message, priority);
      took = true;
    }
  }
  if (!took) return;
  segment().node(node.slot).room.signal();
  segment().header().room.signal();
}

bool complete_with(Node& node, Request& request, const MessageId& id) {
  Stash& stash = node.inbox(request.endpoint).stash;
  const std::string* bytes = stash.find(id);
  if (bytes == nullptr) return false;
  fill_request(node, request, id, bytes->size());
  if (request.size > 0) std::memcpy(request.buffer, bytes->data(), request.size);
  if (!stays(request)) stash.remove_found();
  tell_of_room(node, request.endpoint, stash);
  return true;
}

bool take_named(Node& node, Request& request, const MessageId& id) {
  if (complete_with(node, request, id)) return true;
  Stash& stash = node.inbox(request.endpoint).stash;
  Endpoint& endpoint = segment().endpoint(request.endpoint);
  {
    const Taking taking(segment().node(node.slot));
    std::uint32_t priority = 0;
    Index message = front(endpoint, priority);
    while (message != none && segment().block(message).id != id) {
      stash_front(endpoint, stash, message, priority);
      message = front(endpoint, priority);
    }
    if (message != none) {
      fill_request(node, request, id, segment().block(message).size);
      read(message, request.buffer, request.capacity);
      if (!stays(request)) remove_front(endpoint, priority);
    }
  }
  tell_of_room(node, request.endpoint, stash);
  return request.done;
}

void want(const Request& request, const MessageId* id) {
  Endpoint& endpoint = segment().endpoint(request.endpoint);
  endpoint.wanted.store(id == nullptr ? 0 : packed(id->node, id->thread), std::memory_order_seq_cst);
  if (id != nullptr) endpoint.needed.signal();
}

bool is_room_short() {
  const Header& header = segment().header();
  return header.free_blocks < header.block_count / 4;
}

void ask_for_room() {
  for (Event& turn : segment().header().turns) turn.signal();
  segment().signal_all_nodes();
}

void hold_back(const Node& node, Handle to) {
  constexpr std::chrono::milliseconds look_after(10);
  constexpr std::chrono::milliseconds long_enough(500);
  thread_local std::unordered_map<Handle, std::uint32_t> allowances;
  const Index index = find_endpoint(to);
  if (index == none || gate::current == nullptr) return;
  Endpoint& endpoint = segment().endpoint(index);
  if (count_of(endpoint) + endpoint.ahead.load(std::memory_order_relaxed) < ahead_max) [[likely]]
    return;
  const std::uint64_t self = packed(node.id, gate::current->index);
  std::uint32_t& allowance = allowances.try_emplace(to, ahead_max).first->second;
  const auto is_ahead = [&] {
    return count_of(endpoint) + endpoint.ahead.load(std::memory_order_relaxed) >= allowance &&
           endpoint.wanted.load(std::memory_order_seq_cst) != self;
  };
  if (!is_ahead()) return;
  const auto begin = std::chrono::steady_clock::now();
  auto look_at = begin + look_after;
  std::uint64_t before = retrieved_by_all();
  for (;;) {
    const std::uint32_t seen = endpoint.needed.prepare();
    if (!is_ahead()) return;
    endpoint.needed.sleep(seen, look_after);
    const auto now = std::chrono::steady_clock::now();
    if (now < look_at) continue;
    look_at = now + look_after;
    if (const std::uint64_t all = retrieved_by_all(); all == before || now - begin > long_enough)
      break;
    else
      before = all;
  }
  allowance += ahead_max;
}

}  // namespace reprise::mcapi
