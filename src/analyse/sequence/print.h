// Prints an execution as a sequence.
//
//   auto text = sequence::print(execution, {.form = Form::thread2});
//   if (!text) return report(text.error());         // the first event that the form cannot say, and why
//
// REQUIRES the execution's events stand in an order that respects causality (reordered(..., linear(...))), and in the
// order
//           of sends if that is possible: what the events themselves do not show may forbid another one.
// Errors    unsupported: the form cannot say it.
#pragma once

#include <string>

#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::analyse::sequence {

struct PrintOptions {
  Form form{Form::node};
  Numbering numbering{Numbering::carc};
  bool has_header{true};
  std::vector<StartId> start_ids{};
};

Result<std::string> print(const Execution& execution, const PrintOptions& options);

// "withdraw", or in quotes where it must be.
std::string printed_name(const std::string& name);

}  // namespace reprise::analyse::sequence
