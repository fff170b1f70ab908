// The log that CARE would have written of a run: appendix C of its paper.
//
//   CareLog care(/*contents=*/false);
//   care.add(thread, event);                       // all events, causes first
//   for (const auto& section : care.sections()) print(section.party + "_rec", section.lines);
//
// Trust     Notes and contents come from a recording: what cannot be read is left out and counted, the rest is escaped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "recording/stream.h"

namespace reprise::analyse {

class CareLog {
 public:
  struct Section {
    std::string party;
    std::vector<std::string> lines;
  };

  // `contents`: the form of FULL_CAPTURE, which tells what was received and read, and leaves writes out.
  explicit CareLog(bool contents) : contents_(contents) {}

  void add(ThreadIndex thread, const recording::Event& event);

  const std::vector<Section>& sections() const { return sections_; }
  std::uint64_t unread() const { return unread_; }

 private:
  void add_note(std::string_view note, std::string_view content);
  std::vector<std::string>& lines_of(const std::string& party);

  bool contents_;
  std::vector<Section> sections_;                                 // as they first appear
  std::unordered_map<ThreadIndex, std::string> contents_before_;  // what a thread found last, for the note that follows
  std::uint64_t unread_{0};
};

}  // namespace reprise::analyse
