#pragma once

#include <sys/types.h>

#include <vector>

namespace reprise::drive {

// Kills children and everything they started that still hangs on them. What has left them (a daemon) is not touched.
// Does not wait; `children` must be unreaped children of the caller.
void kill_with_descendants(const std::vector<pid_t>& children);

}  // namespace reprise::drive
