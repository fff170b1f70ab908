// Blocks that a thread fills again and again, one after the other: when all are full they are written to their place in
// the live log, together.
//
//   std::unique_ptr<Staging> staging = live.stage(thread, sequence);           // null: not for this stream, or not yet
//   std::span<std::uint8_t> payload = staging->next(sequence, steps_before);   // empty: there is no room any more
//   staging->leave(end);                                                       // it is written up to there
//
// Layout    format/recording.md, "Staged blocks": each is a page, so that a page that reaches the disk is never half
// old. Threads   The thread whose stream it is. Lifetime  That of the log; what it points to is the log's. Destroying
// it changes nothing there. Cost      A new page of a mapped file is a fault (4.4 us on ext4); one of 64 KiB that
// pwrite takes from here, 0.9 us.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/ids.h"

namespace reprise::recording {

class Live;

constexpr std::size_t staged_bytes = 4096;  // a block with its header
constexpr std::size_t staged_blocks = 16;
constexpr std::size_t staged_payload_bytes = staged_bytes - 32;

class Staging {
 public:
  // `pages` are zeros, and lie in `live`.
  Staging(Live& live, ThreadIndex thread, std::uint8_t* pages) : live_(live), thread_(thread), pages_(pages) {}

  // The payload of the thread's next block. Where all are full they are written out before.
  std::span<std::uint8_t> next(std::uint32_t sequence, std::uint64_t steps_before);

  // The block that next() gave last is written up to `end`.
  void leave(const std::uint8_t* end);

  // What stands in the blocks stands in its place now, and the blocks can be used again. False: there is no room any
  // more, and nothing has changed. REQUIRES leave().
  bool write_out();

  const void* pages() const { return pages_; }

 private:
  std::uint8_t* page(std::size_t number) const { return pages_ + number * staged_bytes; }

  Live& live_;
  ThreadIndex thread_;
  std::uint8_t* pages_;
  std::size_t used_{0};                             // blocks that hold something
  std::array<std::size_t, staged_blocks> sizes_{};  // theirs, once they are left
};

}  // namespace reprise::recording
