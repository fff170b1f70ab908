#include <reprise/monitor.h>

#include <utility>

namespace reprise {

monitor::monitor(std::string_view name) : name_(name), mutex_(name_.c_str()) {}
monitor::~monitor() = default;

void monitor::note(const char* type, std::uint64_t all, std::string_view condition) {
  ++order_;
  if (gate::current == nullptr) return;
  std::string text = type;
  text += ' ' + std::to_string(order_) + ' ' + std::to_string(all) + ' ';
  text += condition;
  detail::note(Kind::monitor, name_ + ':' + method_, text);
}

monitor::entry::entry(monitor& here, const char* method) : here_(here) {
  std::unique_lock lock(here.mutex_);
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
