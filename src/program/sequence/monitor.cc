#include <reprise/monitor.h>

#include <utility>

#include "program/sequence/plan.h"

namespace reprise {

monitor::monitor(std::string_view name)
    : name_(name),
      mutex_(name_.c_str()),
      turn_(name_.c_str()),
      planned_(detail::plan() == nullptr ? nullptr : detail::plan()->monitor(name_)) {}
monitor::~monitor() = default;

// A plan of entries only leaves all else to them.
bool monitor::is_turn(std::string_view type, std::string_view method, std::string_view condition) const {
  const bool is_entry = type == "entry" || type == "reentry";
  const bool is_over = next_ >= planned_->events.size();
  if (!planned_->is_whole && (!is_entry || next_ > planned_->events.size())) return true;
  const detail::Actor self = detail::this_actor();
  if (is_over) return !planned_->is_whole && !self.is_in(planned_->not_next);
  const detail::PlannedEvent& event = planned_->events[next_];
  if (!planned_->is_whole) return self.is(event.thread);
  return event.type == type && self.is(event.thread) && event.method == method && event.condition == condition;
}

void monitor::await_turn(std::unique_lock<mutex>& lock, std::string_view type, std::string_view method,
                         std::string_view condition) {
  if (planned_ == nullptr) return;
  const std::string what = std::string(type) + ' ' + name_ + ':' + std::string(method);
  bool has_told = false;
  while (!is_turn(type, method, condition)) {
    if (planned_->is_whole && next_ >= planned_->events.size()) detail::hold(what);
    if (!std::exchange(has_told, true)) detail::wants(what);
    turn_.wait(lock);
  }
}

void monitor::note(const char* type, std::uint64_t all, std::string_view condition) {
  if (planned_ != nullptr) {
    const std::string_view listed = condition == "NA" ? std::string_view() : condition;
    if (!is_turn(type, method_, listed)) detail::hold(std::string(type) + ' ' + name_ + ':' + method_);
    if (planned_->is_whole || type == std::string_view("entry") || type == std::string_view("reentry")) ++next_;
    turn_.notify_all();
  }
  ++order_;
  if (gate::current == nullptr) return;
  std::string text = type;
  text += ' ' + std::to_string(order_) + ' ' + std::to_string(all) + ' ';
  text += condition;
  detail::note(Kind::monitor, name_ + ':' + method_, text);
}

monitor::entry::entry(monitor& here, const char* method) : here_(here) {
  std::unique_lock lock(here.mutex_);
  here.await_turn(lock, "entry", method, {});
  here.lock_ = std::move(lock);
  here.method_ = method;
  here.note("entry", ++detail::counted().all, "NA");
}

monitor::entry::~entry() {
  here_.note("exit", 0, "NA");
  std::unique_lock lock = std::move(here_.lock_);  // nobody else touches lock_ before it is unlocked
}

monitor::condition::condition(monitor& here, std::string_view name) : here_(here), name_(name), woken_(name_.c_str()) {}
monitor::condition::~condition() = default;

void monitor::condition::wait() {
  const char* const method = here_.method_;
  here_.note("wait", 0, name_);
  Waiter self;
  waiters_.push_back(&self);
  std::unique_lock lock = std::move(here_.lock_);
  while (!self.is_signalled) woken_.wait(lock);
  here_.await_turn(lock, "reentry", method, name_);
  here_.lock_ = std::move(lock);
  here_.method_ = method;
  here_.note("reentry", 0, name_);
}

void monitor::condition::signal() {
  here_.note("signal", 0, name_);
  if (waiters_.empty()) return;
  waiters_.front()->is_signalled = true;
  waiters_.pop_front();
  woken_.notify_all();
}

void monitor::condition::signal_all() {
  here_.note("signal", 0, name_);
  for (Waiter* waiter : std::exchange(waiters_, {})) waiter->is_signalled = true;
  woken_.notify_all();
}

// ---- semaphore ----

semaphore::semaphore(std::ptrdiff_t count, std::string_view name)
    : name_(name), mutex_(name_.c_str()), released_(name_.c_str()), count_(count) {}
semaphore::~semaphore() = default;

void semaphore::note(const char* type) {
  ++order_;
  if (gate::current == nullptr) return;
  detail::note(Kind::semaphore, name_, std::string(type) + ' ' + std::to_string(order_));
}

void semaphore::P() {
  std::unique_lock lock(mutex_);
  while (count_ == 0) released_.wait(lock);
  --count_;
  note("P");
}

void semaphore::V() {
  const std::lock_guard lock(mutex_);
  ++count_;
  note("V");
  released_.notify_one();
}

}  // namespace reprise
