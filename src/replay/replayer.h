// A gate that holds back: each thread is answered from its own stream, and passes an object only in its recorded turn.
//
//   Replayer replayer(log, *scratch, {.trace = false});
//   gate::installed = &replayer;  replayer.start_main();
//
// Threads   Called by every thread of the program, each for itself; no central process, no global turn.
// Lifetime  Never destroyed.
// Trust     The log was checked by recording::Log; that the program is the recorded one is checked here, step by step.
// Cost      A predicted passage: a virtual call. A decided one: a few varints, and the wait for its turn (turns.h).
#pragma once

#include <reprise/detail/gate.h>

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gate/free.h"
#include "recording/live.h"
#include "recording/log.h"
#include "replay/turns.h"

namespace reprise::replay {

struct Options {
  bool trace{false};      // write every event into the scratch log
  bool then_live{false};  // at the recorded end, let the program go on by itself
  bool launched{false};   // somebody watches the scratch log and reports
};

// Where a copy of the process stood when it was made (a checkpoint).
struct Standing {
  gate::Slot slot{};          // of the thread that made it
  ThreadIndex next_index{0};  // threads from here on had not been born
  bool alone{true};           // it was the only thread: all that come later are replayed too
  std::uint64_t output_digest{0};
  std::uint64_t output_bytes{0};
};

class Replayer final : public gate::Gate, private SleepWatch {
 public:
  Replayer(const recording::Log& recorded, recording::Live& scratch, const Options& options);

  // Registers the calling thread as main.
  void start_main();

  // After fork, in the child: its one thread goes on with the log of the recorded child.
  void continue_in_child(const recording::Log& recorded, recording::Live& scratch, const gate::Slot& forked);

  // In a woken copy: the calling thread, `before`, goes on from where it stood. REQUIRES that the log knows it.
  void go_on_from(const Standing& standing, const gate::Thread& before);

  Kind arrive(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void pass(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void leave(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void left(gate::Thread& thread, gate::Object& object) override;
  void arrive_shared(gate::Thread& thread, gate::SharedObject& object) override;
  void pass_shared(gate::Thread& thread, gate::SharedObject& object) override;
  void arrive_writing(gate::Thread& thread, gate::SharedObject& object) override;
  void pass_writing(gate::Thread& thread, gate::SharedObject& object) override;
  gate::Choice arrive_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind) override;
  void pass_choosing(gate::Thread& thread, gate::ChoosingObject& object, Kind kind, std::uint64_t source,
                     std::uint64_t digest) override;
  void awaiting(gate::Thread& thread, Kind kind, const gate::Object& object) override;
  bool perhaps_given(gate::Thread& thread, Kind kind, Take take, void* context) override;
  bool takes_notes() const noexcept override { return options_.trace; }
  void note(gate::Thread& thread, std::string_view text) override;
  bool keeps_contents() const noexcept override { return (recorded_.info().flags & recording::live_contents) != 0; }
  Kind begin(gate::Thread& thread, gate::Object& object, Kind kind) override;
  void end(gate::Thread& thread, gate::Object& object, Kind kind, const void* value, std::size_t size,
           bool is_pointer) override;
  gate::Outcome foretell(gate::Thread& thread, gate::Object& object, Kind kind, const void* expected, void* out,
                         std::size_t size, bool is_pointer) override;
  void fail(gate::Thread& thread, gate::Object& object, Kind kind) override;
  bool given(gate::Thread& thread, Kind kind, std::string_view name, Take take, void* context) override;
  void keep(gate::Thread& thread, Kind kind, std::string_view name, const void* bytes, std::size_t size) override;
  bool chosen(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t& number) override;
  void choose(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t number) override;
  void step(gate::Thread& thread, Kind kind, std::uint64_t subject) override;
  bool lives() const noexcept override { return false; }
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
  void differs(gate::Thread& thread, Kind kind, std::string_view what) override;
  void refuse(std::string_view) override {}

 private:
  struct Replayed;
  struct Known;
  static Replayed& replayed(gate::Thread& thread);

  gate::Thread* new_thread(const recording::ThreadInfo& info);
  void read_threads();

  // The thread's own stream.
  static bool at_end(const Replayed& self);
  recording::EndKind recorded_end() const;
  static bool is_written(const Replayed& self);
  void advance(Replayed& self);
  void consume(Replayed& self);
  void passed(Replayed& self, const recording::Event& event, std::uint64_t hashed);
  void expect(Replayed& self, Kind kind, ObjectId object, bool fits);
  Kind await(Replayed& self, gate::Object& object, Kind kind);
  void await_order(Replayed& self, gate::Object& object, Kind kind, std::uint64_t order);
  void adopt(const Replayed& self, gate::Object& object, Kind kind, std::uint64_t order);
  bool reads_as_it_stands(const Replayed& self, const gate::Object& object, Kind kind) const;
  void skip_to(Replayed& self, std::uint64_t step);
  void count_reads(gate::SharedObject& object);
  bool is_new_here(const Replayed& self, ObjectId object) const;
  void name(Replayed& self, gate::Object& object);
  void raise(gate::Object& object);
  gate::Outcome foretell_try(Replayed& self);
  gate::Outcome foretell_behind(Replayed& self, void* others);
  gate::Outcome foretell_read(Replayed& self, gate::Object& object, Kind kind, const void* expected, void* out,
                              std::size_t size, bool is_pointer);
  void read_recorded(Replayed& self, gate::Object& object, void* out, std::size_t size, bool is_pointer);
  void remember(Replayed& self, ObjectId object, std::uint64_t order, const void* value, std::size_t size,
                bool is_pointer);

  // The end. hold() returns only when the program goes on by itself.
  void hold(Replayed& self, Kind kind, ObjectId object);
  void reached_end();
  void all_reached_end();
  void await_all(Replayed& self);
  void finish_killed();
  void finish_detached();

  // Who sleeps: proves a stall.
  void falls_asleep(gate::Thread& thread) override;
  void wakes(std::uint32_t sleepers) override;
  void look_for_stall();

  std::uint64_t certain_until(const Replayed& self, bool at_written);
  [[noreturn]] void diverge(Replayed& self, Kind kind, ObjectId object, const char* detail, bool bracketed);
  [[noreturn]] void park();

  recording::Log recorded_;
  recording::Live* scratch_;
  Options options_;
  Turns turns_;
  gate::Free free_;
  std::unordered_map<std::uint64_t, const recording::ThreadInfo*> children_;  // (parent, ordinal) -> thread

  bool is_adopted_{false};                   // it goes on from a checkpoint: objects are as they were left there
  bool is_detached_{false};                  // of several threads only one is replayed: nobody is waited for
  std::atomic<std::uint32_t> remaining_{0};  // recorded threads that have not reached their last step
  std::atomic<std::uint32_t> released_{0};   // the program goes on by itself
  std::atomic<bool> diverged_{false};

  std::mutex watch_mutex_;  // guards what follows
  std::int64_t living_{0};
  std::int64_t asleep_{0};
  std::unordered_set<std::uint32_t> joined_for_;  // children that a sleeping thread joins
  std::unordered_set<std::uint32_t> ended_;

  std::mutex history_mutex_;                                        // guards history_
  std::unordered_map<ObjectId, std::vector<const void*>> history_;  // pointers held by an atomic, by order
};

}  // namespace reprise::replay
