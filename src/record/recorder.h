// A gate that writes: each decision goes into the log of the thread that made it, nothing else does.
//
//   Recorder recorder(*live, {.full = false});
//   gate::installed = &recorder;  recorder.start_main();
//
// Threads   Called by every thread of the program, each for itself.
// Lifetime  Never destroyed.
// Cost      See docs/design/kernel.md; passages that decide nothing do not come here (gate::Thread::predicts).
#pragma once

#include <reprise/detail/gate.h>

#include <mutex>
#include <vector>

#include "gate/checkpoints.h"
#include "recording/live.h"
#include "recording/stream.h"

namespace reprise::record {

class Inputs;
class Steer;

struct Options {
  bool full{false};                         // write every event
  bool contents{false};                     // level data
  bool perturbed{false};                    // every passage must come through the gate, to be disturbed there
  gate::Checkpoints* checkpoints{nullptr};  // who makes them; then, too, every passage comes through the gate
  Inputs* inputs{nullptr};                  // where values from outside come from instead of the world
  Steer* steer{nullptr};                    // who passes next is not left to chance
};

class Recorder final : public gate::Gate {
 public:
  Recorder(recording::Live& live, const Options& options) : live_(&live), options_(options) {}

  // Registers the calling thread as main.
  void start_main();

  // After fork, in the child: its one thread goes on into a log of its own.
  void continue_in_child(recording::Live& live, const gate::Slot& forked, Steer* steer = nullptr);
  recording::Live& live() { return *live_; }

  // Before a checkpoint: what `thread` writes from here on can be read without what was before. Returns its block.
  static std::uint32_t begin_anew(gate::Thread& thread);

  // After fork, in a copy that stands at a checkpoint: nothing of the log is touched any more, and whoever holds
  // `thread` hands on to `relay`.
  void let_go(gate::Thread& thread, const gate::Slot& forked, gate::Gate& relay);

  Kind arrive(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void pass(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void leave(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void left(gate::Thread& thread, gate::Object&) override;
  void arrive_shared(gate::Thread& thread, gate::SharedObject& object) override;
  void pass_shared(gate::Thread& thread, gate::SharedObject& object) override;
  void arrive_writing(gate::Thread& thread, gate::SharedObject& object) override;
  void pass_writing(gate::Thread& thread, gate::SharedObject& object) override;
  gate::Choice arrive_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind) override;
  void pass_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind, std::uint64_t source,
                     std::uint64_t digest) override;
  void awaiting(gate::Thread& thread, Kind kind, const gate::Object& object) override { thread.about_to(kind, object); }
  bool takes_notes() const noexcept override { return options_.full; }
  void note(gate::Thread& thread, std::string_view text) override;
  bool perhaps_given(gate::Thread& thread, Kind kind, Take take, void* context) override;
  bool keeps_contents() const noexcept override { return options_.contents; }
  Kind begin(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void end(gate::Thread& thread, gate::Object& object, Kind kind, const void* value, std::size_t size,
           bool is_pointer) override;
  gate::Outcome foretell(gate::Thread& thread, gate::Object& object, Kind kind, const void* expected, void* out,
                         std::size_t size, bool is_pointer) override;
  void fail(gate::Thread& thread, gate::Object& object, Kind kind) override;
  bool given(gate::Thread& thread, Kind kind, std::string_view name, Take take, void* context) override;
  void keep(gate::Thread& thread, Kind kind, std::string_view name, const void* bytes, std::size_t size) override;
  void keep_contents(gate::Thread& thread, std::string_view bytes) override;
  bool mailed(gate::Thread& thread, const gate::Mailed& mailed) override;
  bool chosen(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t& number) override;
  void choose(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t number) override;
  void step(gate::Thread& thread, Kind kind, std::uint64_t subject) override;
  bool lives() const noexcept override { return true; }
  void wrote(gate::Thread& thread, std::uint64_t& digest, const void* bytes, std::size_t size) override;
  gate::Thread* spawn(gate::Thread& parent) override;
  void started(gate::Thread& child) override;
  void ended(gate::Thread& child) override;
  void joining(gate::Thread& thread, std::uint32_t child) override;
  void joined(gate::Thread& thread, std::uint32_t child) override;
  void exiting(gate::Thread& thread, int code) override;
  void crashing(gate::Thread& thread, int signal) override;
  void replacing(gate::Thread& thread, bool begins) override;
  bool other_threads() override;
  void differs(gate::Thread&, Kind, std::string_view) override {}
  void refuse(std::string_view reason) override;

 private:
  struct Recorded;  // a thread with its stream
  static Recorded& recorded(gate::Thread& thread);

  gate::Thread* new_thread(ThreadIndex parent, std::uint32_t ordinal);
  bool stopped() const;
  void ordered(gate::Thread& thread, gate::Object& object, Kind kind);
  void read(gate::Thread& thread, gate::Object& object, Kind kind, std::string_view value);
  bool name(gate::Thread& thread, gate::Object& object);
  void write(gate::Thread& thread, recording::Event&& event, std::uint64_t hashed);  // fills in step and check
  template <typename Append>
  void write(gate::Thread& thread, Kind kind, std::uint64_t hashed, Append append);
  void write_label(gate::Thread& thread, const gate::Object& object);
  void await_turn(gate::Thread& thread, gate::Object& object, Kind kind);
  void note_passed(gate::Thread& thread, gate::Object& object, Kind kind);
  void freeze(gate::Thread& thread);
  gate::Thread* frozen_child();
  void strike_off(Recorded& self);
  void stop_predicting();
  void claim_end(gate::Thread& thread);

  // Checkpoints.
  static bool begins(Kind kind);
  bool is_woken(gate::Thread& thread);
  static void enter(gate::Thread& thread);
  static void exit(gate::Thread& thread, Kind kind);
  void look_at_isolation(gate::Thread& thread, const gate::Object& object, Kind kind);
  void mark_end(gate::Thread& thread, recording::EndKind kind, int code);

  recording::Live* live_;
  Options options_;
  std::atomic<gate::Thread*> ender_{nullptr};  // ends the process
  std::mutex roll_mutex_;                      // guards roll_
  std::vector<Recorded*> roll_;                // threads that have not ended
};

}  // namespace reprise::record
