#include "program/adapters/mcapi/stash.h"

#include <algorithm>
#include <cstring>

#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/naming.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

char* Stash::put(const MessageId& id, std::size_t size) {
  const std::size_t line = lines_.find(id);
  if (line == lines_.size()) lines_.add(Line(id));
  ++size_;
  return lines_[line].kept.emplace_back(id.number, ++came_, size).bytes.data();
}

const Stash::Bytes* Stash::find(const MessageId& id) {
  if (size_ == 0) return nullptr;
  found_line_ = lines_.find(id);
  if (found_line_ == lines_.size()) return nullptr;
  const std::deque<Kept>& kept = lines_[found_line_].kept;
  for (found_ = 0; found_ < kept.size(); ++found_) {  // it is the first, unless priorities differ
    if (kept[found_].number == id.number) return &kept[found_].bytes;
  }
  return nullptr;
}

void Stash::remove_found() {
  std::deque<Kept>& kept = lines_[found_line_].kept;
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(found_));
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
constexpr std::uint32_t ahead_max = queue_max;
constexpr std::uint32_t told_after = 32;

// Moves the message that is next into the stash. A Taking is held.
void stash_front(Endpoint& endpoint, Stash& stash, Index message, std::uint32_t priority) {
  const Block& block = segment().block(message);
  read(message, stash.put(block.id, block.size), block.size);
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

// Those who are held back are told of room when there is enough to go on with, and not for each message: who waits for
// one tells them too (want).
void tell_of_room(const Node& node, Index index, const Stash& stash) {
  make_room_known(node, index);
  Endpoint& endpoint = segment().endpoint(index);
  const auto ahead = static_cast<std::uint32_t>(stash.size());
  if (endpoint.ahead.load(std::memory_order_relaxed) != ahead) endpoint.ahead.store(ahead, std::memory_order_relaxed);
  const bool is_told = segment().node(node.slot).retrieved.load(std::memory_order_relaxed) % told_after == 0;
  if (is_told && count_of(endpoint) + stash.size() <= ahead_max / 8) endpoint.needed.signal();
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

// More than one thread receives there, and each waits for another sender.
constexpr std::uint64_t several = ~std::uint64_t{0};

}  // namespace

bool is_awaited(const Node& node, const Endpoint& endpoint) {
  const std::uint64_t wanted = endpoint.wanted.load(std::memory_order_relaxed);
  return wanted == 0 || wanted == several || wanted == packed(node.id, gate::current->index);
}

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
  const Stash::Bytes* bytes = stash.find(id);
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
  if (id == nullptr) return endpoint.wanted.store(0, std::memory_order_seq_cst);
  const std::uint64_t sender = packed(id->node, id->thread);
  endpoint.wanted_number.store(id->number, std::memory_order_relaxed);
  const std::uint64_t before = endpoint.wanted.exchange(sender, std::memory_order_seq_cst);
  if (before != 0 && before != sender) endpoint.wanted.store(several, std::memory_order_seq_cst);
  endpoint.needed.signal();
}

bool is_room_short() {
  const Header& header = segment().header();
  return header.free_blocks < header.block_count / 4;
}

void ask_for_room() {
  for (Turn& turn : segment().header().turns) turn.event.signal();
  segment().signal_all_nodes();
}

void hold_back(const Node& node, Handle to) {
  constexpr std::chrono::milliseconds look_after(10);
  constexpr std::chrono::milliseconds long_enough(500);
  constexpr std::uint32_t free_max = 32;
  constexpr std::uint32_t wanted_max = ahead_max / 4;
  if (gate::current == nullptr) return;
  Pace& pace = met_at(to)->pace;
  if (pace.sent < pace.free_until) [[likely]]
    return;
  const Index index = find_endpoint(to);
  if (index == none) return;
  Endpoint& endpoint = segment().endpoint(index);
  const auto ahead = [&] { return count_of(endpoint) + endpoint.ahead.load(std::memory_order_relaxed); };
  if (const std::uint32_t now = ahead(); now < ahead_max) {
    pace.free_until = pace.sent + std::min(ahead_max - now, free_max);
    return;
  }
  const std::uint64_t self = packed(node.id, gate::current->index);
  pace.allowance = std::max(pace.allowance, ahead_max);
  // What is waited for may have been sent by now; an old number is followed by a signal.
  const auto is_wanted = [&] {
    const std::uint64_t wanted = endpoint.wanted.load(std::memory_order_seq_cst);
    if (wanted == several) return true;
    return wanted == self && endpoint.wanted_number.load(std::memory_order_relaxed) + ahead_max > pace.sent;
  };
  // Whoever is waited for now is likely to be again: it sends some more, whatever others have filled the stash with.
  const auto is_ahead = [&] {
    if (is_wanted()) pace.free_until = pace.sent + wanted_max;
    return ahead() >= pace.allowance && pace.sent >= pace.free_until;
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
  pace.allowance += ahead_max;
}

}  // namespace reprise::mcapi
