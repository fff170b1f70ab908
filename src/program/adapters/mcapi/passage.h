// One call of MCAPI that could have come out another way, at the gate.
//
//   Passage passage(Kind::mcapi_send, number_of(Status::success));   // what is expected costs nothing to record
//   if (passage.is_known()) return replay(passage.number());
//   passage.keep(number);
//
// Where it stands if it waits is told at its beginning, or later by who seldom waits: two stores that a message feels.
//
// Cost   Off: a thread-local load. Recording what is expected, and replaying it where nothing was written: no call.
#pragma once

#include <reprise/detail/gate.h>

#include "program/adapters/mcapi/shared.h"

namespace reprise::mcapi {

class Passage {
 public:
  enum class Waits : std::uint8_t { perhaps, seldom };

  [[gnu::always_inline]] Passage(Kind kind, std::uint64_t expected, Waits waits = Waits::perhaps)
      : thread_(gate::current), kind_(kind), expected_(expected) {
    if (thread_ != nullptr) [[unlikely]]
      begin(waits);
  }
  // REQUIRES Waits::seldom.
  void about_to_wait() {
    if (thread_ == nullptr || is_known_ || !thread_->counts_alone()) return;
    thread_->about_to(kind_);
    is_told_ = true;
  }
  // A replay: this is how it came out.
  bool is_known() const { return is_known_; }
  std::uint64_t number() const { return number_; }
  [[gnu::always_inline]] void keep(std::uint64_t number) const {
    if (thread_ == nullptr || is_known_) [[likely]]
      return;
    if (number != expected_ || !thread_->counts_alone())
      return thread_->gate->choose(*thread_, kind_, expected_, number);
    if (is_told_) thread_->done();
    thread_->count(kind_, 0);
  }

 private:
  [[gnu::always_inline]] void begin(Waits waits) {
    if (thread_->counts_alone()) {
      if (waits == Waits::seldom) return;
      is_told_ = true;
      return thread_->about_to(kind_);
    }
    if (!thread_->replays_alone()) {
      is_known_ = thread_->gate->chosen(*thread_, kind_, expected_, number_);
      return;
    }
    thread_->about_to(kind_);
    thread_->count(kind_, 0);
    number_ = expected_;
    is_known_ = true;
  }

  gate::Thread* thread_;
  Kind kind_;
  bool is_known_{false};
  bool is_told_{false};  // where it stands
  std::uint64_t expected_;
  std::uint64_t number_{0};
};

// How an outcome is written as a number: a status is odd, a message even (see messages.h).
constexpr std::uint64_t number_of(Status status) { return std::uint64_t{static_cast<std::uint32_t>(status)} << 1 | 1; }
constexpr bool is_status(std::uint64_t number) { return (number & 1) != 0; }
constexpr Status status_of(std::uint64_t number) { return static_cast<Status>(number >> 1); }

// Replay: something that another node does comes first, as it did when recorded. Gives up after some seconds.
bool rest_before_retry(int attempt);

// The outcome of a call whose status alone could have been another. On replay `act` happens all the same when it was
// recorded as done, as soon as it can.
template <typename Act>
Status settle(Kind kind, Act act) {
  const Passage passage(kind, number_of(Status::success));
  if (!passage.is_known()) {
    const Status status = act();
    passage.keep(number_of(status));
    return status;
  }
  const Status recorded = status_of(passage.number());
  if (recorded != Status::success) return recorded;
  for (int attempt = 0; act() != Status::success && rest_before_retry(attempt);) ++attempt;
  return recorded;
}

}  // namespace reprise::mcapi
