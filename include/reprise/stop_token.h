// reprise::stop_source, stop_token, stop_callback: drop-in for their std namesakes.
//
// Threads        As std's.
// Memory order   As std's: request_stop happens before a stop_requested that sees it, and before the callbacks.
// Replay         Whether a stop was seen, and which thread ran the callbacks, is as recorded.
#pragma once

#include <reprise/atomic.h>
#include <reprise/detail/condition.h>
#include <reprise/mutex.h>

#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace reprise {

namespace detail {

struct StopCallbackBase {
  virtual void run() noexcept = 0;

 protected:
  ~StopCallbackBase() = default;
};

// Shared by a source, its tokens and callbacks.
class StopState {
 public:
  bool requested() const noexcept { return requested_.load(); }

  bool request() noexcept {
    if (requested_.exchange(true)) return false;
    std::unique_lock lock(mutex_);
    while (!callbacks_.empty()) {
      StopCallbackBase* callback = callbacks_.front();
      callbacks_.pop_front();
      running_ = callback;
      runner_ = std::this_thread::get_id();
      lock.unlock();
      callback->run();
      lock.lock();
      running_ = nullptr;
      done_.notify_all();
    }
    return true;
  }

  // Returns false when the stop was requested already: the caller runs the callback itself.
  bool add(StopCallbackBase* callback) {
    const std::lock_guard lock(mutex_);
    if (requested_.load()) return false;
    callbacks_.push_back(callback);
    return true;
  }

  // After this the callback neither runs nor will; a callback may remove itself.
  void remove(StopCallbackBase* callback) noexcept {
    std::unique_lock lock(mutex_);
    callbacks_.remove(callback);
    if (running_ == callback && runner_ == std::this_thread::get_id()) return;
    while (running_ == callback) done_.wait(lock);
  }

  void add_source() noexcept { sources_.fetch_add(1, std::memory_order_relaxed); }
  void drop_source() noexcept { sources_.fetch_sub(1, std::memory_order_relaxed); }
  bool has_source() const noexcept { return sources_.load(std::memory_order_relaxed) > 0; }

 private:
  atomic<bool> requested_{false};
  mutex mutex_;  // guards what follows
  condition_variable done_;
  std::list<StopCallbackBase*> callbacks_;
  StopCallbackBase* running_{nullptr};
  std::thread::id runner_{};
  atomic<unsigned> sources_{1};
};

}  // namespace detail

struct nostopstate_t {
  explicit nostopstate_t() = default;
};
inline constexpr nostopstate_t nostopstate{};

class stop_token {
 public:
  stop_token() noexcept = default;
  bool stop_requested() const noexcept { return state_ != nullptr && state_->requested(); }
  bool stop_possible() const noexcept { return state_ != nullptr && (state_->has_source() || state_->requested()); }
  void swap(stop_token& other) noexcept { state_.swap(other.state_); }
  friend bool operator==(const stop_token& a, const stop_token& b) noexcept { return a.state_ == b.state_; }

 private:
  friend class stop_source;
  template <typename Callback>
  friend class stop_callback;
  explicit stop_token(std::shared_ptr<detail::StopState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<detail::StopState> state_;
};

class stop_source {
 public:
  stop_source() : state_(std::make_shared<detail::StopState>()) {}
  explicit stop_source(nostopstate_t) noexcept {}
  stop_source(const stop_source& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_source();
  }
  stop_source(stop_source&& other) noexcept = default;
  stop_source& operator=(stop_source other) noexcept {
    state_.swap(other.state_);
    return *this;
  }
  ~stop_source() {
    if (state_ != nullptr) state_->drop_source();
  }

  bool request_stop() noexcept { return state_ != nullptr && state_->request(); }
  bool stop_requested() const noexcept { return state_ != nullptr && state_->requested(); }
  bool stop_possible() const noexcept { return state_ != nullptr; }
  stop_token get_token() const noexcept { return stop_token(state_); }
  void swap(stop_source& other) noexcept { state_.swap(other.state_); }
  friend bool operator==(const stop_source& a, const stop_source& b) noexcept { return a.state_ == b.state_; }

 private:
  std::shared_ptr<detail::StopState> state_;
};

template <typename Callback>
class stop_callback : private detail::StopCallbackBase {
 public:
  using callback_type = Callback;

  template <typename Argument>
  explicit stop_callback(const stop_token& token, Argument&& callback)
      : callback_(std::forward<Argument>(callback)), state_(token.state_) {
    if (state_ != nullptr && !state_->add(this)) {
      state_.reset();
      run();
    }
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;
  ~stop_callback() {
    if (state_ != nullptr) state_->remove(this);
  }

 private:
  void run() noexcept override { std::forward<Callback>(callback_)(); }
  Callback callback_;
  std::shared_ptr<detail::StopState> state_;
};

template <typename Callback>
stop_callback(stop_token, Callback) -> stop_callback<Callback>;

}  // namespace reprise
