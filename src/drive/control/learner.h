// What simple forms leave out, learnt from runs of the program.
//
//   Learner learner;
//   learner.learn(free_run);
//   Listed whole = learner.resolve(listed);
//   while (learner.learn_from(deviating)) ...          // a thread did something else: that is now known, too
//
// A simple sequence names threads only. What the k-th event of a thread is, or which monitor it enters as its k-th,
// follows from the program and from what the thread has met before: a free run tells most of it, and a thread that then
// does something else tells the rest.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "drive/control/forced_run.h"
#include "drive/control/plan_text.h"

namespace reprise::drive {

class Learner {
 public:
  void learn(const ForcedRun& run);
  Listed resolve(const Listed& listed);

  // By thread: "arrival deposit as its number 3", "enter Buffer as its entry 2". True: something of it was new.
  bool learn_from(const std::map<std::string, std::string>& deviating);

 private:
  struct What {
    analyse::sequence::Type type{analyse::sequence::Type::unknown};
    std::string object{"?"};
    friend bool operator==(const What&, const What&) = default;
  };

  std::string path_of(const std::string& thread) const;
  What& what(const std::string& thread, std::uint64_t number);
  void resolve_mailboxes(Listed& listed);
  void resolve_entries(Listed& listed);
  bool learn_event(const std::string& thread, const std::string& did, std::uint64_t number);
  bool learn_entry(const std::string& thread, const std::string& monitor, std::uint64_t number);

  std::map<std::string, std::vector<What>> events_;           // of a thread, in its order
  std::map<std::string, std::vector<std::string>> monitors_;  // which it enters, in its order
  std::map<std::string, std::string> paths_;
};

}  // namespace reprise::drive
