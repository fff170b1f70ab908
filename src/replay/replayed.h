// One replayed thread: its recorded stream, what it knows, and where it stands. Private to replay/.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>

#include "recording/log.h"
#include "recording/stream.h"
#include "replay/replayer.h"

namespace reprise::replay {

// The value and the order that a thread saw last at an object.
struct Replayer::Known {
  std::uint64_t order{0};
  std::uint64_t bits{0};
  std::string large;

  void set(std::uint64_t seen_order, const void* value, std::size_t size) {
    order = seen_order;
    if (size > sizeof bits) {
      large.assign(static_cast<const char*>(value), size);
    } else {
      bits = 0;
      std::memcpy(&bits, value, size);
    }
  }
  void get(void* out, std::size_t size) const {
    if (size > sizeof bits) {
      std::memcpy(out, large.data(), std::min(size, large.size()));
    } else {
      std::memcpy(out, &bits, size);
    }
  }
};

struct alignas(128) Replayer::Replayed : gate::Thread {
  Replayed(const recording::Log& log, const recording::ThreadInfo& recorded, gate::Slot* place)
      : info(&recorded), stream(log.stream(recorded.index)) {
    slot = place;
    index = place->index;
  }

  const recording::ThreadInfo* info;
  recording::StreamReader stream;
  std::optional<recording::Event> next;  // the next written event
  std::uint64_t run_used{0};             // how much of a run of failures was replayed
  std::uint64_t last_written{0};         // step of the written event before `next`
  std::uint64_t doubtful_after{0};       // steps up to here have passed two check bytes, or were all written
  SpinBudget budget;
  std::unordered_map<ObjectId, Known> known;
  std::optional<recording::StreamWriter> trace;
};

inline Replayer::Replayed& Replayer::replayed(gate::Thread& thread) { return static_cast<Replayed&>(thread); }

inline bool Replayer::at_end(const Replayed& self) { return self.slot->steps >= self.info->steps; }

inline bool Replayer::is_written(const Replayed& self) {
  return self.next && self.next->step + self.run_used == self.slot->steps + 1;
}

}  // namespace reprise::replay
