// reprise::thread, jthread and this_thread: drop-in for their std namesakes.
//
//   reprise::jthread worker([](reprise::stop_token stop) { while (!stop.stop_requested()) work(); });
//
// A thread is named by its path of creation: main is 0, its third child 0.2. Threads made by other means (std::async, a
// library) are followed too, since pthread_create is.
//
// Threads   As std's.
// Replay    Ids print the same in every run; hardware_concurrency gives the recorded number; sleeps return at once.
#pragma once

#include <reprise/chrono.h>
#include <reprise/detail/gate.h>
#include <reprise/detail/time.h>
#include <reprise/stop_token.h>
#include <reprise/value.h>

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

namespace reprise {

namespace gate {
// The index of the thread that the calling thread started last; 0 when nothing stands behind the gate.
REPRISE_API std::uint32_t last_spawned() noexcept;
}  // namespace gate

class thread {
 public:
  using native_handle_type = std::thread::native_handle_type;

  class id {
   public:
    id() noexcept = default;
    friend bool operator==(const id& a, const id& b) noexcept {
      return a.index_ == b.index_ && (a.index_ != 0 || a.native_ == b.native_);
    }
    friend std::strong_ordering operator<=>(const id& a, const id& b) noexcept {
      if (a.index_ != 0 || b.index_ != 0) return a.index_ <=> b.index_;
      return a.native_ <=> b.native_;
    }
    friend std::ostream& operator<<(std::ostream& stream, const id& shown) {
      if (shown.index_ != 0) return stream << shown.index_;
      return stream << shown.native_;
    }

   private:
    friend class thread;
    friend struct std::hash<id>;
    friend id this_thread_id() noexcept;
    id(std::thread::id native, std::uint32_t index) noexcept : native_(native), index_(index) {}
    std::thread::id native_;
    std::uint32_t index_{0};  // stable from run to run; 0 when nothing stands behind the gate
  };

  thread() noexcept = default;
  template <typename Function, typename... Arguments>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, thread>) explicit thread(Function&& function,
                                                                                   Arguments&&... arguments)
      : native_(std::forward<Function>(function), std::forward<Arguments>(arguments)...),
        index_(gate::last_spawned()) {}
  thread(thread&& other) noexcept : native_(std::move(other.native_)), index_(std::exchange(other.index_, 0)) {}
  thread& operator=(thread&& other) noexcept {
    native_ = std::move(other.native_);
    index_ = std::exchange(other.index_, 0);
    return *this;
  }

  void swap(thread& other) noexcept {
    native_.swap(other.native_);
    std::swap(index_, other.index_);
  }
  bool joinable() const noexcept { return native_.joinable(); }
  void join() {
    native_.join();
    index_ = 0;
  }
  void detach() {
    native_.detach();
    index_ = 0;
  }
  id get_id() const noexcept { return {native_.get_id(), index_}; }
  native_handle_type native_handle() { return native_.native_handle(); }
  static unsigned hardware_concurrency() noexcept {
    return value("hardware_concurrency", [] { return std::thread::hardware_concurrency(); });
  }

 private:
  std::thread native_;
  std::uint32_t index_{0};
};

inline void swap(thread& a, thread& b) noexcept { a.swap(b); }

inline thread::id this_thread_id() noexcept {
  const gate::Thread* thread = gate::current;
  return {std::this_thread::get_id(), thread != nullptr ? thread->index : 0};
}

class jthread {
 public:
  using id = thread::id;
  using native_handle_type = thread::native_handle_type;

  jthread() noexcept : stop_(nostopstate) {}
  template <typename Function, typename... Arguments>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, jthread>) explicit jthread(Function&& function,
                                                                                     Arguments&&... arguments)
      : native_(start(stop_, std::forward<Function>(function), std::forward<Arguments>(arguments)...)) {}
  jthread(jthread&&) noexcept = default;
  jthread& operator=(jthread&& other) noexcept {
    jthread(std::move(other)).swap(*this);
    return *this;
  }
  ~jthread() {
    if (!joinable()) return;
    request_stop();
    join();
  }

  void swap(jthread& other) noexcept {
    std::swap(stop_, other.stop_);
    native_.swap(other.native_);
  }
  bool joinable() const noexcept { return native_.joinable(); }
  void join() { native_.join(); }
  void detach() { native_.detach(); }
  id get_id() const noexcept { return native_.get_id(); }
  native_handle_type native_handle() { return native_.native_handle(); }
  stop_source get_stop_source() noexcept { return stop_; }
  stop_token get_stop_token() const noexcept { return stop_.get_token(); }
  bool request_stop() noexcept { return stop_.request_stop(); }
  static unsigned hardware_concurrency() noexcept { return thread::hardware_concurrency(); }

 private:
  template <typename Function, typename... Arguments>
  static thread start(stop_source& stop, Function&& function, Arguments&&... arguments) {
    if constexpr (std::is_invocable_v<std::decay_t<Function>, stop_token, std::decay_t<Arguments>...>) {
      return thread(std::forward<Function>(function), stop.get_token(), std::forward<Arguments>(arguments)...);
    } else {
      return thread(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
    }
  }

  stop_source stop_;
  thread native_;
};

namespace this_thread {

inline thread::id get_id() noexcept { return this_thread_id(); }

inline void yield() noexcept { std::this_thread::yield(); }

template <typename Rep, typename Period>
void sleep_for(const std::chrono::duration<Rep, Period>& time) {
  gate::Thread* thread = gate::current;
  if (thread != nullptr) thread->gate->step(*thread, Kind::sleep, 0);
  if (thread == nullptr || thread->gate->lives()) std::this_thread::sleep_for(time);
  if (thread != nullptr) thread->done();
}

template <typename Clock, typename Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  gate::Thread* thread = gate::current;
  if (thread != nullptr) thread->gate->step(*thread, Kind::sleep, 0);
  if (thread == nullptr || thread->gate->lives()) std::this_thread::sleep_until(detail::native_time(time));
  if (thread != nullptr) thread->done();
}

}  // namespace this_thread

}  // namespace reprise

template <>
struct std::hash<reprise::thread::id> {
  std::size_t operator()(const reprise::thread::id& id) const noexcept {
    return id.index_ != 0 ? std::hash<std::uint32_t>()(id.index_) : std::hash<std::thread::id>()(id.native_);
  }
};
