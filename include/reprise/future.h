// reprise::promise, future, shared_future, packaged_task, async: drop-in for their std namesakes. The errors, statuses
// and launch policies are std's own.
//
//   reprise::future<int> sum = reprise::async(reprise::launch::async, add, 1, 2);
//   int three = sum.get();
//
// Threads        As std's.
// Memory order   As std's: making ready happens before a wait that sees it.
// Errors         future_error and what was thrown, as std's. A task that ends by pthread_exit is not supported.
// Replay         Who waits, in what order, and whether a timed wait came too early is as recorded; no time-out waits.
// The
//                last owner is the recorded one, so destructors and joins happen in the same thread.
// Cost           One form in every mode. Off: near std's, with one allocation where std has two.
#pragma once

#include <reprise/detail/future_state.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace reprise {

template <typename R>
class shared_future;

namespace detail {

template <typename R>
class BasicFuture {
 public:
  bool valid() const noexcept { return static_cast<bool>(state_); }
  void wait() const { state_->wait(); }
  template <typename Rep, typename Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return state_->wait_for(time);
  }
  template <typename Clock, typename Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return state_->wait_until(time);
  }

 protected:
  BasicFuture() noexcept = default;
  explicit BasicFuture(StatePointer<ValueState<R>> state) noexcept : state_(std::move(state)) {}

  StatePointer<ValueState<R>> state_;
};

}  // namespace detail

template <typename R>
class future : public detail::BasicFuture<R> {
 public:
  future() noexcept = default;
  explicit future(detail::StatePointer<detail::ValueState<R>> state) noexcept
      : detail::BasicFuture<R>(std::move(state)) {}
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;
  future(const future&) = delete;
  future& operator=(const future&) = delete;

  // Afterwards it is not valid any more.
  R get() {
    const auto state = std::move(this->state_);
    state->wait();
    return state->take();
  }
  shared_future<R> share() noexcept;

 private:
  friend class shared_future<R>;
};

template <typename R>
class shared_future : public detail::BasicFuture<R> {
 public:
  shared_future() noexcept = default;
  shared_future(future<R>&& other) noexcept  // NOLINT(google-explicit-constructor): as std's
      : detail::BasicFuture<R>(std::move(other.state_)) {}
  shared_future(const shared_future&) noexcept = default;
  shared_future(shared_future&&) noexcept = default;
  shared_future& operator=(const shared_future&) noexcept = default;
  shared_future& operator=(shared_future&&) noexcept = default;

  std::conditional_t<std::is_object_v<R>, std::add_lvalue_reference_t<const R>, R> get() const {
    this->state_->wait();
    return this->state_->look();
  }
};

template <typename R>
shared_future<R> future<R>::share() noexcept {
  return shared_future<R>(std::move(*this));
}

namespace detail {

template <typename R>
class BasicPromise {
 public:
  BasicPromise() : state_(new ValueState<R>) {}
  template <typename Allocator>
  BasicPromise(std::allocator_arg_t, const Allocator& allocator)
      : state_(AllocatedState<R, Allocator>::make(allocator)) {}
  BasicPromise(BasicPromise&&) noexcept = default;
  BasicPromise& operator=(BasicPromise&& other) noexcept {
    BasicPromise(std::move(other)).swap(*this);
    return *this;
  }
  BasicPromise(const BasicPromise&) = delete;
  BasicPromise& operator=(const BasicPromise&) = delete;
  ~BasicPromise() {
    if (state_) state_->abandon();
  }

  void swap(BasicPromise& other) noexcept { state_.swap(other.state_); }
  // Errors: future_already_retrieved, no_state.
  future<R> get_future() {
    state_->claim_future();
    return future<R>(state_);
  }
  // Errors of this and all that follow: promise_already_satisfied, no_state.
  void set_exception(std::exception_ptr error) { state_->set_exception(std::move(error), Ready::now); }
  void set_exception_at_thread_exit(std::exception_ptr error) {
    state_->set_exception(std::move(error), Ready::at_thread_exit);
  }

 protected:
  StatePointer<ValueState<R>> state_;
};

}  // namespace detail

template <typename R>
class promise : public detail::BasicPromise<R> {
 public:
  using detail::BasicPromise<R>::BasicPromise;
  void set_value(const R& value) { this->state_->set_value(value, detail::Ready::now); }
  void set_value(R&& value) { this->state_->set_value(std::move(value), detail::Ready::now); }
  void set_value_at_thread_exit(const R& value) { this->state_->set_value(value, detail::Ready::at_thread_exit); }
  void set_value_at_thread_exit(R&& value) { this->state_->set_value(std::move(value), detail::Ready::at_thread_exit); }
};

template <typename R>
class promise<R&> : public detail::BasicPromise<R&> {
 public:
  using detail::BasicPromise<R&>::BasicPromise;
  void set_value(R& value) { this->state_->set_value(value, detail::Ready::now); }
  void set_value_at_thread_exit(R& value) { this->state_->set_value(value, detail::Ready::at_thread_exit); }
};

template <>
class promise<void> : public detail::BasicPromise<void> {
 public:
  using BasicPromise::BasicPromise;
  void set_value() { state_->set_value(detail::Ready::now); }
  void set_value_at_thread_exit() { state_->set_value(detail::Ready::at_thread_exit); }
};

template <typename R>
void swap(promise<R>& a, promise<R>& b) noexcept {
  a.swap(b);
}

namespace detail {

template <typename Function>
struct SignatureOf;
template <typename Signature>
struct SignatureOf<std::function<Signature>> {
  using type = Signature;
};

}  // namespace detail

template <typename Signature>
class packaged_task;

template <typename R, typename... Arguments>
class packaged_task<R(Arguments...)> {
  using State = detail::TaskState<R, Arguments...>;

 public:
  packaged_task() noexcept = default;
  template <typename Function>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it is not one for a packaged_task
  requires(!std::is_same_v<std::remove_cvref_t<Function>, packaged_task>) explicit packaged_task(Function&& function)
      : state_(new detail::TaskStateOf<std::decay_t<Function>, R, Arguments...>(std::in_place,
                                                                                std::forward<Function>(function))) {}
  packaged_task(packaged_task&&) noexcept = default;
  packaged_task& operator=(packaged_task&& other) noexcept {
    packaged_task(std::move(other)).swap(*this);
    return *this;
  }
  packaged_task(const packaged_task&) = delete;
  packaged_task& operator=(const packaged_task&) = delete;
  ~packaged_task() {
    if (state_) state_->abandon();
  }

  bool valid() const noexcept { return static_cast<bool>(state_); }
  void swap(packaged_task& other) noexcept { state_.swap(other.state_); }
  // Errors: future_already_retrieved, no_state.
  future<R> get_future() {
    state_->claim_future();
    return future<R>(detail::StatePointer<detail::ValueState<R>>(detail::StatePointer<State>(state_)));
  }
  // Errors of both: promise_already_satisfied (it ran before), no_state.
  void operator()(Arguments... arguments) { state_->run(detail::Ready::now, std::forward<Arguments>(arguments)...); }
  void make_ready_at_thread_exit(Arguments... arguments) {
    state_->run(detail::Ready::at_thread_exit, std::forward<Arguments>(arguments)...);
  }
  void reset() {
    detail::StatePointer<State> fresh(state_->renew());
    state_->abandon();
    state_ = std::move(fresh);
  }

 private:
  detail::StatePointer<State> state_;
};

template <typename R, typename... Arguments>
packaged_task(R (*)(Arguments...)) -> packaged_task<R(Arguments...)>;
template <typename Function>
packaged_task(Function)
    -> packaged_task<typename detail::SignatureOf<decltype(std::function(std::declval<Function>()))>::type>;

template <typename Signature>
void swap(packaged_task<Signature>& a, packaged_task<Signature>& b) noexcept {
  a.swap(b);
}

// Errors: std::system_error when no thread can be started.
template <typename Function, typename... Arguments>
[[nodiscard]] auto async(launch policy, Function&& function, Arguments&&... arguments)
    -> future<std::invoke_result_t<std::decay_t<Function>, std::decay_t<Arguments>...>> {
  using R = std::invoke_result_t<std::decay_t<Function>, std::decay_t<Arguments>...>;
  using State = detail::ValueState<R>;
  auto call = [function = std::decay_t<Function>(std::forward<Function>(function)),
               arguments =
                   std::tuple<std::decay_t<Arguments>...>(std::forward<Arguments>(arguments)...)]() mutable -> R {
    return std::apply([&](auto&&... all) -> R { return std::invoke(std::move(function), std::move(all)...); },
                      std::move(arguments));
  };
  using Call = decltype(call);
  if ((policy & launch::async) == launch::async) {
    auto* state = new detail::AsyncState<R, Call>(std::move(call));
    detail::StatePointer<State> owner(state);
    state->start();
    return future<R>(std::move(owner));
  }
  return future<R>(detail::StatePointer<State>(new detail::DeferredState<R, Call>(std::move(call))));
}

template <typename Function, typename... Arguments>
requires(!std::is_same_v<std::decay_t<Function>, launch>)
    [[nodiscard]] auto async(Function&& function, Arguments&&... arguments)
        -> future<std::invoke_result_t<std::decay_t<Function>, std::decay_t<Arguments>...>> {
  return reprise::async(launch::async | launch::deferred, std::forward<Function>(function),
                        std::forward<Arguments>(arguments)...);
}

}  // namespace reprise

template <typename R, typename Allocator>
struct std::uses_allocator<reprise::promise<R>, Allocator> : std::true_type {};
