// The session: what stands behind the gate of this process. Private to session/, which is linked and never included.
#pragma once

#include <string>

#include "record/recorder.h"
#include "replay/replayer.h"
#include "session/settings.h"

namespace reprise::session {

class Maker;

struct Session {
  Settings settings;
  record::Recorder* recorder{nullptr};
  replay::Replayer* replayer{nullptr};
  Maker* checkpoints{nullptr};
};

// The session of this process, or null when nothing stands behind the gate.
Session* session();

// Replay of one process alone: is `name` one that does nothing? end_as_recorded() is all that it does.
bool is_left_out(const std::string& name);
[[noreturn]] void end_as_recorded(const std::string& name);

// A replayer of this process, as the settings say. Gives up where there is no log.
replay::Replayer* replayer_of(Session& self);

// After fork, in a child whose parent had one thread: the child goes on as process `name`.
// `forked`: the forking thread's slot as it was then.
void continue_in_child(const std::string& name, const gate::Slot& forked);

}  // namespace reprise::session
