// Is anything going to happen in these processes? Asked of the kernel, not guessed from silence.
//
//   Quiet quiet;
//   while (!quiet.look(pids)) wait_a_little();
//
// If every thread slept at one look and has not run since when the next one comes, then there was an instant in between
// at which all slept at once. Nobody was left to wake anybody: they sleep for ever, unless a timer or somebody outside
// wakes one. Who sleeps for a time only (a futex with a time limit, nanosleep) does not count as sleeping.
//
// Cost      A file of /proc per thread and look.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace reprise::drive {

class Quiet {
 public:
  // True: nothing will happen any more.
  bool look(const std::vector<pid_t>& processes);

 private:
  std::map<pid_t, std::uint64_t> last_;  // by thread: how often it gave up the processor
};

}  // namespace reprise::drive
