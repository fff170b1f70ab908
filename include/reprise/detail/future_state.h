// What a promise, task or asynchronous call shares with its futures; users include <reprise/future.h>.
//
// One form in every mode: a mutex, a condition and a counter of owners, all behind the gate. So who made it ready, who
// saw that in time, and who was the last to let go (and runs destructors, or joins) is ordered without a word more.
//
// Threads   Any. The value itself is written before `ready` and read after it.
// Lifetime  Dropped by its last owner. Who makes it ready touches nothing of it after letting the mutex go, so that a
//           waiter may drop it then.
#pragma once

#include <reprise/atomic.h>
#include <reprise/call_once.h>
#include <reprise/detail/condition.h>
#include <reprise/detail/thread_exit.h>
#include <reprise/mutex.h>
#include <reprise/thread.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace reprise {

using std::future_category;
using std::future_errc;
using std::future_error;
using std::future_status;
using std::launch;

namespace detail {

enum class Ready : std::uint8_t { now, at_thread_exit };

class FutureState {
 public:
  FutureState() = default;
  FutureState(const FutureState&) = delete;
  FutureState& operator=(const FutureState&) = delete;

  void share() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    if (std::exchange(deferred_, false)) {
      lock.unlock();
      return run_deferred();
    }
    became_ready_.wait(lock, [this] { return ready_; });
    lock.unlock();
    completed();
  }
  template <typename Clock, typename Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) {
    std::unique_lock lock(mutex_);
    if (deferred_) return future_status::deferred;
    if (!became_ready_.wait_until(lock, time, [this] { return ready_; })) return future_status::timeout;
    lock.unlock();
    completed();
    return future_status::ready;
  }
  template <typename Rep, typename Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& time) {
    if (time <= time.zero()) return poll();
    return wait_until(deadline_after(time));
  }

  void set_exception(std::exception_ptr error, Ready when) {
    set([&] { error_ = std::move(error); }, when);
  }
  // Nobody will make it ready any more.
  void abandon() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(satisfied_, true)) return;
    error_ = std::make_exception_ptr(future_error(future_errc::broken_promise));
    make_ready();
  }
  void claim_future() {
    if (std::exchange(retrieved_, true)) throw future_error(future_errc::future_already_retrieved);
  }

 protected:
  virtual ~FutureState() = default;
  virtual void destroy() { delete this; }
  virtual void run_deferred() {}
  // It was seen ready: whoever made it so has to be gone (async).
  virtual void completed() {}

  void defer() { deferred_ = true; }

  // Takes the right to satisfy it, before the value is known.
  void claim() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(satisfied_, true)) throw future_error(future_errc::promise_already_satisfied);
  }
  // `store` puts the value in its place. When it throws, nothing has happened.
  template <typename Store>
  void set(Store store, Ready when) {
    const std::lock_guard lock(mutex_);
    if (satisfied_) throw future_error(future_errc::promise_already_satisfied);
    store();
    satisfied_ = true;
    publish(when);
  }
  template <typename Store>
  void set_claimed(Store store, Ready when) {
    const std::lock_guard lock(mutex_);
    store();
    publish(when);
  }
  void throw_error() {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

  std::exception_ptr error_;

 private:
  future_status poll() {
    std::unique_lock lock(mutex_);
    if (deferred_) return future_status::deferred;
    if (!ready_) return future_status::timeout;
    lock.unlock();
    completed();
    return future_status::ready;
  }
  void make_ready() {
    ready_ = true;
    became_ready_.notify_all();
  }
  void publish(Ready when) {
    if (when == Ready::now) return make_ready();
    share();
    at_thread_exit(
        [](void* self) {
          auto* state = static_cast<FutureState*>(self);
          {
            const std::lock_guard lock(state->mutex_);
            state->make_ready();
          }
          state->drop();
        },
        this);
  }

  atomic<unsigned> owners_{1};
  mutex mutex_;  // guards what follows, and error_ and the value until ready
  condition_variable became_ready_;
  bool ready_{false};
  bool satisfied_{false};
  bool deferred_{false};
  bool retrieved_{false};  // of the promise alone; as in std, only one thread may ask
};

template <typename R>
class ValueState : public FutureState {
 public:
  template <typename Value>
  void set_value(Value&& value, Ready when) {
    set([&] { value_.emplace(std::forward<Value>(value)); }, when);
  }
  R take() {
    throw_error();
    R result = std::move(*value_);
    value_.reset();
    return result;
  }
  const R& look() {
    throw_error();
    return *value_;
  }

 protected:
  template <typename Produce>
  void produce(Produce produce, Ready when) {
    auto&& result = produce();
    set_claimed([&] { value_.emplace(std::forward<decltype(result)>(result)); }, when);
  }

 private:
  std::optional<R> value_;
};

template <typename R>
class ValueState<R&> : public FutureState {
 public:
  void set_value(R& value, Ready when) {
    set([&] { value_ = &value; }, when);
  }
  R& take() { return look(); }
  R& look() {
    throw_error();
    return *value_;
  }

 protected:
  template <typename Produce>
  void produce(Produce produce, Ready when) {
    R& result = produce();
    set_claimed([&] { value_ = &result; }, when);
  }

 private:
  R* value_{nullptr};
};

template <>
class ValueState<void> : public FutureState {
 public:
  void set_value(Ready when) {
    set([] {}, when);
  }
  void take() { throw_error(); }
  void look() { throw_error(); }

 protected:
  template <typename Produce>
  void produce(Produce produce, Ready when) {
    produce();
    set_claimed([] {}, when);
  }
};

// A state that some function will satisfy.
template <typename R>
class FunctionState : public ValueState<R> {
 protected:
  // Runs `produce` and keeps what it returned or threw. The state must have been claimed.
  template <typename Produce>
  void keep_outcome(Produce produce, Ready when) {
    try {
      this->produce(produce, when);
    } catch (...) {
      this->set_claimed([this] { this->error_ = std::current_exception(); }, when);
    }
  }
};

// A counted pointer to a state.
template <typename State>
class StatePointer {
 public:
  StatePointer() noexcept = default;
  explicit StatePointer(State* fresh) noexcept : state_(fresh) {}
  StatePointer(const StatePointer& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->share();
  }
  StatePointer(StatePointer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  template <typename Derived>
  explicit StatePointer(StatePointer<Derived>&& other) noexcept : state_(other.release()) {}
  StatePointer& operator=(StatePointer other) noexcept {
    swap(other);
    return *this;
  }
  ~StatePointer() {
    if (state_ != nullptr) state_->drop();
  }

  void swap(StatePointer& other) noexcept { std::swap(state_, other.state_); }
  State* release() noexcept { return std::exchange(state_, nullptr); }
  State* get() const noexcept { return state_; }
  explicit operator bool() const noexcept { return state_ != nullptr; }
  // Errors: no_state.
  State& operator*() const {
    if (state_ == nullptr) throw future_error(future_errc::no_state);
    return *state_;
  }
  State* operator->() const { return &**this; }

 private:
  State* state_{nullptr};
};

// A state in memory of the user's allocator.
template <typename R, typename Allocator>
class AllocatedState final : public ValueState<R> {
  using Own = typename std::allocator_traits<Allocator>::template rebind_alloc<AllocatedState>;

 public:
  explicit AllocatedState(const Own& allocator) : allocator_(allocator) {}
  static AllocatedState* make(const Allocator& allocator) {
    Own own(allocator);
    AllocatedState* place = std::allocator_traits<Own>::allocate(own, 1);
    return ::new (static_cast<void*>(place)) AllocatedState(own);
  }

 private:
  void destroy() override {
    Own own(std::move(allocator_));
    this->~AllocatedState();
    std::allocator_traits<Own>::deallocate(own, this, 1);
  }
  Own allocator_;
};

// What std::async(launch::async) makes: its thread is joined by whoever sees the result first, or by the last owner.
template <typename R, typename Call>
class AsyncState final : public FunctionState<R> {
 public:
  explicit AsyncState(Call call) : call_(std::move(call)) { this->claim(); }

  void start() {
    thread_ = thread([this] { this->keep_outcome([this]() -> R { return std::move(call_)(); }, Ready::now); });
  }

 private:
  ~AsyncState() override { join(); }
  void completed() override { join(); }
  void join() {
    call_once(joined_, [this] {
      if (thread_.joinable()) thread_.join();
    });
  }

  Call call_;
  once_flag joined_;
  thread thread_;
};

// What std::async(launch::deferred) makes: the first to wait for it runs it.
template <typename R, typename Call>
class DeferredState final : public FunctionState<R> {
 public:
  explicit DeferredState(Call call) : call_(std::move(call)) {
    this->claim();
    this->defer();
  }

 private:
  void run_deferred() override {
    this->keep_outcome([this]() -> R { return std::move(call_)(); }, Ready::now);
  }

  Call call_;
};

template <typename R, typename... Arguments>
class TaskState : public FunctionState<R> {
 public:
  virtual void run(Ready when, Arguments... arguments) = 0;
  // A new state for the same function, which moves there.
  virtual TaskState* renew() = 0;
};

template <typename Function, typename R, typename... Arguments>
class TaskStateOf final : public TaskState<R, Arguments...> {
 public:
  template <typename Argument>
  explicit TaskStateOf(std::in_place_t, Argument&& function) : function_(std::forward<Argument>(function)) {}

  void run(Ready when, Arguments... arguments) override {
    this->claim();
    this->keep_outcome([&]() -> R { return std::invoke(function_, std::forward<Arguments>(arguments)...); }, when);
  }
  TaskState<R, Arguments...>* renew() override { return new TaskStateOf(std::in_place, std::move(function_)); }

 private:
  Function function_;
};

}  // namespace detail
}  // namespace reprise
