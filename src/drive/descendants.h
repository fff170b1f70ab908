#pragma once

#include <sys/types.h>

namespace reprise::drive {

// Kills a child and everything it started that still hangs on it. What has left it (a daemon) is not touched.
// Does not wait; pid must be an unreaped child of the caller.
void kill_with_descendants(pid_t pid);

}  // namespace reprise::drive
