// A gate with nobody behind it: the program decides everything itself. Used when only a perturbation is wanted (the
// control run of the tests), and after `replay --then live`.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::gate {

class Free : public Gate {
 public:
  Kind arrive(Thread& thread, Object& object, Kind kind) override;
  void pass(Thread& thread, Object& object, Kind kind) override;
  void leave(Thread& thread, Object& object, Kind kind) override;
  void left(Thread&, Object&) override {}
  void arrive_shared(Thread& thread, SharedObject& object) override {
    arrive(thread, object.writes, Kind::lock_shared);
  }
  void pass_shared(Thread& thread, SharedObject& object) override { pass(thread, object.writes, Kind::lock_shared); }
  void arrive_writing(Thread& thread, SharedObject& object) override {
    arrive(thread, object.writes, Kind::write_lock);
  }
  void pass_writing(Thread& thread, SharedObject& object) override { pass(thread, object.writes, Kind::write_lock); }
  Choice arrive_choosing(Thread& thread, ChoosingObject& object, Kind kind) override {
    arrive(thread, object.passages, kind);
    return {};
  }
  void pass_choosing(Thread& thread, ChoosingObject& object, Kind kind, std::uint64_t, std::uint64_t) override {
    pass(thread, object.passages, kind);
  }
  void awaiting(Thread& thread, Kind kind, const Object& object) override { thread.about_to(kind, object); }
  bool perhaps_given(Thread&, Kind, Take, void*) override { return false; }
  bool takes_notes() const noexcept override { return false; }
  void note(Thread&, std::string_view) override {}
  bool keeps_contents() const noexcept override { return false; }
  Kind begin(Thread& thread, Object& object, Kind kind) override;
  void end(Thread& thread, Object& object, Kind kind, const void* value, std::size_t size, bool is_pointer) override;
  Outcome foretell(Thread& thread, Object&, Kind, const void*, void*, std::size_t, bool) override;
  void fail(Thread& thread, Object&, Kind) override;
  bool given(Thread& thread, Kind, std::string_view, Take, void*) override;
  void keep(Thread&, Kind, std::string_view, const void*, std::size_t) override {}
  bool chosen(Thread& thread, Kind, std::uint64_t, std::uint64_t&) override;
  void choose(Thread&, Kind, std::uint64_t, std::uint64_t) override {}
  void step(Thread& thread, Kind kind, std::uint64_t subject) override;
  bool lives() const noexcept override { return true; }
  void wrote(Thread&, std::uint64_t&, const void*, std::size_t) override {}
  Thread* spawn(Thread& parent) override;
  void started(Thread& child) override;
  void ended(Thread& child) override;
  void joining(Thread& thread, std::uint32_t child) override;
  void joined(Thread& thread, std::uint32_t child) override;
  void exiting(Thread&, int) override {}
  void crashing(Thread&, int) override {}
  void replacing(Thread&, bool) override {}
  bool other_threads() override { return false; }
  void differs(Thread&, Kind, std::string_view) override {}
  void refuse(std::string_view) override {}

  // The main thread of a process that is only perturbed.
  Thread* main();
};

}  // namespace reprise::gate
