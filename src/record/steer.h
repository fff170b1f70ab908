// In which order threads pass, where a sequence is tested: the beginning as it is given, then freely (REPRISE_STEER).
//
//   steer.arrive(thread, state, object, Kind::lock);   // returns when this passage may be tried
//   native.lock();
//   steer.passed(thread, state, object, Kind::lock);   // the next one may come
//
// The file, made by the tool, has lines of words separated by tabs:
//
//   process  NAME
//   turn     THREAD        of the process: whose passage is next
//   asleep   THREAD [load] after these turns: not before another thread has passed the same object, and not only with
//                          a load, where this is one
//
// Objects that the library made for itself pass by (gate::Object::is_own): the plan orders what happens there.
//
// Threads   Any.
// Cost      A lock and a wake-up of all per passage.
#pragma once

#include <reprise/detail/gate.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::record {

// Of one thread.
struct Steered {
  std::string path;
  bool has_begun{false};            // between arrive() and passed()
  gate::Object* waits_at{nullptr};  // a condition that it has not been woken from
  std::uint64_t woken_by_condition{0};
  std::uint64_t woken_by_order{0};
  gate::Object* loaded{nullptr};  // by its last passage, a load
  std::uint64_t loaded_order{0};
  std::uint64_t loads{0};  // of it in a row that saw the same
};

class Steer {
 public:
  // Reads the file for this process. A missing file lets everything pass.
  Steer(const std::string& path, const std::string& process);

  void arrive(gate::Thread& thread, Steered& self, gate::Object& object, Kind kind);
  void passed(Steered& self, gate::Object& object, Kind kind);

  // Has the thread loaded the same so often that it only waits for somebody to write?
  static bool spins(const Steered& self, const gate::Object& object, Kind kind);

 private:
  struct Touched {
    const gate::Object* object;
    const Steered* by;
    bool is_load;
  };
  struct Waiter {
    const Steered* thread;
    std::uint64_t since;
    std::uint64_t granted_by;  // order of the notification, 0: none
  };
  struct Condition {
    std::uint64_t events{0};
    std::vector<Waiter> waiters;
    struct Permit {
      std::uint64_t event;
      std::uint64_t order;
    };
    std::vector<Permit> permits;  // of notify_one
  };

  bool may_pass(Steered& self, const gate::Object& object, Kind kind);
  bool is_asleep(const Steered& self, const gate::Object& object);
  bool is_woken(const Steered& self);
  void take_permit(Steered& self);
  void forget_wait(Steered& self);
  void note_condition(Steered& self, gate::Object& object, Kind kind);

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::string> turns_;
  std::size_t next_{0};
  std::map<std::string, bool> asleep_;  // true: what the thread is about to do is a load
  std::vector<Touched> touched_;        // after the last turn, while somebody is asleep
  std::map<const gate::Object*, Condition> conditions_;
};

}  // namespace reprise::record
