#include "program/adapters/mcapi/one_core.h"

#include <sched.h>
#include <time.h>

#include "program/adapters/mcapi/node.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

// Those of the program, before any node was bound to one.
cpu_set_t at_start;
[[gnu::constructor]] void look_at_start() { sched_getaffinity(0, sizeof at_start, &at_start); }

class Cores {
 public:
  // So many messages its node has retrieved by now.
  void look(std::uint32_t retrieved) {
    constexpr unsigned looks_after = 256;
    constexpr std::int64_t little_ns = 20'000;
    if (++waits_ % looks_after != 0) return;
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    const std::int64_t now_ns = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    const std::int64_t messages = retrieved - retrieved_;
    const bool does_little = now_ns - since_ns_ < messages * little_ns;
    since_ns_ = now_ns;
    retrieved_ = retrieved;
    if (!does_little) return leave();
    if (!shares_ && waits_ > looks_after) share();
  }
  // Unless the program has chosen others since.
  void leave() {
    cpu_set_t now;
    if (shares_ && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &shared_) != 0)
      sched_setaffinity(0, sizeof own_, &own_);
    shares_ = false;
  }

 private:
  // The same one for all nodes, and not for all programs.
  void share() {
    const int count = CPU_COUNT(&at_start);
    if (count < 2 || sched_getaffinity(0, sizeof own_, &own_) != 0) return;
    auto skipped = segment().header().processes[0].pid % static_cast<unsigned>(count);
    std::size_t core = 0;
    while (!CPU_ISSET(core, &at_start) || skipped-- > 0) ++core;
    CPU_ZERO(&shared_);
    CPU_SET(core, &shared_);
    shares_ = sched_setaffinity(0, sizeof shared_, &shared_) == 0;
  }

  std::uint64_t waits_{0};
  std::uint32_t retrieved_{0};
  std::int64_t since_ns_{0};
  bool shares_{false};
  cpu_set_t own_{};
  cpu_set_t shared_{};
};
thread_local Cores cores;

}  // namespace

void share_core(const Node& node) { cores.look(segment().node(node.slot).retrieved.load(std::memory_order_relaxed)); }
void leave_core() { cores.leave(); }

}  // namespace reprise::mcapi
