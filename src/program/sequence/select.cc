// The selective wait: which of several mailboxes, or none.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "program/sequence/mailbox.h"

namespace reprise::detail {
namespace {

using Cores = std::vector<MailboxCore*>;

// Of the mailboxes that have a message, the one whose message came first. Errors: closed.
MailboxCore* first_of(const Cores& open) {
  MailboxCore* first = nullptr;
  for (MailboxCore* core : open) {
    if (core->is_closed()) throw_closed(core->name());
    if (!core->is_empty() && (first == nullptr || core->first_arrival() < first->first_arrival())) first = core;
  }
  return first;
}

// Null: nothing is there, now or in that time.
MailboxCore* await_first(const Cores& open, std::unique_lock<mutex>& lock,
                         const std::optional<std::chrono::nanoseconds>& time) {
  Hub& hub = *selection();
  const auto deadline = std::chrono::steady_clock::now() + time.value_or(std::chrono::nanoseconds::zero());
  for (bool is_over = time && *time <= std::chrono::nanoseconds::zero();;) {
    if (MailboxCore* first = first_of(open); first != nullptr || is_over) return first;
    if (!time) {
      hub.wait(lock);
    } else {
      is_over = hub.wait_until(lock, deadline) == std::cv_status::timeout;
    }
  }
}

// ---- where a sequence is forced ----

constexpr std::string_view where = " of a select";

std::string_view type_at(const MailboxCore& core) { return core.is_synchronous() ? "SRsynchronization" : "receive"; }

std::string names_of(const Cores& open) {
  std::string names;
  for (const MailboxCore* core : open) names += (names.empty() ? " " : ", ") + core->name();
  return names;
}

// What stands before `place` has happened at each of them.
bool is_before(const Cores& open, std::uint64_t place) {
  for (const MailboxCore* core : open) {
    if (core->next_place() < place) return false;
  }
  return true;
}

// Does the sequence say that a synchronous message is received here, which may be still to come? Null if it does not.
MailboxCore* awaited_at(const Cores& open, std::uint64_t place) {
  for (MailboxCore* core : open) {
    if (core->is_synchronous() && core->next_place() == place) return core;
  }
  return nullptr;
}

// At its place in the sequence the wait sees what is listed before that, and nothing else. A synchronous message is not
// listed before it is received: it may have come at any time, so it is there first when it is listed (and waited for if
// it is still to come) and not there when it is not.
MailboxCore* visible_at(const Cores& open, std::uint64_t place) {
  if (MailboxCore* awaited = awaited_at(open, place)) return awaited->is_turn(this_actor()) ? awaited : nullptr;
  MailboxCore* first = nullptr;
  for (MailboxCore* core : open) {
    if (core->is_synchronous() || core->size_at(place) == 0) continue;
    if (first == nullptr || core->first_arrival() < first->first_arrival()) first = core;
  }
  return first;
}

// Errors: closed.
void throw_if_closed(const Cores& open) {
  for (const MailboxCore* core : open) {
    if (core->is_closed()) throw_closed(core->name());
  }
}

// The wait comes to what is not listed, unless a mailbox is closed: that is no event.
[[noreturn]] void await_close(const Cores& open, std::unique_lock<mutex>& lock, const std::string& what) {
  deviates(what + std::string(where));
  const auto is_closed = [](const MailboxCore* core) { return core->is_closed(); };
  while (std::none_of(open.begin(), open.end(), is_closed)) selection()->wait(lock);
  goes_on();
  throw_if_closed(open);
  std::abort();
}

// The thread has no more steps: it may wait for a message that never comes, or for a close.
[[noreturn]] void await_end(const Cores& open, std::unique_lock<mutex>& lock, bool may_go_on) {
  for (;;) {
    throw_if_closed(open);
    if (may_go_on) await_close(open, lock, unlisted_step("elseDelay", {}));
    for (const MailboxCore* core : open) {
      if (core->has_more_than_listed()) await_close(open, lock, unlisted_step(type_at(*core), core->name()));
    }
    selection()->wait(lock);
  }
}

// The alternative that is the thread's next step; null: there is none.
MailboxCore* listed_of(const Cores& open) {
  for (MailboxCore* core : open) {
    if (is_own_step(type_at(*core), core->name())) return core;
  }
  return nullptr;
}

// The thread has another step than any that this wait could come to.
[[noreturn]] void await_another(const Cores& open, std::unique_lock<mutex>& lock, bool may_go_on) {
  for (;;) {
    if (const MailboxCore* first = first_of(open))
      await_close(open, lock, unlisted_step(type_at(*first), first->name()));
    if (may_go_on) await_close(open, lock, unlisted_step("elseDelay", {}));
    selection()->wait(lock);
  }
}

// Where the sequence does not say what the wait sees: it takes what its thread is to receive next.
MailboxCore* await_listed(const Cores& open, std::unique_lock<mutex>& lock, bool may_go_on) {
  MailboxCore* const listed = listed_of(open);
  if (listed == nullptr) await_another(open, lock, may_go_on);
  const Actor self = this_actor();
  for (bool has_told = false; !listed->is_turn(self);) {
    if (!std::exchange(has_told, true)) {
      wants("select" + names_of(open));
      awaits(listed->name());
    }
    selection()->wait(lock);
  }
  for (const MailboxCore* core : open) listed->check_overtaking(*core, self);
  own_step(type_at(*listed), listed->name());
  return listed;
}

MailboxCore* await_forced(const Cores& open, std::unique_lock<mutex>& lock, bool may_go_on) {
  const std::uint64_t place = own_place();
  if (place == no_place) await_end(open, lock, may_go_on);
  if (place == 0) return await_listed(open, lock, may_go_on);
  const bool is_listed = listed_of(open) != nullptr || (may_go_on && is_own_step("elseDelay", {}));
  const auto step = [&](std::string_view type, const std::string& object) {
    if (const std::string unlisted = unlisted_step(type, object); !unlisted.empty()) await_close(open, lock, unlisted);
    own_step(type, object);
  };
  for (bool has_told = false;;) {
    if (!is_listed) throw_if_closed(open);
    if (is_before(open, place)) {
      if (MailboxCore* first = visible_at(open, place)) {
        step(type_at(*first), first->name());
        return first;
      }
      if (may_go_on && awaited_at(open, place) == nullptr) {
        step("elseDelay", {});
        return nullptr;
      }
    }
    if (!std::exchange(has_told, true)) wants("select" + names_of(open));
    selection()->wait(lock);
  }
}

}  // namespace

void select_from(std::vector<Alternative> alternatives) {
  Cores open;
  Alternative* last = nullptr;
  for (Alternative& alternative : alternatives) {
    if (alternative.is_last_) {
      last = &alternative;
    } else if (alternative.is_open_) {
      open.push_back(alternative.core_.get());
    }
  }
  if (open.empty() && last == nullptr) {
    throw mailbox_error(mailbox_fault::no_alternative,
                        "select: every guard is closed, and there is neither otherwise nor after");
  }
  const bool is_forced = plan() != nullptr && plan()->lists_mailboxes();
  std::unique_lock lock(selection()->mutex);
  const std::uint64_t place = is_forced ? own_place() : no_place;
  MailboxCore* const chosen =
      is_forced ? await_forced(open, lock, last != nullptr)
                : await_first(open, lock, last == nullptr ? std::nullopt : std::optional(last->time_));
  for (MailboxCore* core : open) {
    if (is_forced && core != chosen) core->pass_over();
  }
  if (chosen != nullptr) {
    Mail mail = is_forced ? chosen->take_in_turn() : chosen->take();
    lock.unlock();
    for (Alternative& alternative : alternatives) {
      if (alternative.core_.get() == chosen && alternative.is_open_)
        return alternative.take_(MailboxCore::finish(std::move(mail)));
    }
  }
  std::string text = "elseDelay " + numbers_text();
  count_event();
  for (const Alternative& alternative : alternatives) {
    if (alternative.core_)
      text += ' ' + alternative.core_->name() + '=' + std::to_string(alternative.core_->size_at(place));
  }
  text += selection_text(is_forced ? place : ++selection()->events);
  detail::note(Kind::mailbox, {}, text);
  lock.unlock();
  last->then_();
}

}  // namespace reprise::detail
