// A build of the MCAPI runtime without hooks: nobody ever stands behind its gate, and libreprise is not in it.
#include <reprise/detail/gate.h>
#include <sched.h>

namespace reprise::gate {

__thread Thread* current = nullptr;
const char* process_name = "main";

void rest(unsigned) noexcept { sched_yield(); }

}  // namespace reprise::gate
