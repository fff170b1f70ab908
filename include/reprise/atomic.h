// reprise::atomic<T> and atomic_flag: drop-in for their std namesakes, with all operations and all memory orders.
//
//   reprise::atomic<int> tickets{0};
//   int mine = tickets.fetch_add(1);
//
// Threads        As std's.
// Memory order   Behind a gate every operation is sequentially consistent, whatever order was asked for: recording and replay mask bugs
//                that need a store buffer. Off, the order asked for is the order used.
// Replay         Writes happen in the recorded order; a load returns what it returned when recorded and never holds a writer up. Pointers are
//                found again by their order, not by their recorded address.
// Cost           Off: a thread-local load. Recording: one locked instruction, order and owner check; a load that sees nothing new has none.
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

// Padding has no meaning: compare and record values without it, where the compiler can clear it.
template <typename T>
T clean(T value) noexcept {
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&value);
#endif
  return value;
}

template <typename T>
bool same_bits(const T& a, const T& b) noexcept {
  const T left = clean(a);
  const T right = clean(b);
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
  static T load(gate::Thread& thread, gate::Object& object, const Cell& cell) {
    if constexpr (Cell::is_always_lock_free) {
      const std::uint64_t word = object.word.load(std::memory_order_acquire);
      const T value = cell.load(std::memory_order_acquire);
      const std::uint64_t id = object.known_id();
      std::atomic_thread_fence(std::memory_order_acquire);
      // Nobody passed it while it was read, nor is passing, and this thread knows what it holds. (The `seen` words are even, and only this
      // thread can have made itself the last.)
      if (object.word.load(std::memory_order_relaxed) != word) [[unlikely]] return load_slowly(thread, object, cell);
      if (!thread.seen.at(id).is(id, word)) [[unlikely]] {
        if (object.last_thread() != thread.index || (word & 1) != 0) [[unlikely]] return load_slowly(thread, object, cell);
      }
      if (!thread.counts_alone()) [[unlikely]] return load_slowly(thread, object, cell);
      thread.count(Kind::load, id);
      return value;
    } else {
      return load_slowly(thread, object, cell);
    }
  }

  // Any read-modify-write or store: `change` maps the old value to the new one. Returns the old one.
  template <typename Cell, typename Change>
  static T modify(gate::Thread& thread, gate::Object& object, Cell& cell, Kind kind, Change change) {
    // All loads stand before the locked instruction; that it finds the word unchanged says that they still hold.
    const std::uint64_t free = object.word.load(std::memory_order_acquire);
    const T old = cell.load(std::memory_order_relaxed);
    if (object.last_thread() == thread.index && (free & 1) == 0 && object.acquire_bit_from(free)) [[likely]] {
      if (thread.counts_alone()) [[likely]] {
        cell.store(clean(change(old)), std::memory_order_relaxed);
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
    const T desired = clean(desired_value);
    const T wanted = clean(expected);
    T seen = wanted;
    if (thread.gate->foretell(thread, object, Kind::modify, &wanted, &seen, sizeof seen, std::is_pointer_v<T>) == gate::Outcome::failed) {
      expected = seen;
      return false;
    }
    thread.gate->begin(thread, object, Kind::modify);
    const T old = clean(cell.load(std::memory_order_relaxed));
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
    if (thread.gate->foretell(thread, object, Kind::load, nullptr, &value, sizeof value, std::is_pointer_v<T>) == gate::Outcome::failed) {
      return value;
    }
    thread.gate->begin(thread, object, Kind::load);
    value = clean(cell.load(std::memory_order_relaxed));
    thread.gate->end(thread, object, Kind::load, &value, sizeof value, std::is_pointer_v<T>);
    return value;
  }

  template <typename Cell, typename Change>
  [[gnu::noinline]] static T modify_slowly(gate::Thread& thread, gate::Object& object, Cell& cell, Kind kind, Change change) {
    thread.gate->begin(thread, object, kind);
    const T old = cell.load(std::memory_order_relaxed);
    const T fresh = clean(change(old));
    cell.store(fresh, std::memory_order_relaxed);
    thread.gate->end(thread, object, kind, &fresh, sizeof fresh, std::is_pointer_v<T>);
    return old;
  }
};

}  // namespace detail

template <typename T>
class atomic {
  using Gated = detail::GatedCell<T>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  constexpr atomic() noexcept(std::is_nothrow_default_constructible_v<T>) : cell_(T()) {}
  constexpr atomic(T value) noexcept : cell_(value) {}  // NOLINT(google-explicit-constructor): as std's
  constexpr atomic(T value, const char* name) noexcept : cell_(value), object_(name) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  bool is_lock_free() const noexcept { return cell_.is_lock_free(); }

  T load(memory_order order = memory_order_seq_cst) const noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.load(order);
    return Gated::load(*thread, object_, cell_);
  }
  void store(T value, memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.store(value, order);
    Gated::modify(*thread, object_, cell_, Kind::store, [value](T) { return value; });
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.exchange(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T) { return value; });
  }

  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.compare_exchange_strong(expected, desired, success, failure);
    return Gated::compare_exchange(*thread, object_, cell_, expected, desired);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.compare_exchange_strong(expected, desired, order);
    return Gated::compare_exchange(*thread, object_, cell_, expected, desired);
  }
  // Behind a gate the weak form never fails spuriously.
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.compare_exchange_weak(expected, desired, success, failure);
    return Gated::compare_exchange(*thread, object_, cell_, expected, desired);
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.compare_exchange_weak(expected, desired, order);
    return Gated::compare_exchange(*thread, object_, cell_, expected, desired);
  }

  void wait(T old, memory_order order = memory_order_seq_cst) const noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.wait(old, order);
    Gated::wait(*thread, object_, cell_, old);
  }
  // Waiters are decided by what they load; a notification alone decides nothing and passes no gate.
  void notify_one() noexcept { cell_.notify_one(); }
  void notify_all() noexcept { cell_.notify_all(); }

  T fetch_add(T value, memory_order order = memory_order_seq_cst) noexcept
    requires detail::atomic_number<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_add(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return wrap(old, value, false); });
  }
  T fetch_sub(T value, memory_order order = memory_order_seq_cst) noexcept
    requires detail::atomic_number<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_sub(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return wrap(old, value, true); });
  }
  T fetch_add(std::ptrdiff_t value, memory_order order = memory_order_seq_cst) noexcept
    requires std::is_pointer_v<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_add(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return old + value; });
  }
  T fetch_sub(std::ptrdiff_t value, memory_order order = memory_order_seq_cst) noexcept
    requires std::is_pointer_v<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_sub(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return old - value; });
  }
  T fetch_and(T value, memory_order order = memory_order_seq_cst) noexcept
    requires detail::atomic_integer<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_and(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return static_cast<T>(old & value); });
  }
  T fetch_or(T value, memory_order order = memory_order_seq_cst) noexcept
    requires detail::atomic_integer<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_or(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return static_cast<T>(old | value); });
  }
  T fetch_xor(T value, memory_order order = memory_order_seq_cst) noexcept
    requires detail::atomic_integer<T>
  {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.fetch_xor(value, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [value](T old) { return static_cast<T>(old ^ value); });
  }

  operator T() const noexcept { return load(); }  // NOLINT(google-explicit-constructor): as std's
  T operator=(T value) noexcept {                 // NOLINT(misc-unconventional-assign-operator): as std's
    store(value);
    return value;
  }
  T operator++() noexcept { return fetch_add(1) + 1; }
  T operator++(int) noexcept { return fetch_add(1); }
  T operator--() noexcept { return fetch_sub(1) - 1; }
  T operator--(int) noexcept { return fetch_sub(1); }
  template <typename Operand>
  T operator+=(Operand value) noexcept {
    return fetch_add(value) + value;
  }
  template <typename Operand>
  T operator-=(Operand value) noexcept {
    return fetch_sub(value) - value;
  }
  T operator&=(T value) noexcept { return fetch_and(value) & value; }
  T operator|=(T value) noexcept { return fetch_or(value) | value; }
  T operator^=(T value) noexcept { return fetch_xor(value) ^ value; }

 private:
  // Atomic integers wrap around.
  static T wrap(T old, T value, bool subtract) {
    if constexpr (std::integral<T>) {
      using Bits = std::make_unsigned_t<T>;
      const Bits operand = subtract ? static_cast<Bits>(Bits{0} - static_cast<Bits>(value)) : static_cast<Bits>(value);
      return static_cast<T>(static_cast<Bits>(static_cast<Bits>(old) + operand));
    } else {
      return subtract ? old - value : old + value;
    }
  }

  std::atomic<T> cell_;
  mutable gate::Object object_;
};

template <typename T>
atomic(T) -> atomic<T>;

class atomic_flag {
  using Gated = detail::GatedCell<bool>;

 public:
  constexpr atomic_flag() noexcept = default;
  constexpr explicit atomic_flag(const char* name) noexcept : object_(name) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;

  bool test(memory_order order = memory_order_seq_cst) const noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.load(order);
    return Gated::load(*thread, object_, cell_);
  }
  bool test_and_set(memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.exchange(true, order);
    return Gated::modify(*thread, object_, cell_, Kind::modify, [](bool) { return true; });
  }
  void clear(memory_order order = memory_order_seq_cst) noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.store(false, order);
    Gated::modify(*thread, object_, cell_, Kind::store, [](bool) { return false; });
  }
  void wait(bool old, memory_order order = memory_order_seq_cst) const noexcept {
    gate::Thread* thread = gate::current;
    if (thread == nullptr) [[likely]] return cell_.wait(old, order);
    Gated::wait(*thread, object_, cell_, old);
  }
  void notify_one() noexcept { cell_.notify_one(); }
  void notify_all() noexcept { cell_.notify_all(); }

 private:
  std::atomic<bool> cell_{false};
  mutable gate::Object object_;
};

}  // namespace reprise
