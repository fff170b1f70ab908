// Names the program counters of a process that stands still: function, file and line, by libdw.
//
//   for (const Frame& frame : name_frames(pid, counters)) ...   // "transfer at bank.cc:41"
//
// Lifetime  The process must still be there (stopped, or waiting): its maps are read.
// Cost      Loads the debug information of the modules that are hit; tens of milliseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace reprise::drive {

struct Frame {
  std::uint64_t counter{0};
  std::string function;  // empty: not known
  std::string file;
  int line{0};
  std::string module;  // the file that holds the code

  std::string text() const;
};

// Innermost first, inlined calls included. Counters after the first are return addresses and are looked up one byte
// before.
std::vector<Frame> name_frames(pid_t pid, std::span<const std::uint64_t> counters);

// The stacks of the threads of a running process that do not wait at a gate: they compute, or wait for something
// outside. Stops the process for the time it takes. Empty where that is not allowed.
std::vector<std::vector<Frame>> stacks_outside_gates(pid_t pid);

// The program's own part of a stack: without what reprise put on top of it (libreprise, and its headers inlined).
std::vector<Frame> program_frames(std::vector<Frame> frames);

}  // namespace reprise::drive
