// Replay: nodes that do little but wait for each other share one core.
//
//   share_core(node);   // this thread waits for another node
//   leave_core();       // it has its own cores again
//
// Whoever is waited for runs next where one waits, nobody is woken on another core, and no cache line has to come from
// there. Nodes that have more to do with a message keep their own cores, and get them back. A node that is bound to a
// core comes along: a replay needs no more cores than it has work for.
//
// Threads   The caller's own cores. What it starts must not inherit them: fork, pthread_create and finalize leave.
// Cost      A count; now and then a look at the thread's clock.
#pragma once

namespace reprise::mcapi {

struct Node;

void share_core(const Node& node);
void leave_core();

}  // namespace reprise::mcapi
