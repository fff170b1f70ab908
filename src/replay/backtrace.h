// The program counters of the calling thread's stack. They are named when shown, by the tool.
#pragma once

#include <cstdint>

namespace reprise::replay {

std::uint32_t capture_stack(std::uint64_t* counters, std::uint32_t depth_max);

}  // namespace reprise::replay
