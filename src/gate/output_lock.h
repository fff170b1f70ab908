// Held while output is written, from before its passage of the gate until its bytes are out; taken for good at the end
// of the process: what was recorded as written has been written, and nobody begins to write what would be cut off.
#pragma once

#include <mutex>

namespace reprise::gate {

extern std::mutex output_mutex;

}  // namespace reprise::gate
