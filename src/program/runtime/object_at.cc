#include <reprise/atomic_ref.h>

#include <array>
#include <mutex>
#include <unordered_map>

namespace reprise::detail {
namespace {

struct alignas(64) Shard {
  std::mutex mutex;  // guards objects
  std::unordered_map<const void*, gate::Object> objects;
};

using Shards = std::array<Shard, 64>;

// Never destroyed: static destructors may still pass. Not a function-local static: its guard would pass the gate.
Shards& shards = *new Shards;

}  // namespace

gate::Object& object_at(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  Shard& shard = shards[(place >> 2) * gate::hash_factor >> 58];
  const std::lock_guard lock(shard.mutex);
  return shard.objects[address];  // a node keeps its place
}

}  // namespace reprise::detail
