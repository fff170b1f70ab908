// Checkpoints: where a long run may be replayed from, instead of from its start (`reprise record --checkpoint N`).
//
//   void serve() {
//     reprise::allow_checkpoints();          // this thread shares nothing but shared<T> and messages with others
//     for (;;) answer(me.receive());
//   }
//
// A checkpoint is a copy of the process, made by fork: of its threads it has only the one that made it. A process with
// one thread needs no word of this. Of several, each thread that may leave checkpoints must say that it can go on
// without the others: whatever they did comes to it through reprise::shared<T> and messages, and so is in the log.
//
// Threads   Speaks of the calling thread, from here to its end.
// Errors    None. What is seen to break the promise (a mutex, an atomic that another thread passed) ends the thread's
//           checkpoints; `reprise info` says why.
// Cost      None without `--checkpoint`.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise {

inline void allow_checkpoints() noexcept {
  if (gate::Thread* thread = gate::current) thread->is_isolated = true;
}

}  // namespace reprise
