#include <reprise/monitor.h>

#include <utility>

#include "program/sequence/plan.h"

namespace reprise {

monitor::monitor(std::string_view name)
    : name_(name),
      label_("monitor " + name_),
      planned_(detail::plan() == nullptr ? nullptr : detail::plan()->monitor(name_)),
      mutex_(label_.c_str(), gate::Own{planned_ != nullptr}),
      turn_(label_.c_str(), gate::Own{planned_ != nullptr}) {}
monitor::~monitor() = default;

bool monitor::is_turn(std::string_view type, std::string_view method, std::string_view condition) const {
  using detail::Extent;
  const bool is_entry = type == "entry" || type == "reentry";
  if (planned_->extent != Extent::whole && !is_entry) return true;
  const detail::Actor self = detail::this_actor();
  if (next_ >= planned_->events.size()) return false;
  const detail::PlannedEvent& event = planned_->events[next_];
  if (planned_->extent != Extent::whole) return self.is(event.thread);
  return event.type == type && self.is(event.thread) && event.method == method && event.condition == condition;
}

void monitor::await_turn(std::unique_lock<mutex>& lock, std::string_view type, std::string_view method,
                         std::string_view condition) {
  if (planned_ == nullptr) return;
  if (planned_->extent == detail::Extent::entries) detail::own_entry(name_);
  const std::string what = std::string(type) + ' ' + name_ + ':' + std::string(method);
  bool has_told = false;
  while (!is_turn(type, method, condition)) {
    if (next_ >= planned_->events.size()) detail::hold(what, &lock);
    if (!std::exchange(has_told, true)) detail::wants(what);
    turn_.wait(lock);
  }
}

void monitor::note(const char* type, std::uint64_t all, std::string_view condition) {
  if (planned_ != nullptr) {
    const std::string_view listed = condition == "NA" ? std::string_view() : condition;
    if (!is_turn(type, method_, listed)) detail::hold(std::string(type) + ' ' + name_ + ':' + method_);
    if (planned_->extent == detail::Extent::whole || type == std::string_view("entry") ||
        type == std::string_view("reentry"))
      ++next_;
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
  here_.note("exit", detail::counted().all, "NA");
  std::unique_lock lock = std::move(here_.lock_);  // nobody else touches lock_ before it is unlocked
}

monitor::condition::condition(monitor& here, std::string_view name)
    : here_(here), name_(name), woken_(name_.c_str(), gate::Own{here.planned_ != nullptr}) {}
monitor::condition::~condition() = default;

void monitor::condition::wait() {
  const char* const method = here_.method_;
  here_.note("wait", detail::counted().all, name_);
  Waiter self;
  waiters_.push_back(&self);
  std::unique_lock lock = std::move(here_.lock_);
  while (!self.is_signalled) woken_.wait(lock);
  here_.await_turn(lock, "reentry", method, name_);
  here_.lock_ = std::move(lock);
  here_.method_ = method;
  here_.note("reentry", detail::counted().all, name_);
}

void monitor::condition::signal() {
  here_.note("signal", detail::counted().all, name_);
  if (waiters_.empty()) return;
  waiters_.front()->is_signalled = true;
  waiters_.pop_front();
  woken_.notify_all();
}

void monitor::condition::signal_all() {
  here_.note("signal", detail::counted().all, name_);
  for (Waiter* waiter : std::exchange(waiters_, {})) waiter->is_signalled = true;
  woken_.notify_all();
}

// ---- semaphore ----

semaphore::semaphore(std::ptrdiff_t count, std::string_view name)
    : name_(name),
      planned_(detail::plan() == nullptr ? nullptr : detail::plan()->semaphore(name_)),
      mutex_(name_.c_str(), gate::Own{planned_ != nullptr}),
      released_(name_.c_str(), gate::Own{planned_ != nullptr}),
      count_(count) {}
semaphore::~semaphore() = default;

void semaphore::note(const char* type) {
  ++order_;
  if (gate::current == nullptr) return;
  detail::note(Kind::semaphore, name_,
               std::string(type) + ' ' + std::to_string(order_) + ' ' + std::to_string(detail::counted().all));
}

void semaphore::await_turn(std::unique_lock<mutex>& lock, std::string_view type) {
  if (planned_ == nullptr) return;
  const detail::Actor self = detail::this_actor();
  const std::string what = std::string(type) + ' ' + name_;
  bool has_told = false;
  for (;;) {
    if (order_ >= planned_->events.size()) {
      if (type == "V" || count_ > 0) detail::hold(what, &lock);  // else it is blocked, as it may be at the end
    } else {
      const detail::PlannedEvent& event = planned_->events[order_];
      if (event.type == type && self.is(event.thread)) return;
    }
    if (!std::exchange(has_told, true)) detail::wants(what);
    released_.wait(lock);
  }
}

void semaphore::P() {
  std::unique_lock lock(mutex_);
  await_turn(lock, "P");
  if (planned_ != nullptr && count_ == 0) detail::wants("P " + name_);
  while (count_ == 0) released_.wait(lock);
  --count_;
  note("P");
  if (planned_ != nullptr) released_.notify_all();
}

void semaphore::V() {
  std::unique_lock lock(mutex_);
  await_turn(lock, "V");
  ++count_;
  note("V");
  if (planned_ != nullptr) {
    released_.notify_all();
  } else {
    released_.notify_one();
  }
}

}  // namespace reprise
