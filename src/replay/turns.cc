#include "replay/turns.h"

#include <algorithm>

namespace reprise::replay {
namespace {

enum class Look : std::uint8_t { ready, not_yet, overtaken };

Look judge(std::uint64_t now, std::uint64_t order, bool at_least) {
  if (now == order) return Look::ready;
  if (now < order) return Look::not_yet;
  return at_least ? Look::ready : Look::overtaken;
}

Look look(const gate::Object& object, std::uint64_t order, bool at_least) {
  return judge(object.word.load(std::memory_order_seq_cst) >> 1, order, at_least);
}

Woken told(Look seen) { return seen == Look::ready ? Woken::turn : Woken::overtaken; }

// Each look takes the cache line away from whoever is at work there: the further off the turn, the longer the rest.
constexpr std::uint64_t passages_per_pause = 4;
constexpr std::uint64_t pauses_max = 64;

Look spin(const gate::Object& object, std::uint64_t order, bool at_least, std::uint64_t pauses_left) {
  for (;;) {
    const std::uint64_t now = object.word.load(std::memory_order_seq_cst) >> 1;
    const Look seen = judge(now, order, at_least);
    if (seen != Look::not_yet || pauses_left == 0) return seen;
    const std::uint64_t wanted = std::clamp<std::uint64_t>((order - now) / passages_per_pause, 1, pauses_max);
    const std::uint64_t pauses = std::min(wanted, pauses_left);
    gate::rest(static_cast<unsigned>(pauses));
    pauses_left -= pauses;
  }
}

}  // namespace

Turns::Bucket& Turns::bucket_of(const gate::Object* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  return buckets_[(address >> 5) * gate::hash_factor >> 55];
}

void Turns::find_least(Bucket& bucket) {
  const bool one_object =
      !bucket.waiters.empty() && bucket.waiters.begin()->first.first == bucket.waiters.rbegin()->first.first;
  bucket.least.store(one_object ? bucket.waiters.begin()->first.second : 0, std::memory_order_seq_cst);
}

Woken Turns::wait(gate::Thread& thread, SpinBudget& budget, const gate::Object& object, std::uint64_t order,
                  bool at_least) {
  Look seen = look(object, order, at_least);
  if (seen != Look::not_yet) return told(seen);
  seen = spin(object, order, at_least, budget.pauses);
  if (seen != Look::not_yet) {
    budget.succeeded();
    return told(seen);
  }
  budget.slept();
  Waiter waiter;
  Bucket& bucket = bucket_of(&object);
  {
    const std::lock_guard lock(bucket.mutex);
    const auto place = bucket.waiters.emplace(std::pair(&object, order), &waiter);
    find_least(bucket);
    bucket.waiting.fetch_add(1, std::memory_order_seq_cst);
    // Looked at again after the announcement: either this sees the new order, or its raiser sees the waiter.
    seen = look(object, order, at_least);
    if (seen != Look::not_yet) {
      bucket.waiting.fetch_sub(1, std::memory_order_seq_cst);
      bucket.waiters.erase(place);
      find_least(bucket);
      return told(seen);
    }
  }
  watch_.falls_asleep(thread);
  while (waiter.woken.load(std::memory_order_acquire) == 0) waiter.woken.wait(0, std::memory_order_acquire);
  // The waker's last touch of the waiter is its lock of the bucket: pass it before the waiter goes.
  const std::lock_guard lock(bucket.mutex);
  return told(look(object, order, at_least));
}

void Turns::advanced(const gate::Object* object, std::uint64_t order) {
  Bucket& bucket = bucket_of(object);
  if (bucket.waiting.load(std::memory_order_seq_cst) == 0) [[likely]]
    return;
  if (order < bucket.least.load(std::memory_order_seq_cst)) return;
  const std::lock_guard lock(bucket.mutex);
  const auto begin = bucket.waiters.lower_bound({object, 0});
  const auto end = bucket.waiters.upper_bound({object, order});
  for (auto place = begin; place != end; ++place) {
    bucket.waiting.fetch_sub(1, std::memory_order_relaxed);
    watch_.wakes(1);
    place->second->woken.store(1, std::memory_order_release);
    place->second->woken.notify_one();
  }
  bucket.waiters.erase(begin, end);
  find_least(bucket);
}

}  // namespace reprise::replay
