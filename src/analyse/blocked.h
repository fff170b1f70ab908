// Who waited for whom when a log ended: the state of a deadlock, or of a wake-up that never came.
//
//   const Blocked blocked = explain_blocked(log, names);
//   for (const Waiter& waiter : blocked.waiters) ...
//
// The holder of an object is the thread that passed there last. Passages after the last written one were predicted, so
// they were that thread's too. Whether it has left again is only written at level full: in other logs a holder and a
// cycle are what the last passages show, and certain only if the program really stood still.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyse/names.h"
#include "recording/log.h"

namespace reprise::analyse {

struct Waiter {
  ThreadIndex thread{no_thread};
  std::string path;
  std::uint64_t step{0};          // its last one
  Kind kind{Kind::none};          // what it wants to do: lock, relock, wait, join, ...
  ObjectId object{0};             // 0: not named yet, or a join
  std::string object_name;        // for a join: the thread's path
  ThreadIndex holder{no_thread};  // who must act first; itself: it holds the object already. no_thread: nobody is known
  std::string holder_path;
  std::uint64_t holder_step{0};  // of the holder's last written passage there
  std::uint64_t notified{0};     // conditions: notifications that were written; 0: nobody ever did
};

struct Blocked {
  bool proven{false};  // the log is full: holders hold
  std::vector<Waiter> waiters;
  std::vector<std::vector<ThreadIndex>> deadlocks;  // each thread waits for the next, the last one for the first
};

// A damaged stream is read as far as it goes.
Blocked explain_blocked(const recording::Log& log, const Names& names);

}  // namespace reprise::analyse
