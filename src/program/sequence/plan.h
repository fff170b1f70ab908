// What is to happen, where a sequence is forced: read once from the file that REPRISE_PLAN names.
//
//   if (const Plan* forced = plan()) list = forced->mailbox("deposit");
//
// The file is made by the tool. Lines of words separated by tabs: an object and its events in their order, or a thread
// and its own events in their order.
//
//   object  mailbox|monitor|semaphore  NAME  whole|entries   NAME of the latter two: process/name
//   event   TYPE THREAD NUMBER ALL CALLED METHOD CONDITION PLACE
//   thread  NAME
//   step    TYPE OBJECT NUMBER ALL PLACE
//   entry   MONITOR                                        of a thread, where entries are listed
//   entries PROCESS                                        no monitor there is entered but as listed
//   before  MAILBOX NUMBER MAILBOX NUMBER                  the first of these two events comes first
//
// PLACE orders the events of several mailboxes, for a selective wait; 0: nobody says how. Then a wait takes what its
// thread is to receive next; what it should have taken instead is reported, and `before` says it the next time.
//
// A thread is process/path or process#index; "-" stands for nothing.
//
// What keeps to the plan waits for its turn; what does not is reported (REPRISE_REPORT) and held for good.
//
// Threads   Any; nothing changes after it was read.
#pragma once

#include <reprise/mutex.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::detail {

// whole: all events are listed. entries: entries and reentries only.
enum class Extent : std::uint8_t { whole, entries };

constexpr std::uint64_t no_place = ~std::uint64_t{0};

// The how-manyth event of a mailbox, from 1.
struct PlannedAt {
  std::string mailbox;
  std::uint64_t number{0};
};

struct PlannedEvent {
  std::string type;
  std::string thread;
  std::uint64_t number{0};
  std::uint64_t all{0};
  std::string called;
  std::string method;
  std::string condition;
  std::uint64_t place{0};
  std::vector<PlannedAt> after{};  // what must have happened at other mailboxes
};

struct PlannedObject {
  std::vector<PlannedEvent> events;
  Extent extent{Extent::whole};
};

struct PlannedStep {
  std::string type;
  std::string object;
  std::uint64_t number{0};
  std::uint64_t all{0};
  std::uint64_t place{0};
};

// Who does something, in both ways of naming.
struct Actor {
  std::string by_path;   // process/0.1
  std::string by_index;  // process#2
  bool is(const std::string& name) const { return name == by_path || name == by_index; }
};
Actor this_actor();

class Plan {
 public:
  explicit Plan(std::string_view text);

  bool lists_mailboxes() const { return lists_mailboxes_; }
  // Must events of different mailboxes wait for each other?
  bool orders_mailboxes() const { return orders_mailboxes_; }
  // Every mailbox is listed if any is; an unknown one has no events.
  const PlannedObject& mailbox(const std::string& name) const;
  // Null: anything may happen there.
  const PlannedObject* monitor(const std::string& name) const;
  const PlannedObject* semaphore(const std::string& name) const;
  const std::vector<PlannedStep>& steps_of(const Actor& actor) const;
  // Monitors, in the order in which the thread enters them.
  const std::vector<std::string>& entries_of(const Actor& actor) const;

 private:
  std::map<std::string, PlannedObject> mailboxes_;
  std::map<std::string, PlannedObject> monitors_;
  std::map<std::string, PlannedObject> semaphores_;
  std::map<std::string, std::vector<PlannedStep>> threads_;
  std::map<std::string, std::vector<std::string>> entries_;
  std::set<std::string> entered_as_listed_;  // processes
  bool lists_mailboxes_{false};
  bool orders_mailboxes_{false};
};

// Null: nothing is forced.
const Plan* plan();

// The calling thread is about to do this: it must be the next of its own steps, or it is held. False: it has no more
// steps (`may_wait`: then it is the caller's to hold it). `where` is told with what it does instead.
// `lock`: see hold().
bool own_step(std::string_view type, const std::string& object, bool may_wait = false, std::string_view where = {},
              std::unique_lock<mutex>* lock = nullptr);

// What is told of the calling thread if it does this, where its next step is another; empty: it is this one, or there
// is none.
std::string another_step(std::string_view type, const std::string& object);
// The same also where there is none; empty: it is this one, or nothing is forced.
std::string unlisted_step(std::string_view type, const std::string& object);
// It is about to do that, but it may be that nothing comes of it. Then it goes on.
void deviates(std::string_view what);
void goes_on();
// It goes on, and has sent what never arrives.
void sent_in_vain();
// A mailbox's end has ended what the calling thread did, or could have: this is not searched.
void ends_by_close();
void closes(bool others_received, bool others_passed_over);
// The calling thread waits for the next event of this mailbox.
void awaits(const std::string& mailbox);

// The place of the calling thread's next step; no_place: it has no more.
std::uint64_t own_place();
// Is the calling thread's next step this one?
bool is_own_step(std::string_view type, const std::string& object);

// The calling thread receives `taken` though `other` came before it, and it could have received that. So it must come
// later; unless (`is_shared`) another thread may have received it by then. `receive`: what it does.
void overtakes(const PlannedAt& receive, const PlannedAt& taken, const PlannedAt& other, bool is_shared);

// The calling thread is about to enter this monitor, whose entries are listed: it is held if it should enter another.
void own_entry(const std::string& monitor);

// The calling thread waits for its turn to do this.
void wants(std::string_view what);

// The calling thread does what the plan does not have: reports it and never returns. What happens at the object all the
// same must not wait for it: `lock` is released.
[[noreturn]] void hold(std::string_view what, std::unique_lock<mutex>* lock = nullptr);

}  // namespace reprise::detail
