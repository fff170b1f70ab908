// Where libreprise stands among the libraries of this process.
//
//   stand_first(arguments);    // in the constructor, before anything else
//
// What it stands before (fork, pthread_create, _exit, ...) is looked up in the order in which the libraries were
// loaded. A program that is linked with libreprise by name has it before libc. One that is linked with a library that
// needs it (-lmcapi alone) has it after libc, and then nothing would be seen.
//
// An MCAPI program that names nothing of reprise's also gets libreprise_inputs.so, which records clocks, random numbers
// and standard input, if MCAPI_INPUTS=on; the launcher says so.
#pragma once

namespace reprise::session {

// Where something is recorded or replayed and one of the two is not where it should be: starts this image again with
// them preloaded, and does not return. The variable LD_PRELOAD is as it was when the program looks at it.
void stand_first(char* const* arguments);

}  // namespace reprise::session
