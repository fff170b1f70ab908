// What a mailbox does where a sequence is forced: everything in its turn.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "program/sequence/mailbox.h"

namespace reprise::detail {
namespace {

bool fits(const PlannedEvent& event, const Request& request) {
  const std::string_view type = request.mark == connect_mark ? "connection"
                                : request.mark == close_mark ? "close"
                                                             : "arrival";
  const bool is_type = event.type == type || (event.type == "SRsynchronization" && request.mark == send_mark);
  return is_type && request.actor.is(event.thread) && (event.number == 0 || event.number == request.mail.number) &&
         (event.all == 0 || event.all == request.mail.all);
}

}  // namespace

void Stash::add(Request request) {
  std::deque<Request>& list = connections_[request.connection];
  list.push_back(std::move(request));
  ++size_;
}

bool Stash::has(const PlannedEvent& event) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const auto& connection) {
    return !connection.second.empty() && fits(event, connection.second.front());
  });
}

std::optional<Request> Stash::take(const PlannedEvent& event) {
  for (auto& [name, list] : connections_) {
    if (list.empty() || !fits(event, list.front())) continue;
    Request request = std::move(list.front());
    list.pop_front();
    --size_;
    return request;
  }
  return std::nullopt;
}

std::vector<Request> Stash::take_refused() {
  std::vector<Request> refused;
  for (auto& [name, list] : connections_) {
    std::deque<Request> kept;
    for (Request& request : list) {
      if (request.mark == close_mark) {
        kept.push_back(std::move(request));
      } else {
        refused.push_back(std::move(request));
      }
    }
    list = std::move(kept);
  }
  size_ -= refused.size();
  return refused;
}

// REQUIRES the hub's mutex, as all below. Does what came already and whose turn it is. True: there was something.
bool MailboxCore::advance_own() {
  const std::size_t before = next_;
  while (next_ < planned_->events.size()) {
    const PlannedEvent& event = planned_->events[next_];
    if (event.type == "receive" || event.type == "SRsynchronization" || !may_happen(event)) break;
    auto request = stash_.take(event);
    if (!request) break;
    ++next_;
    perform(*std::move(request), event.place);
  }
  if (plan()->orders_mailboxes()) hub_->forced_events[name_] = next_;
  return next_ > before;
}

bool MailboxCore::may_happen(const PlannedEvent& event) const {
  return std::all_of(event.after.begin(), event.after.end(), [&](const PlannedAt& other) {
    const auto events = hub_->forced_events.find(other.mailbox);
    return events != hub_->forced_events.end() && events->second >= other.number;
  });
}

// Others may have waited for what happened here.
void MailboxCore::advance() {
  advance_own();
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const auto& [name, mailbox] : hub_->forced) has_more |= mailbox->advance_own();
  }
}

std::uint64_t MailboxCore::next_place() const {
  return next_ < planned_->events.size() ? planned_->events[next_].place : no_place;
}

std::size_t MailboxCore::size_at(std::uint64_t place) const {
  return static_cast<std::size_t>(
      std::count_if(queue_.begin(), queue_.end(), [&](const Mail& mail) { return mail.arrival < place; }));
}

bool MailboxCore::is_turn(const Actor& receiver) const {
  if (next_ >= planned_->events.size()) return false;
  const PlannedEvent& event = planned_->events[next_];
  if (is_synchronous_) return event.type == "SRsynchronization" && receiver.is(event.called) && stash_.has(event);
  return event.type == "receive" && receiver.is(event.thread) && !queue_.empty();
}

void MailboxCore::check_overtaking(const MailboxCore& other, const Actor& receiver) const {
  if (is_synchronous_ || other.is_synchronous_ || other.queue_.empty()) return;
  const Mail& taken = queue_.front();
  const Mail& overtaken = other.queue_.front();
  if (taken.arrival <= overtaken.arrival) return;
  const std::vector<PlannedEvent>& events = other.planned_->events;
  const auto receive = std::find_if(events.begin() + static_cast<std::ptrdiff_t>(other.next_), events.end(),
                                    [](const PlannedEvent& event) { return event.type == "receive"; });
  const bool is_shared = receive != events.end() && !receiver.is(receive->thread);
  overtakes({name_, next_ + 1}, {name_, taken.order}, {other.name_, overtaken.order}, is_shared);
}

// Returns in the receiver's turn; holds it for good where it would do more than is listed.
void MailboxCore::await_turn(std::unique_lock<reprise::mutex>& lock) {
  const std::string_view type = is_synchronous_ ? "SRsynchronization" : "receive";
  if (const std::string another = another_step(type, name_); !another.empty()) return await_close(lock, another);
  const bool is_listed = own_step(type, name_, true, {}, &lock);
  const Actor self = this_actor();
  bool has_told = false;
  while (!is_closed_ && !(is_listed && is_turn(self))) {
    const bool is_over = next_ >= planned_->events.size();
    if (!is_listed && is_over && (!queue_.empty() || !stash_.empty()))
      return await_close(lock, std::string(type) + ' ' + name_);
    if (is_listed && !std::exchange(has_told, true)) wants(std::string(type) + ' ' + name_);
    hub_->wait(lock);
  }
}

// The thread would receive where that is not listed of it. If the mailbox is closed it receives nothing, which is no
// event: then it has done nothing else than what is listed.
void MailboxCore::await_close(std::unique_lock<reprise::mutex>& lock, const std::string& what) {
  deviates(what);
  ++await_close_;
  while (!is_closed_) closed_.wait(lock);
  --await_close_;
  goes_on();
}

void MailboxCore::await_listed(std::unique_lock<reprise::mutex>& lock, bool but_closes) {
  if (maker_ != getpid()) return;  // a forked child: it is its parent's
  const auto has_more = [&] {
    return std::any_of(planned_->events.begin() + static_cast<std::ptrdiff_t>(next_), planned_->events.end(),
                       [&](const PlannedEvent& event) { return !but_closes || event.type != "close"; });
  };
  if (!has_more()) return;
  awaits(name_);
  wants("close mailbox " + name_);
  while (has_more()) hub_->wait(lock);
}

// It is closed: what came before that and is not listed came to nothing.
void MailboxCore::refuse_unlisted() {
  for (Request& request : stash_.take_refused()) perform(std::move(request));
  advance();
}

void MailboxCore::tell_close() const {
  const auto by_others = [](const std::set<std::string>& threads) {
    return threads.size() > threads.count(this_actor().by_path);
  };
  closes(by_others(receivers_), by_others(passed_by_));
}

Mail MailboxCore::take_in_turn() {
  receivers_.insert(this_actor().by_path);
  if (is_synchronous_) {
    auto request = stash_.take(planned_->events[next_]);
    request->mail.reply = std::move(request->asked);
    queue_.push_front(std::move(request->mail));
  }
  Mail mail = take(planned_->events[next_++].place);
  advance();
  hub_->notify();
  return mail;
}

}  // namespace reprise::detail
