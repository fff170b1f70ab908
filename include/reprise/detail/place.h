// A place that several processes of a run write to (standard output, a file), as one of them sees it.
#pragma once

#include <cstdint>

namespace reprise::gate::run_order {

// Guarded by whatever orders the place among the threads of this process.
struct Place {
  std::uint32_t index{0};    // of its counter; 0: standard output
  std::uint64_t written{0};  // the counter when this process last wrote
  bool is_shared{false};     // ordered among processes?
};

}  // namespace reprise::gate::run_order
