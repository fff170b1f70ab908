// What happens when a thread ends: after its thread_local destructors, and still behind its gate.
//
//   detail::at_thread_exit(&make_ready, state);
//
// Threads   For the calling thread. Main's happen at exit.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::detail {

REPRISE_API void at_thread_exit(void (*run)(void*), void* argument);

}  // namespace reprise::detail
