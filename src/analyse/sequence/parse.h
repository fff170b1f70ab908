// Reads sequence files.
//
//   auto sequences = sequence::read(text, "buffer.seq");
//   if (!sequences) return report(sequences.error());        // buffer.seq:3:17: expected a number, found withdraw
//
//   file     = { [header] part { part } }
//   header   = pair { "," pair } end of line           form: node, numbering: carc, start-id: server=5
//   part     = [name ":"] events                       a name per object, thread, node or process
//   events   = "(" { tuple [","] } ")" | { tuple [","] }, then perhaps "."
//
// Blanks, line ends and // comments may stand anywhere between words.
//
// Errors    usage, with file, line, column and what was expected there.
// Cost      Linear in the text.
#pragma once

#include <string_view>
#include <vector>

#include "analyse/sequence/cursor.h"
#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::analyse::sequence {

// What the caller knows and the file need not say; a header speaks for itself.
struct Assumed {
  std::optional<Form> form;
  std::optional<Numbering> numbering;
};

Result<std::vector<Sequence>> read(std::string_view text, std::string_view file, const Assumed& assumed = {});

// ---- between parse.cc and tuple.cc ----

struct Tuple {
  std::vector<Word> fields;
  Place place{};
};
constexpr std::size_t fields_max = 6;

// The form that tuples of this shape can only belong to, if there is one.
std::optional<Form> form_of(const Tuple& tuple);

// The event that `tuple` says in `part` of `sequence`.
Result<Event> event_of(const Cursor& at, const Sequence& sequence, const Part& part, const Tuple& tuple);

}  // namespace reprise::analyse::sequence
