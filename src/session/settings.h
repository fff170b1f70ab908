// What the environment asks of this process, and how it is handed on to the next image (exec) or the child (fork).
//
//   REPRISE_RECORD=folder       record into it              REPRISE_REPLAY=folder     replay it
//   REPRISE_PROCESS=name        this process's name         REPRISE_SCRATCH=folder    where a replay notes how far it
//   is REPRISE_LEVEL=full,data     every event; contents too   REPRISE_TRACE=1           every event, on replay
//   REPRISE_CHAOS=seed          yield at random             REPRISE_THEN=live         go on after the recorded end
//   REPRISE_FAVOUR=first|last   the adversary               REPRISE_LAUNCHED=1        `reprise` watches and reports
//   REPRISE_CHECKPOINT=N:K      every N events, keep K; Ns:K: every N seconds; level data; :drop
//   REPRISE_DELAY=name:us       that process is slow at each gate, for tests
//   REPRISE_INPUTS=folder       record: values from outside are those of this recording
//   REPRISE_STEER=file          record: who passes next (record/steer.h)
//
// Of messages, read where they are needed and left to children:
//   REPRISE_RUN=folder          who is where in this run    REPRISE_PEERS=file        the same on other hosts
//   REPRISE_GROUPS=a,b;c        across groups, contents     REPRISE_ONLY=a,b          nobody else is replayed
//   REPRISE_EXCEPTIONS=trace-only   replay: recorded errors come by themselves or not at all
//   REPRISE_ALONE=a,b           forked processes that these do not descend from do nothing but end as recorded
//   REPRISE_NODES=0/1,0/2       the MCAPI nodes that are replayed; nothing: all
//
// The others are consumed at start, so that children that are not followed do not take them for theirs.
#pragma once

#include <string>
#include <vector>

#include "gate/perturb.h"

namespace reprise::session {

enum class Mode { off, free, record, replay };

struct Settings {
  Mode mode{Mode::off};
  std::string folder;
  std::string process;
  std::string scratch;
  bool full{false};
  bool contents{false};
  bool trace{false};
  bool then_live{false};
  bool launched{false};
  std::string chaos;
  std::string favour;
  std::string delay;
  std::string run;
  std::string only;
  std::string alone;
  std::string groups;
  std::string exceptions;
  std::string routes;
  std::string outputs;
  std::string inputs;
  std::string steer;
  std::string checkpoint;

  gate::perturb::Options perturbation() const;
  // As NAME=value, for the next image of this process.
  std::vector<std::string> environment() const;
};

// Reads and removes the variables.
Settings take_settings();

}  // namespace reprise::session
