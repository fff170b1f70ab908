// How the message layer passes the gates of its objects: while recording, without a call where nothing is decided.
//
//   arrive(*thread, object, Kind::send);      // outside the object's critical section
//   pass(*thread, object, Kind::send);        // inside it
//   left(*thread, object);                    // after it
//
// Cost      Recording, the same thread as the last time: what reprise::mutex costs.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::messaging {

inline void arrive(gate::Thread& thread, gate::Object& object, Kind kind) {
  if (thread.counts_alone()) return thread.about_to(kind, object);
  thread.gate->arrive(thread, object, kind);
}

inline void pass(gate::Thread& thread, gate::Object& object, Kind kind) {
  if (object.last_thread() != thread.index || !thread.counts_alone()) return thread.gate->pass(thread, object, kind);
  object.raise();
  thread.done();
  thread.count(kind, object.known_id());
}

inline void left(gate::Thread& thread, gate::Object& object) {
  if (!thread.counts_alone()) thread.gate->left(thread, object);
}

// The same where the world chooses a source.
inline gate::Choice arrive_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind) {
  if (!thread.counts_alone()) return thread.gate->arrive_choosing(thread, object, kind);
  thread.about_to(kind, object.passages);
  return {};
}

inline void pass_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind, std::uint64_t source,
                          std::uint64_t digest) {
  gate::Object& passages = object.passages;
  if (passages.last_thread() != thread.index || object.last_source != source || !thread.counts_alone())
    return thread.gate->pass_choosing(thread, object, kind, source, digest);
  passages.raise();
  thread.done();
  thread.count(kind, passages.known_id() + digest);
}

}  // namespace reprise::messaging
