#include "program/adapters/mcapi/queue.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

// Blocks that are given back are shown to senders in groups, since each time costs a cache line its way.
constexpr std::uint32_t freed_max = 16;

Block& at(Index index) { return segment().block(index); }

// What comes after it is stored after what comes before it: kill -9 falls between two instructions.
void then() { std::atomic_signal_fence(std::memory_order_seq_cst); }

std::size_t blocks_for(std::size_t size) {
  if (size <= Block::first_payload) return 1;
  return 1 + (size - Block::first_payload + Block::next_payload - 1) / Block::next_payload;
}

// Where the message after `last` is shown.
std::atomic<Index>& link(Endpoint& endpoint, std::uint32_t priority, Index last) {
  return last == none ? endpoint.first[priority] : at(last).next;
}

Index next_of(const Endpoint& endpoint, std::uint32_t priority, Index last) {
  const std::atomic<Index>& where = last == none ? endpoint.first[priority] : at(last).next;
  return where.load(std::memory_order_acquire);
}

// ---- blocks ----

// The block will be needed soon, and lies in the cache of another processor.
template <bool writes>
void fetch(Index index) {
  if (index == none) return;
  const char* const line = reinterpret_cast<const char*>(&at(index));
  __builtin_prefetch(line, writes ? 1 : 0);
  __builtin_prefetch(line + 64, writes ? 1 : 0);
}

Index take_spare(Endpoint& endpoint) {
  const Index block = endpoint.spare;
  endpoint.spare = at(block).more;
  then();
  fetch<true>(endpoint.spare);
  return block;
}

// The pool is held.
void give_to_pool(Index block) {
  Header& header = segment().header();
  at(block).more = header.free_block;
  then();
  header.free_block = block;
  header.free_blocks.store(header.free_blocks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void give_chain_to_pool(Index first) {
  for (Index block = first; block != none;) {
    const Index more = at(block).more;
    give_to_pool(block);
    block = more;
  }
}

bool has_spares(const Endpoint& endpoint, std::size_t wanted) {
  Index block = endpoint.spare;
  for (; wanted > 0 && block != none; --wanted) block = at(block).more;
  return wanted == 0;
}

// What the receiver gave back is put before the spares.
void take_returned(Endpoint& endpoint) {
  const Index first = endpoint.returned.exchange(none, std::memory_order_acquire);
  if (first == none) return;
  if (endpoint.spare != none) {
    Index last = first;
    while (at(last).more != none) last = at(last).more;
    at(last).more = endpoint.spare;
  }
  then();
  endpoint.spare = first;
}

bool take_from_pool(Endpoint& endpoint, std::size_t wanted) {
  Header& header = segment().header();
  const Lock pool(header.pool);
  for (std::size_t some = std::max<std::size_t>(wanted, freed_max); some > 0 && header.free_block != none; --some) {
    const Index block = header.free_block;
    header.free_block = at(block).more;
    header.free_blocks.store(header.free_blocks.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    then();
    at(block).more = endpoint.spare;
    then();
    endpoint.spare = block;
  }
  return has_spares(endpoint, wanted);
}

// The pool is empty: what other endpoints keep for later is put into it. Whoever holds one of them has its own needs.
void gather_spares(const Endpoint& mine) {
  Segment& shared = segment();
  for (Index index = 0; index < shared.header().endpoints_used.load(); ++index) {
    Endpoint& other = shared.endpoint(index);
    if (&other == &mine || (other.spare == none && other.returned.load() == none)) continue;
    const Lock lock = try_lock_endpoint(other);
    if (!lock) continue;
    take_returned(other);
    const Index first = other.spare;
    other.spare = none;
    const Lock pool(shared.header().pool);
    give_chain_to_pool(first);
  }
}

// Sees to it that the endpoint has so many spares.
bool stock(Endpoint& endpoint, std::size_t wanted) {
  if (has_spares(endpoint, wanted)) return true;
  take_returned(endpoint);
  if (has_spares(endpoint, wanted) || take_from_pool(endpoint, wanted)) return true;
  gather_spares(endpoint);
  return take_from_pool(endpoint, wanted);
}

// ---- the receiver's blocks ----

bool is_short_of_blocks() {
  const Header& header = segment().header();
  return header.free_blocks.load(std::memory_order_relaxed) < header.block_count / 4;
}

void show_freed(Endpoint& endpoint) {
  if (endpoint.freed == none) return;
  Index before = endpoint.returned.load(std::memory_order_relaxed);
  do {
    at(endpoint.freed_last).more = before;
  } while (!endpoint.returned.compare_exchange_weak(before, endpoint.freed, std::memory_order_release));
  endpoint.freed = none;
  endpoint.freed_count = 0;
}

// Gives back `first` and all that hangs on it. The link to the next message stays as it is: see repair_queue.
void free_blocks(Endpoint& endpoint, Index first) {
  Index last = first;
  ++endpoint.freed_count;
  for (; at(last).more != none; last = at(last).more) ++endpoint.freed_count;
  // In the order of their use, so that what lay side by side stays so.
  if (endpoint.freed == none) {
    endpoint.freed = first;
  } else {
    at(endpoint.freed_last).more = first;
  }
  endpoint.freed_last = last;
  if (endpoint.freed_count >= freed_max || is_short_of_blocks()) show_freed(endpoint);
}

}  // namespace

void clear_queue(Endpoint& endpoint) {
  std::fill(std::begin(endpoint.heads), std::end(endpoint.heads), none);
  std::fill(std::begin(endpoint.tails), std::end(endpoint.tails), none);
  for (std::atomic<Index>& first : endpoint.first) first.store(none);
  endpoint.levels.store(0);
  endpoint.sent.store(0);
  endpoint.taken.store(0);
  endpoint.taken_seen = 0;
  endpoint.spare = endpoint.freed = endpoint.freed_last = none;
  endpoint.freed_count = 0;
  endpoint.returned.store(none);
}

void drop_queue(Endpoint& endpoint) {
  for (std::uint32_t priority = 0; priority < priorities; ++priority) {
    while (next_of(endpoint, priority, endpoint.heads[priority]) != none) remove_front(endpoint, priority);
  }
  show_freed(endpoint);
  take_returned(endpoint);
  const Index spare = endpoint.spare;
  Index heads[priorities];
  std::copy(std::begin(endpoint.heads), std::end(endpoint.heads), heads);
  clear_queue(endpoint);
  const Lock pool(segment().header().pool);
  give_chain_to_pool(spare);
  for (const Index head : heads) give_chain_to_pool(head);
}

// A sender shows a message, then moves the tail: the tail may be one behind. Its link still says so even if the
// receiver has given that block back by now, since only a sender of this endpoint fills it again.
void repair_queue(Endpoint& endpoint) {
  std::uint32_t sent = endpoint.sent.load();
  for (std::uint32_t priority = 0; priority < priorities; ++priority) {
    Index& tail = endpoint.tails[priority];
    for (Index next = next_of(endpoint, priority, tail); next != none; next = next_of(endpoint, priority, tail)) {
      tail = next;
    }
    if (tail != none && at(tail).ordinal == sent + 1) ++sent;
  }
  endpoint.sent.store(sent);
}

void mark_queue(const Endpoint& endpoint, std::vector<bool>& found) {
  const auto mark = [&](Index first) {
    for (Index block = first; block != none; block = at(block).more) found[block] = true;
  };
  for (std::uint32_t priority = 0; priority < priorities; ++priority) {
    Index message = endpoint.heads[priority];
    mark(message);
    for (message = next_of(endpoint, priority, message); message != none;
         message = next_of(endpoint, priority, message)) {
      mark(message);
    }
  }
  mark(endpoint.spare);
  mark(endpoint.freed);
  mark(endpoint.returned.load());
}

std::uint32_t count_of(const Endpoint& endpoint) {
  const std::uint32_t taken = endpoint.taken.load();
  const auto count = static_cast<std::int32_t>(endpoint.sent.load() - taken);
  return count < 0 ? 0 : static_cast<std::uint32_t>(count);
}

// ---- who sends ----

bool has_room(Endpoint& endpoint) {
  const std::uint32_t sent = endpoint.sent.load(std::memory_order_relaxed);
  // What was taken may not be counted as sent yet, when a sender died.
  const auto in_it = [&] { return static_cast<std::int32_t>(sent - endpoint.taken_seen); };
  if (in_it() < static_cast<std::int32_t>(queue_max)) return true;
  endpoint.taken_seen = endpoint.taken.load(std::memory_order_acquire);
  return in_it() < static_cast<std::int32_t>(queue_max);
}

Index fill(Endpoint& endpoint, Channel kind, const void* bytes, std::size_t size) {
  if (!stock(endpoint, blocks_for(size))) return none;
  const Index first = take_spare(endpoint);
  Block& head = at(first);
  head.more = none;
  head.next.store(none, std::memory_order_relaxed);
  head.size = static_cast<std::uint32_t>(size);
  head.kind = static_cast<std::uint32_t>(kind);
  const char* from = static_cast<const char*>(bytes);
  std::size_t part = std::min(size, Block::first_payload);
  if (part > 0) std::memcpy(head.payload, from, part);
  Block* last = &head;
  for (std::size_t done = part; done < size; done += part) {
    const Index index = take_spare(endpoint);
    Block& block = at(index);
    block.more = none;
    part = std::min(size - done, Block::next_payload);
    std::memcpy(block.rest(), from + done, part);
    last->more = index;
    last = &block;
  }
  return first;
}

void append(Endpoint& endpoint, std::uint32_t priority, Index message) {
  const std::uint32_t sent = endpoint.sent.load(std::memory_order_relaxed) + 1;
  at(message).ordinal = sent;
  const std::uint32_t levels = endpoint.levels.load(std::memory_order_relaxed);
  if ((levels >> priority & 1) == 0) endpoint.levels.store(levels | 1u << priority);
  link(endpoint, priority, endpoint.tails[priority]).store(message, std::memory_order_release);
  then();
  endpoint.tails[priority] = message;
  then();
  endpoint.sent.store(sent, std::memory_order_release);
}

// ---- the receiver ----

Taking::Taking(NodeSlot& node) : node_(node) {
  for (;;) {
    node_.taking.store(1, std::memory_order_seq_cst);
    if (segment().header().sweeping.load(std::memory_order_seq_cst) == 0) return;
    node_.taking.store(0);
    const Lock registry = lock_registry();  // until the sweep is over
  }
}

namespace {

// The first message of this level that belongs here.
Index front_of(Endpoint& endpoint, std::uint32_t priority) {
  for (;;) {
    const Index message = next_of(endpoint, priority, endpoint.heads[priority]);
    if (message == none || at(message).kind == static_cast<std::uint32_t>(endpoint.channel)) return message;
    remove_front(endpoint, priority);
  }
}

}  // namespace

// While the levels are looked at, one after the other, somebody may send with a high priority and then with a low one.
// Once the low one is seen the high one is there to be seen too, so levels above a find are looked at again.
Index front(Endpoint& endpoint, std::uint32_t& priority) {
  Index found = none;
  std::uint32_t levels = endpoint.levels.load(std::memory_order_acquire);
  while (levels != 0) {
    const auto level = static_cast<std::uint32_t>(std::countr_zero(levels));
    levels &= levels - 1;
    const Index message = front_of(endpoint, level);
    if (message == none) continue;
    found = message;
    priority = level;
    levels = endpoint.levels.load(std::memory_order_acquire) & ((1u << level) - 1);
  }
  return found;
}

void read(Index message, void* buffer, std::size_t capacity) {
  const Block& head = at(message);
  const std::size_t size = std::min<std::size_t>(head.size, capacity);
  std::size_t part = std::min(size, Block::first_payload);
  if (part > 0) std::memcpy(buffer, head.payload, part);
  Index next = head.more;
  for (std::size_t done = part; done < size; done += part) {
    Block& block = at(next);
    part = std::min(size - done, Block::next_payload);
    std::memcpy(static_cast<char*>(buffer) + done, block.rest(), part);
    next = block.more;
  }
}

void remove_front(Endpoint& endpoint, std::uint32_t priority) {
  const Index before = endpoint.heads[priority];
  const Index message = next_of(endpoint, priority, before);
  const Index more = at(message).more;
  fetch<false>(at(message).next.load(std::memory_order_relaxed));
  endpoint.heads[priority] = message;
  if (more != none) at(message).more = none;
  endpoint.taken.store(endpoint.taken.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  then();
  if (more != none) free_blocks(endpoint, more);
  if (before != none) free_blocks(endpoint, before);
}

}  // namespace reprise::mcapi
