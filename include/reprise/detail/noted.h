// Events of the user's level (monitor, semaphore, mailbox): noted in the recording by name, and compared on replay.
#pragma once

#include <reprise/detail/gate.h>

#include <cstdint>
#include <string_view>

namespace reprise::detail {

// What the calling thread has done so far: mailbox events, and these and monitor calls.
struct Counted {
  std::uint64_t mailbox_events{0};
  std::uint64_t all{0};
  bool is_active{false};  // it, or who started it, has done any of that
};
REPRISE_API Counted& counted() noexcept;

// The calling thread has done something that is noted, or that another notes for it.
void count_active() noexcept;
// It starts another thread, or has joined it: noted if that says something of the order of what is noted.
void note_spawn(std::uint32_t child);
void note_joined(std::uint32_t child);

// Nothing when nothing stands behind the gate.
REPRISE_API void note(Kind kind, std::string_view name, std::string_view text);
// The same for an arrival or a receive.
void note(const gate::Mailed& mailed);

}  // namespace reprise::detail
