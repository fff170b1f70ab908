// reprise::atomic<T> and atomic_flag: drop-in for their std namesakes, with all operations and all memory orders.
//
//   reprise::atomic<int> tickets{0};
//   int mine = tickets.fetch_add(1);
//
// Threads        As std's.
// Memory order   Behind a gate every operation is sequentially consistent, whatever order was asked for: recording and
// replay mask bugs
//                that need a store buffer. Off, the order asked for is the order used.
// Replay         Writes happen in the recorded order; a load returns what it returned when recorded and never holds a
// writer up. Pointers are
//                found again by their order, not by their recorded address.
// Cost           Off: a thread-local load. Recording: one locked instruction, order and owner check; a load that sees
// nothing new has none.
#pragma once

#include <reprise/detail/atomic.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace reprise {

template <typename T>
class atomic {
  using Operations = detail::AtomicOperations<T>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  constexpr atomic() noexcept(std::is_nothrow_default_constructible_v<T>) : cell_(T()) {}
  constexpr atomic(T value) noexcept : cell_(value) {}  // NOLINT(google-explicit-constructor): as std's
  constexpr atomic(T value, const char* name) noexcept : cell_(value), object_(name) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  bool is_lock_free() const noexcept { return cell_.is_lock_free(); }

  T load(memory_order order = memory_order_seq_cst) const noexcept { return Operations::load(cell_, object_, order); }
  void store(T value, memory_order order = memory_order_seq_cst) noexcept {
    Operations::store(cell_, object_, value, order);
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) noexcept {
    return Operations::exchange(cell_, object_, value, order);
  }

  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired, [&] {
      return cell_.compare_exchange_strong(expected, desired, success, failure);
    });
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst) noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired,
                                        [&] { return cell_.compare_exchange_strong(expected, desired, order); });
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired, [&] {
      return cell_.compare_exchange_weak(expected, desired, success, failure);
    });
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst) noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired,
                                        [&] { return cell_.compare_exchange_weak(expected, desired, order); });
  }

  void wait(T old, memory_order order = memory_order_seq_cst) const noexcept {
    Operations::wait(cell_, object_, old, order);
  }
  // Waiters are decided by what they load; a notification alone decides nothing and passes no gate.
  void notify_one() noexcept { cell_.notify_one(); }
  void notify_all() noexcept { cell_.notify_all(); }

  T fetch_add(T value, memory_order order = memory_order_seq_cst) noexcept requires detail::atomic_number<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_add(value, order); },
        [value](T old) { return Operations::sum(old, value); });
  }
  T fetch_sub(T value, memory_order order = memory_order_seq_cst) noexcept requires detail::atomic_number<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_sub(value, order); },
        [value](T old) { return Operations::difference(old, value); });
  }
  T fetch_add(std::ptrdiff_t value, memory_order order = memory_order_seq_cst) noexcept requires std::is_pointer_v<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_add(value, order); }, [value](T old) { return old + value; });
  }
  T fetch_sub(std::ptrdiff_t value, memory_order order = memory_order_seq_cst) noexcept requires std::is_pointer_v<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_sub(value, order); }, [value](T old) { return old - value; });
  }
  T fetch_and(T value, memory_order order = memory_order_seq_cst) noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_and(value, order); },
        [value](T old) { return static_cast<T>(old & value); });
  }
  T fetch_or(T value, memory_order order = memory_order_seq_cst) noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_or(value, order); },
        [value](T old) { return static_cast<T>(old | value); });
  }
  T fetch_xor(T value, memory_order order = memory_order_seq_cst) noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_xor(value, order); },
        [value](T old) { return static_cast<T>(old ^ value); });
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
  std::atomic<T> cell_;
  mutable gate::Object object_;
};

template <typename T>
atomic(T) -> atomic<T>;

class atomic_flag {
  using Operations = detail::AtomicOperations<bool>;

 public:
  constexpr atomic_flag() noexcept = default;
  constexpr explicit atomic_flag(const char* name) noexcept : object_(name) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;

  bool test(memory_order order = memory_order_seq_cst) const noexcept {
    return Operations::load(cell_, object_, order);
  }
  bool test_and_set(memory_order order = memory_order_seq_cst) noexcept {
    return Operations::exchange(cell_, object_, true, order);
  }
  void clear(memory_order order = memory_order_seq_cst) noexcept { Operations::store(cell_, object_, false, order); }
  void wait(bool old, memory_order order = memory_order_seq_cst) const noexcept {
    Operations::wait(cell_, object_, old, order);
  }
  void notify_one() noexcept { cell_.notify_one(); }
  void notify_all() noexcept { cell_.notify_all(); }

 private:
  std::atomic<bool> cell_{false};
  mutable gate::Object object_;
};

}  // namespace reprise
