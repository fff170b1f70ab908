// The numbers that name threads and objects inside one process's log (DESIGN: identity).
//
// A thread's index is given in order of registration; what makes it stable is (parent index, ordinal), kept in its
// slot. An object's id is the index of the thread that first passed its gate, and the how-manyth new object that was
// for it.
#pragma once

#include <cstdint>

namespace reprise {

using ThreadIndex = std::uint32_t;
constexpr ThreadIndex no_thread = 0;
constexpr ThreadIndex main_thread = 1;
constexpr ThreadIndex well_known = (1u << 24) - 1;  // "first thread" of objects that are named by what they are
constexpr ThreadIndex max_threads = well_known - 1;

using ObjectId = std::uint64_t;
constexpr unsigned object_ordinal_bits = 40;
constexpr std::uint64_t max_object_ordinal = (std::uint64_t{1} << object_ordinal_bits) - 1;

constexpr ObjectId object_id(ThreadIndex first, std::uint64_t ordinal) {
  return std::uint64_t{first} << object_ordinal_bits | ordinal;
}
constexpr ThreadIndex object_thread(ObjectId object) { return static_cast<ThreadIndex>(object >> object_ordinal_bits); }
constexpr std::uint64_t object_ordinal(ObjectId object) { return object & max_object_ordinal; }

// Objects named by what they are. Guards of function-local statics take a digest of their place in the program as
// ordinal.
constexpr ObjectId output_object = object_id(well_known, 1);
constexpr std::uint64_t first_guard_ordinal = 1024;

}  // namespace reprise
