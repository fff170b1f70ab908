// reprise::atomic_ref<T>: drop-in for std::atomic_ref.
//
//   int hits = 0;
//   reprise::atomic_ref<int>(hits).fetch_add(1);
//
// A plain variable has no room for its object, so that lies in a table beside it, found by the variable's address and
// never freed: a new variable at an old address goes on with the old one's object. That the program puts its variables
// at the same addresses again, as far as they are shared through an atomic_ref, is assumed stable; a reprise::atomic
// needs no such assumption.
//
// Threads        As std's.
// Memory order   As reprise::atomic's: sequentially consistent behind a gate.
// Replay         As reprise::atomic's.
// Cost           Off: a thread-local load. Recording: the first operation of each atomic_ref looks its object up.
#pragma once

#include <reprise/detail/atomic.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace reprise {

namespace detail {

// The object of the variable at `address`.
REPRISE_API gate::Object& object_at(const void* address);

// Finds it when it is first needed.
class ObjectAt {
 public:
  explicit ObjectAt(const void* address) noexcept : address_(address) {}
  operator gate::Object&() const {  // NOLINT(google-explicit-constructor): stands in for one
    if (found_ == nullptr) found_ = &object_at(address_);
    return *found_;
  }

 private:
  const void* address_;
  mutable gate::Object* found_{nullptr};
};

}  // namespace detail

template <typename T>
class atomic_ref {
  using Operations = detail::AtomicOperations<T>;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic_ref<T>::is_always_lock_free;
  static constexpr std::size_t required_alignment = std::atomic_ref<T>::required_alignment;

  explicit atomic_ref(T& variable) noexcept : cell_(variable), object_(&variable) {}
  atomic_ref(const atomic_ref&) noexcept = default;
  atomic_ref& operator=(const atomic_ref&) = delete;

  bool is_lock_free() const noexcept { return cell_.is_lock_free(); }

  T load(memory_order order = memory_order_seq_cst) const noexcept { return Operations::load(cell_, object_, order); }
  void store(T value, memory_order order = memory_order_seq_cst) const noexcept {
    Operations::store(cell_, object_, value, order);
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) const noexcept {
    return Operations::exchange(cell_, object_, value, order);
  }

  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) const noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired, [&] {
      return cell_.compare_exchange_strong(expected, desired, success, failure);
    });
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst) const noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired,
                                        [&] { return cell_.compare_exchange_strong(expected, desired, order); });
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) const noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired, [&] {
      return cell_.compare_exchange_weak(expected, desired, success, failure);
    });
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst) const noexcept {
    return Operations::compare_exchange(cell_, object_, expected, desired,
                                        [&] { return cell_.compare_exchange_weak(expected, desired, order); });
  }

  void wait(T old, memory_order order = memory_order_seq_cst) const noexcept {
    Operations::wait(cell_, object_, old, order);
  }
  // Waiters are decided by what they load; a notification alone decides nothing and passes no gate.
  void notify_one() const noexcept { cell_.notify_one(); }
  void notify_all() const noexcept { cell_.notify_all(); }

  T fetch_add(T value, memory_order order = memory_order_seq_cst) const noexcept requires detail::atomic_number<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_add(value, order); },
        [value](T old) { return Operations::sum(old, value); });
  }
  T fetch_sub(T value, memory_order order = memory_order_seq_cst) const noexcept requires detail::atomic_number<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_sub(value, order); },
        [value](T old) { return Operations::difference(old, value); });
  }
  T fetch_add(std::ptrdiff_t value,
              memory_order order = memory_order_seq_cst) const noexcept requires std::is_pointer_v<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_add(value, order); }, [value](T old) { return old + value; });
  }
  T fetch_sub(std::ptrdiff_t value,
              memory_order order = memory_order_seq_cst) const noexcept requires std::is_pointer_v<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_sub(value, order); }, [value](T old) { return old - value; });
  }
  T fetch_and(T value, memory_order order = memory_order_seq_cst) const noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_and(value, order); },
        [value](T old) { return static_cast<T>(old & value); });
  }
  T fetch_or(T value, memory_order order = memory_order_seq_cst) const noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_or(value, order); },
        [value](T old) { return static_cast<T>(old | value); });
  }
  T fetch_xor(T value, memory_order order = memory_order_seq_cst) const noexcept requires detail::atomic_integer<T> {
    return Operations::fetch(
        cell_, object_, [&] { return cell_.fetch_xor(value, order); },
        [value](T old) { return static_cast<T>(old ^ value); });
  }

  operator T() const noexcept { return load(); }  // NOLINT(google-explicit-constructor): as std's
  T operator=(T value) const noexcept {           // NOLINT(misc-unconventional-assign-operator): as std's
    store(value);
    return value;
  }
  T operator++() const noexcept { return fetch_add(1) + 1; }
  T operator++(int) const noexcept { return fetch_add(1); }
  T operator--() const noexcept { return fetch_sub(1) - 1; }
  T operator--(int) const noexcept { return fetch_sub(1); }
  template <typename Operand>
  T operator+=(Operand value) const noexcept {
    return fetch_add(value) + value;
  }
  template <typename Operand>
  T operator-=(Operand value) const noexcept {
    return fetch_sub(value) - value;
  }
  T operator&=(T value) const noexcept { return fetch_and(value) & value; }
  T operator|=(T value) const noexcept { return fetch_or(value) | value; }
  T operator^=(T value) const noexcept { return fetch_xor(value) ^ value; }

 private:
  std::atomic_ref<T> cell_;
  detail::ObjectAt object_;
};

template <typename T>
atomic_ref(T&) -> atomic_ref<T>;

}  // namespace reprise
