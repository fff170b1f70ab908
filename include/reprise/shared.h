// reprise::shared<T>: a value that many threads may read at once and one may write (the shared object of CARE).
//
//   reprise::shared<std::map<std::string, int>> prices{"prices"};
//   prices.write()->emplace("tea", 3);
//   int tea = prices.read()->at("tea");
//   int sum = prices.read([](const auto& all) { return total(all); });
//
// Access is by scope: the guard that read() and write() return holds the lock, cannot be copied, and lets go at its
// end. There is no other way to the value, so it cannot be touched unguarded.
//
// Threads   Any. Readers do not wait for each other. A thread that holds a guard must not ask for another of the same
//           object.
// Replay    Each read sees the version (the number of writes before it) that it saw when recorded. At level data the
//           contents of a version that is new to the thread are kept too and compared on replay; reprise::contents<T>
//           says how a T is turned into bytes.
// Cost      Recording, a read of a version seen before: no bytes, at any level (shared_mutex.h).
#pragma once

#include <reprise/contents.h>
#include <reprise/shared_mutex.h>

#include <string>
#include <utility>

namespace reprise {

template <typename T>
class shared {
 public:
  shared() = default;
  explicit shared(const char* name) : mutex_(name) {}
  template <typename... Arguments>
  explicit shared(const char* name, std::in_place_t, Arguments&&... arguments)
      : mutex_(name), value_(std::forward<Arguments>(arguments)...) {}
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;

  class [[nodiscard]] reader {
   public:
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader() { owner_.mutex_.unlock_shared(); }
    const T& operator*() const noexcept { return owner_.value_; }
    const T* operator->() const noexcept { return &owner_.value_; }

   private:
    friend class shared;
    explicit reader(const shared& owner) : owner_(owner) {
      owner_.mutex_.lock_shared();
      detail::keep_contents(const_cast<T&>(owner_.value_));  // changed only where no other thread is
    }
    const shared& owner_;
  };

  class [[nodiscard]] writer {
   public:
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer() { owner_.mutex_.unlock(); }
    T& operator*() noexcept { return owner_.value_; }
    T* operator->() noexcept { return &owner_.value_; }

   private:
    friend class shared;
    explicit writer(shared& owner) : owner_(owner) {
      owner_.mutex_.lock();
      detail::keep_contents(owner_.value_);
    }
    shared& owner_;
  };

  reader read() const { return reader(*this); }
  writer write() { return writer(*this); }

  template <typename Function>
  decltype(auto) read(Function&& function) const {
    const reader guard(*this);
    return std::forward<Function>(function)(std::as_const(value_));
  }
  template <typename Function>
  decltype(auto) write(Function&& function) {
    const writer guard(*this);
    return std::forward<Function>(function)(value_);
  }

 private:
  mutable shared_mutex mutex_;
  T value_{};
};

}  // namespace reprise
