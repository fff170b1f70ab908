// What the files of the CARE layer share. The interface itself: <reprise/care.h>.
//
// Each receive, reply, read and write leaves a note (a value named "care") that holds what CARE's log would say and
// the kernel does not know: party, partner, host, identifier, lengths. `reprise show --style care` prints them.
//
//   note("from", {me, sender, host, id, index, type, length})       note("reply", {me, sender, host, id, length})
//   note("read", {me, version, object})                             note("wrote", {me, version, readers, object})
//
// Cost      Recording: about forty bytes per note. Off: one thread-local load.
#pragma once

#include <reprise/care.h>

#include <initializer_list>
#include <string>

namespace reprise::care {

// "care: WHAT" on stderr.
void warn(const std::string& what);

// `name`, cut to fit into `room` with its zero, with a warning.
std::string cut(const char* name, std::size_t room);

void note(const char* kind, std::initializer_list<std::string> words);

const std::string& name_of(const Pinfo* pinfo);

// Sees to it that this process is in the wanted mode: it may start itself anew for that. False: it cannot be had
// (errno: ENOTSUP, EINVAL, or why the program could not be started).
bool enter_mode(const int* mode);

}  // namespace reprise::care
