#include "program/adapters/mcapi/queue.h"

#include <algorithm>
#include <cstring>

#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

constexpr std::uint32_t spares_max = 16;

Block& at(Index index) { return segment().block(index); }

// What comes after it is stored after what comes before it: kill -9 falls between two instructions.
void then() { std::atomic_signal_fence(std::memory_order_seq_cst); }

std::size_t blocks_for(std::size_t size) {
  if (size <= Block::first_payload) return 1;
  return 1 + (size - Block::first_payload + Block::next_payload - 1) / Block::next_payload;
}

// Moves blocks from the pool to the endpoint's spares until it has `wanted`.
bool stock(Endpoint& endpoint, std::size_t wanted) {
  if (endpoint.spares >= wanted) return true;
  Header& header = segment().header();
  const Lock pool(header.pool);
  if (endpoint.spares + header.free_blocks < wanted) return false;
  const std::size_t some = std::max<std::size_t>(wanted, spares_max / 2);
  while (endpoint.spares < some && header.free_block != none) {
    const Index block = header.free_block;
    header.free_block = at(block).next;
    --header.free_blocks;
    then();
    at(block).next = endpoint.spare;
    then();
    endpoint.spare = block;
    ++endpoint.spares;
  }
  return endpoint.spares >= wanted;
}

Index take_spare(Endpoint& endpoint) {
  const Index block = endpoint.spare;
  endpoint.spare = at(block).next;
  --endpoint.spares;
  then();
  return block;
}

void give_to_pool(Index block) {
  Header& header = segment().header();
  at(block).next = header.free_block;
  then();
  header.free_block = block;
  ++header.free_blocks;
}

void give_back(Endpoint& endpoint, Index message) {
  Index block = message;
  while (block != none && endpoint.spares < spares_max) {
    const Index more = at(block).more;
    at(block).next = endpoint.spare;
    then();
    endpoint.spare = block;
    ++endpoint.spares;
    block = more;
  }
  if (block == none) return;
  const Lock pool(segment().header().pool);
  while (block != none) {
    const Index more = at(block).more;
    give_to_pool(block);
    block = more;
  }
}

}  // namespace

void clear_queue(Endpoint& endpoint) {
  std::fill(std::begin(endpoint.heads), std::end(endpoint.heads), none);
  std::fill(std::begin(endpoint.tails), std::end(endpoint.tails), none);
  endpoint.count = 0;
  endpoint.spare = none;
  endpoint.spares = 0;
}

void drop_queue(Endpoint& endpoint) {
  for (std::uint32_t priority = 0; priority < priorities; ++priority) {
    while (endpoint.heads[priority] != none) remove_front(endpoint, priority);
  }
  const Lock pool(segment().header().pool);
  while (endpoint.spares > 0) give_to_pool(take_spare(endpoint));
}

// The heads and their chains are whole at every instant; the rest follows from them.
void repair_queue(Endpoint& endpoint) {
  endpoint.count = 0;
  for (std::uint32_t priority = 0; priority < priorities; ++priority) {
    endpoint.tails[priority] = none;
    for (Index message = endpoint.heads[priority]; message != none; message = at(message).next) {
      endpoint.tails[priority] = message;
      ++endpoint.count;
    }
  }
  endpoint.spares = 0;
  for (Index block = endpoint.spare; block != none; block = at(block).next) ++endpoint.spares;
}

void mark_queue(const Endpoint& endpoint, std::vector<bool>& found) {
  for (const Index head : endpoint.heads) {
    for (Index message = head; message != none; message = at(message).next) {
      for (Index block = message; block != none; block = at(block).more) found[block] = true;
    }
  }
  for (Index block = endpoint.spare; block != none; block = at(block).next) found[block] = true;
}

Index fill(Endpoint& endpoint, const MessageId& id, const void* bytes, std::size_t size) {
  if (!stock(endpoint, blocks_for(size))) return none;
  const Index first = take_spare(endpoint);
  Block& head = at(first);
  head.more = none;
  head.next = none;
  head.size = static_cast<std::uint32_t>(size);
  head.id = id;
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
  then();
  if (endpoint.heads[priority] == none) {
    endpoint.heads[priority] = message;
  } else {
    at(endpoint.tails[priority]).next = message;
  }
  then();
  endpoint.tails[priority] = message;
  ++endpoint.count;
}

Index front(const Endpoint& endpoint, std::uint32_t& priority) {
  if (endpoint.count == 0) return none;
  for (priority = 0; priority < priorities; ++priority) {
    if (endpoint.heads[priority] != none) return endpoint.heads[priority];
  }
  return none;
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
  const Index message = endpoint.heads[priority];
  const Index next = at(message).next;
  then();
  endpoint.heads[priority] = next;
  if (next == none) endpoint.tails[priority] = none;
  --endpoint.count;
  then();
  give_back(endpoint, message);
}

}  // namespace reprise::mcapi
