// reprise::barrier: drop-in for std::barrier.
//
//   reprise::barrier round(3, [&]() noexcept { ++rounds; });
//   round.arrive_and_wait();
//
// A barrier made behind a gate is a counter with a mutex and a condition, whose orders say who came last; any other is
// std's.
//
// Threads        As std's.
// Memory order   As std's: arrivals happen before the completion, which happens before the waits that it lets through.
// Replay         Threads arrive in the recorded order, so the same one is last and runs the completion.
// Cost           Off: a branch. Recording: two passages of a mutex per arrive_and_wait, and those of a condition.
#pragma once

#include <reprise/condition_variable.h>
#include <reprise/detail/gate.h>
#include <reprise/mutex.h>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace reprise {

namespace detail {

struct NoCompletion {
  void operator()() const noexcept {}
};

// The completion runs while the mutex is held: nobody may arrive then, and who waits must wait for it anyway.
template <typename Completion>
class GatedBarrier {
 public:
  GatedBarrier(std::ptrdiff_t expected, const char* name, Completion completion)
      : mutex_(name), expected_(expected), missing_(expected), completion_(std::move(completion)) {}

  std::uint64_t arrive(std::ptrdiff_t count, std::ptrdiff_t dropped) {
    const std::lock_guard lock(mutex_);
    return arrive_locked(count, dropped);
  }
  void wait(std::uint64_t phase) {
    std::unique_lock lock(mutex_);
    completed_.wait(lock, [&] { return phase_ != phase; });
  }
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t phase = arrive_locked(1, 0);
    completed_.wait(lock, [&] { return phase_ != phase; });
  }

 private:
  std::uint64_t arrive_locked(std::ptrdiff_t count, std::ptrdiff_t dropped) {
    const std::uint64_t phase = phase_;
    expected_ -= dropped;
    missing_ -= count;
    if (missing_ > 0) return phase;
    completion_();
    missing_ = expected_;
    ++phase_;
    completed_.notify_all();
    return phase;
  }

  mutex mutex_;  // guards what follows
  condition_variable completed_;
  std::ptrdiff_t expected_;
  std::ptrdiff_t missing_;
  std::uint64_t phase_{0};
  Completion completion_;
};

}  // namespace detail

template <typename Completion = detail::NoCompletion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>);
  using Native = std::barrier<Completion>;
  using Gated = detail::GatedBarrier<Completion>;

 public:
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend class barrier;
    explicit arrival_token(std::uint64_t phase) : phase_(phase) {}
    explicit arrival_token(typename Native::arrival_token&& native) : native_(std::move(native)) {}
    std::uint64_t phase_{0};
    std::optional<typename Native::arrival_token> native_;
  };

  explicit barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : barrier(expected, nullptr, std::move(completion)) {}
  barrier(std::ptrdiff_t expected, const char* name, Completion completion = Completion()) {
    // Decided once: who arrives through the gate and who does not must meet at the same counter.
    if (gate::installed != nullptr) {
      either_.template emplace<Gated>(expected, name, std::move(completion));
    } else {
      either_.template emplace<Native>(expected, std::move(completion));
    }
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  static constexpr std::ptrdiff_t max() noexcept { return Native::max(); }

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t count = 1) {
    if (Native* native = std::get_if<Native>(&either_)) [[likely]]
      return arrival_token(native->arrive(count));
    return arrival_token(std::get<Gated>(either_).arrive(count, 0));
  }
  void wait(arrival_token&& token) const {
    if (Native* native = std::get_if<Native>(&either_)) [[likely]]
      return native->wait(std::move(*token.native_));
    std::get<Gated>(either_).wait(token.phase_);
  }
  void arrive_and_wait() {
    if (Native* native = std::get_if<Native>(&either_)) [[likely]]
      return native->arrive_and_wait();
    std::get<Gated>(either_).arrive_and_wait();
  }
  void arrive_and_drop() {
    if (Native* native = std::get_if<Native>(&either_)) [[likely]]
      return native->arrive_and_drop();
    std::get<Gated>(either_).arrive(1, 1);
  }

 private:
  mutable std::variant<std::monostate, Native, Gated> either_;
};

}  // namespace reprise
