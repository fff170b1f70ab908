// One recorded thread: its stream and where it stands. Private to record/.
#pragma once

#include <optional>

#include "record/recorder.h"
#include "record/steer.h"

namespace reprise::record {

// On cache lines of its own: another thread, allocated next to it, would slow every passage down.
struct alignas(128) Recorder::Recorded : gate::Thread {
  Recorded(recording::Live& live, gate::Slot* place) {
    slot = place;
    index = place->index;
    writer.emplace(live, index);
  }
  // A thread that is not recorded any more; what others ask of its slot is asked of one that lies in no file.
  Recorded() {
    slot = &own_slot;
    frozen = true;
  }
  std::optional<recording::StreamWriter> writer;
  gate::Slot* recorded_slot{nullptr};  // once frozen: where its recording ends
  gate::Slot own_slot{};
  std::size_t place_in_roll{0};
  Steered steered;

  // Where checkpoints are made: is it inside something?
  std::uint32_t held{0};     // locks and other critical sections
  bool has_unlocked{false};  // left() follows, which ends nothing more
  bool has_asked{false};     // foretell() was called: the passage has begun
};

inline Recorder::Recorded& Recorder::recorded(gate::Thread& thread) { return static_cast<Recorded&>(thread); }

inline bool Recorder::stopped() const {
  constexpr std::uint32_t stops = recording::live_no_space | recording::live_unsupported;
  return (live_->header().flags.load(std::memory_order_seq_cst) & stops) != 0;
}

// Counts the step that `append` writes.
template <typename Append>
void Recorder::write(gate::Thread& thread, Kind kind, std::uint64_t hashed, Append append) {
  Recorded& self = recorded(thread);
  if (self.frozen) return;
  if (stopped()) return freeze(thread);
  thread.inside = true;
  const bool written = append(*self.writer, thread.slot->steps + 1, recording::check_of(thread.slot->hash));
  thread.inside = false;
  if (!written) return freeze(thread);
  thread.slot->written = self.writer->written();
  thread.count(kind, hashed);
}

}  // namespace reprise::record
