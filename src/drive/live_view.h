// Looks into the live log of a running process, without mapping it: what it says of itself, and whether it goes on.
//
//   LiveView view(scratch / "bank.live");
//   while (running) { view.look(); if (view.flags() & recording::live_diverged) ... }
//
// Trust     The other process may write anything at any time: sizes are bounded, nothing is mapped, nothing can fault.
// Cost      A look: one read of the header and one per 31 threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/live.h"

namespace reprise::drive {

class LiveView {
 public:
  explicit LiveView(std::filesystem::path path) : path_(std::move(path)) {}
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // Reads again. Returns false while there is no live log yet.
  bool look();

  std::uint32_t flags() const { return flags_; }
  pid_t pid() const { return pid_; }
  // Nothing more will come: the process has ended, or stands at its recorded end.
  bool is_finished() const;
  // It has passed its end and is about to be gone, however long the system takes for that (a core dump).
  bool is_ending() const { return end_kind_ != 0; }
  std::uint32_t threads() const { return threads_; }
  // Rises whenever any thread takes a step, is born or ends.
  std::uint64_t progress() const { return progress_; }

  // What stands in the header when the flags say so.
  recording::LiveDivergence divergence() const;
  std::string reason() const;

 private:
  bool open();
  void find_slot_pages(std::uint64_t used);

  std::filesystem::path path_;
  int file_{-1};
  std::uint64_t walked_{recording::live_header_bytes};  // extents before it are known
  std::vector<std::uint64_t> slot_pages_;               // offsets of their first slot
  std::uint32_t flags_{0};
  std::uint32_t end_kind_{0};
  pid_t pid_{0};
  std::uint32_t threads_{0};
  std::uint64_t progress_{0};
};

}  // namespace reprise::drive
