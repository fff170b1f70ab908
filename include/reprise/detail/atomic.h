// One atomic cell and its gate; users include <reprise/atomic.h> or <reprise/atomic_ref.h>.
#pragma once

#include <reprise/detail/gate.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace reprise {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

// Padding has no meaning: compare and record values without it, where the compiler can clear it. In place, since a copy
// need not keep what padding holds: whose bytes are taken is cleared last.
template <typename T>
void clear_padding([[maybe_unused]] T& value) noexcept {
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&value);
#endif
}

template <typename T>
bool same_bits(const T& a, const T& b) noexcept {
  T left = a;
  T right = b;
  clear_padding(left);
  clear_padding(right);
  return std::memcmp(&left, &right, sizeof(T)) == 0;
}

template <typename T>
concept atomic_number = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;
template <typename T>
concept atomic_integer = std::integral<T> && !std::same_as<T, bool>;

// One atomic cell and its gate. `Cell` is std::atomic<T> or std::atomic_ref<T>.
template <typename T>
class GatedCell {
 public:
  template <typename Cell>
  [[gnu::always_inline]] static T load(gate::Thread& thread, gate::Object& object, const Cell& cell) {
    if constexpr (Cell::is_always_lock_free) {
      const std::uint64_t word = object.word.load(std::memory_order_acquire);
      const T value = cell.load(std::memory_order_acquire);
      const std::uint64_t id = object.known_id();
      std::atomic_thread_fence(std::memory_order_acquire);
      // Nobody passed it while it was read, nor is passing, and this thread knows what it holds. (The `seen` words are
      // even, and only this thread can have made itself the last.)
      if (object.word.load(std::memory_order_relaxed) != word) [[unlikely]]
        return load_slowly(thread, object, cell);
      if (!thread.seen.at(id).is(id, word)) [[unlikely]] {
        if (object.last_thread() != thread.index || (word & 1) != 0) [[unlikely]]
          return load_slowly(thread, object, cell);
      }
      if (!thread.counts_alone()) [[unlikely]]
        return load_slowly(thread, object, cell);
      thread.count(Kind::load, id);
      return value;
    } else {
      return load_slowly(thread, object, cell);
    }
  }

  // Any read-modify-write or store: `change` maps the old value to the new one. Returns the old one.
  template <typename Cell, typename Change>
  [[gnu::always_inline]] static T modify(gate::Thread& thread, gate::Object& object, Cell& cell, Kind kind,
                                         Change change) {
    // All loads stand before the locked instruction; that it finds the word unchanged says that they still hold.
    const std::uint64_t free = object.word.load(std::memory_order_acquire);
    const T old = cell.load(std::memory_order_relaxed);
    const bool alone = object.last_thread() == thread.index && (free & 1) == 0 && thread.counts_alone();
    if (alone && object.acquire_bit_from(free)) [[likely]] {
      // Asked again inside: the recording may have ended while this thread came here.
      if (thread.counts_alone()) [[likely]] {
        T fresh = change(old);
        clear_padding(fresh);
        cell.store(fresh, std::memory_order_relaxed);
        thread.count(kind, object.known_id());
        object.raise_and_release_bit(free);
        return old;
      }
      object.release_bit();
    }
    return modify_slowly(thread, object, cell, kind, change);
  }

  template <typename Cell>
  static bool compare_exchange(gate::Thread& thread, gate::Object& object, Cell& cell, T& expected, T desired_value) {
    T desired = desired_value;
    T wanted = expected;
    clear_padding(desired);
    clear_padding(wanted);
    T seen = wanted;
    if (thread.gate->foretell(thread, object, Kind::modify, &wanted, &seen, sizeof seen, std::is_pointer_v<T>) ==
        gate::Outcome::failed) {
      expected = seen;
      return false;
    }
    thread.gate->begin(thread, object, Kind::modify);
    T old = cell.load(std::memory_order_relaxed);
    clear_padding(old);
    if (!same_bits(old, expected)) {
      thread.gate->end(thread, object, Kind::compare_failed, &old, sizeof old, std::is_pointer_v<T>);
      expected = old;
      return false;
    }
    cell.store(desired, std::memory_order_relaxed);
    thread.gate->end(thread, object, Kind::modify, &desired, sizeof desired, std::is_pointer_v<T>);
    return true;
  }

  template <typename Cell>
  static void wait(gate::Thread& thread, gate::Object& object, const Cell& cell, T old) {
    while (same_bits(load(thread, object, cell), old)) {
      if (!thread.gate->lives()) continue;
      thread.about_to(Kind::load, object);
      cell.wait(old);
      thread.done();
    }
  }

 private:
  template <typename Cell>
  [[gnu::noinline]] static T load_slowly(gate::Thread& thread, gate::Object& object, const Cell& cell) {
    T value{};
    if (thread.gate->foretell(thread, object, Kind::load, nullptr, &value, sizeof value, std::is_pointer_v<T>) ==
        gate::Outcome::failed) {
      return value;
    }
    thread.gate->begin(thread, object, Kind::load);
    value = cell.load(std::memory_order_relaxed);
    clear_padding(value);
    thread.gate->end(thread, object, Kind::load, &value, sizeof value, std::is_pointer_v<T>);
    return value;
  }

  template <typename Cell, typename Change>
  [[gnu::noinline]] static T modify_slowly(gate::Thread& thread, gate::Object& object, Cell& cell, Kind kind,
                                           Change change) {
    thread.gate->begin(thread, object, kind);
    const T old = cell.load(std::memory_order_relaxed);
    T fresh = change(old);
    clear_padding(fresh);
    cell.store(fresh, std::memory_order_relaxed);
    thread.gate->end(thread, object, kind, &fresh, sizeof fresh, std::is_pointer_v<T>);
    return old;
  }
};

// The operations of atomic, atomic_flag and atomic_ref, each of which says what its cell and its object are. `Place` is
// a gate::Object&, or something that turns into one; it is not asked when nothing stands behind the gate.
template <typename T>
class AtomicOperations {
  using Gated = GatedCell<T>;

 public:
  template <typename Cell, typename Place>
  static T load(const Cell& cell, Place&& place, memory_order order) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return cell.load(order);
    return Gated::load(*thread, place, cell);
  }
  template <typename Cell, typename Place>
  static void store(Cell& cell, Place&& place, T value, memory_order order) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return cell.store(value, order);
    Gated::modify(*thread, place, cell, Kind::store, [value](T) { return value; });
  }
  template <typename Cell, typename Place>
  static T exchange(Cell& cell, Place&& place, T value, memory_order order) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return cell.exchange(value, order);
    // What changes nothing is a read: a thread that spins on a flag decides nothing for others, and writes nothing.
    if constexpr (std::is_same_v<T, bool>) {
      bool old = !value;
      Gated::compare_exchange(*thread, place, cell, old, value);
      return old;
    }
    return Gated::modify(*thread, place, cell, Kind::modify, [value](T) { return value; });
  }
  // `native` is the strong or the weak form. Behind a gate the weak form never fails spuriously.
  template <typename Cell, typename Place, typename Native>
  static bool compare_exchange(Cell& cell, Place&& place, T& expected, T desired, Native native) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native();
    return Gated::compare_exchange(*thread, place, cell, expected, desired);
  }
  template <typename Cell, typename Place>
  static void wait(const Cell& cell, Place&& place, T old, memory_order order) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return cell.wait(old, order);
    Gated::wait(*thread, place, cell, old);
  }
  // `native` changes the cell by itself; `change` maps its old value to the new one.
  template <typename Cell, typename Place, typename Native, typename Change>
  static T fetch(Cell& cell, Place&& place, Native native, Change change) {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]]
      return native();
    return Gated::modify(*thread, place, cell, Kind::modify, change);
  }

  // Atomic integers wrap around.
  static T sum(T old, T value) {
    if constexpr (std::integral<T>) {
      using Bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Bits>(static_cast<Bits>(old) + static_cast<Bits>(value)));
    } else {
      return old + value;
    }
  }
  static T difference(T old, T value) {
    if constexpr (std::integral<T>) {
      using Bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Bits>(static_cast<Bits>(old) - static_cast<Bits>(value)));
    } else {
      return old - value;
    }
  }
};

}  // namespace detail
}  // namespace reprise
