// What a recorder asks when a thread that may leave a checkpoint comes to a gate. Answered by session/.
#pragma once

#include <reprise/detail/gate.h>

#include <string_view>

namespace reprise::gate {

// The calling thread forks to make a checkpoint: what lives on in the copy is replayed there, not closed for good.
extern __thread bool is_making_checkpoint;

// The message layer's part: nobody changes a mailbox while the process forks. `hold` returns false where it would have
// to wait: later, then. Set when there is a message layer; null otherwise.
struct StandStill {
  bool (*hold)(){nullptr};
  void (*go_on)(){nullptr};
};
extern StandStill stand_still;

class Checkpoints {
 public:
  // Is it time for `thread` to leave one? Cheap.
  virtual bool is_due(Thread& thread) = 0;
  // Leaves one. `alone`: the process has no other thread. Returns true in the copy, once it was woken: `thread` then
  // hands on what it is asked to the thread that is replayed.
  virtual bool take(Thread& thread, bool alone) = 0;
  // What `thread` does now cannot be replayed without the other threads: its checkpoints made beside them are void.
  // Without a reason nothing is said of it: it starts or awaits a thread.
  virtual void spoil(const Thread& thread, std::string_view reason) = 0;

 protected:
  ~Checkpoints() = default;
};

}  // namespace reprise::gate
