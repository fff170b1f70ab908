#include "replay/backtrace.h"

#include <unwind.h>

namespace reprise::replay {
namespace {

struct Walk {
  std::uint64_t* counters;
  std::uint32_t depth;
  std::uint32_t depth_max;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  if (walk.depth == walk.depth_max) return _URC_END_OF_STACK;
  walk.counters[walk.depth++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

}  // namespace

std::uint32_t capture_stack(std::uint64_t* counters, std::uint32_t depth_max) {
  Walk walk{counters, 0, depth_max};
  _Unwind_Backtrace(visit, &walk);
  return walk.depth;
}

}  // namespace reprise::replay
