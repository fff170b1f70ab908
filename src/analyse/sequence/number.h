// Counts what a form leaves to be counted: order numbers of threads and objects.
//
//   auto execution = sequence::count_numbers(sequence);
//
// What the text says stays as it is, right or wrong: whether it can happen is not decided here.
//
// Errors    usage: the form cannot be counted (format 2 with numbering all; a mailbox with two owners; a
// synchronisation that
//           stands in one thread only), with file, line and column.
#pragma once

#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::analyse::sequence {

Result<Execution> count_numbers(const Sequence& sequence);

// The how-manyth event each one is for its thread, in the way of `numbering`: a thread's events in the order of the
// numbers they were given.
void rank_all_numbers(Execution& execution);

}  // namespace reprise::analyse::sequence
