// The children that this process forked, by who forked them: the same names in every run, which their numbers are not.
//
// Threads   Any. In a fork's child, forget_children comes first.
#pragma once

#include <cstdint>
#include <optional>

namespace reprise::gate {

struct ChildName {
  std::uint32_t thread;   // who forked
  std::uint32_t ordinal;  // its how-manyth fork that was
};

void note_child(const ChildName& name, int process);
void forget_children();

// The child that has this number, if it was forked here; the last one, if there were several.
std::optional<ChildName> child_numbered(int process);

// The number of the child in this run, if it was forked.
std::optional<int> child_named(const ChildName& name);

}  // namespace reprise::gate
