// A gate that hands everything on to the gate of the thread that now is `current`. A checkpoint is woken in the midst
// of a passage: its caller still holds the thread that was recorded, and goes on with the one that is replayed.
//
// Threads   Of the one thread that was woken.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::gate {

class Relay final : public Gate {
 public:
  Kind arrive(Thread&, Object& object, Kind kind) override { return current->gate->arrive(*current, object, kind); }
  void pass(Thread&, Object& object, Kind kind) override { current->gate->pass(*current, object, kind); }
  void leave(Thread&, Object& object, Kind kind) override { current->gate->leave(*current, object, kind); }
  void left(Thread&, Object& object) override { current->gate->left(*current, object); }
  void arrive_shared(Thread&, SharedObject& object) override { current->gate->arrive_shared(*current, object); }
  void pass_shared(Thread&, SharedObject& object) override { current->gate->pass_shared(*current, object); }
  void arrive_writing(Thread&, SharedObject& object) override { current->gate->arrive_writing(*current, object); }
  void pass_writing(Thread&, SharedObject& object) override { current->gate->pass_writing(*current, object); }
  Choice arrive_choosing(Thread&, ChoosingObject& object, Kind kind) override {
    return current->gate->arrive_choosing(*current, object, kind);
  }
  void pass_choosing(Thread&, ChoosingObject& object, Kind kind, std::uint64_t source, std::uint64_t digest) override {
    current->gate->pass_choosing(*current, object, kind, source, digest);
  }
  void awaiting(Thread&, Kind kind, const Object& object) override { current->gate->awaiting(*current, kind, object); }
  Kind begin(Thread&, Object& object, Kind kind) override { return current->gate->begin(*current, object, kind); }
  void end(Thread&, Object& object, Kind kind, const void* value, std::size_t size, bool is_pointer) override {
    current->gate->end(*current, object, kind, value, size, is_pointer);
  }
  Outcome foretell(Thread&, Object& object, Kind kind, const void* expected, void* out, std::size_t size,
                   bool is_pointer) override {
    return current->gate->foretell(*current, object, kind, expected, out, size, is_pointer);
  }
  void fail(Thread&, Object& object, Kind kind) override { current->gate->fail(*current, object, kind); }
  bool given(Thread&, Kind kind, std::string_view name, Take take, void* context) override {
    return current->gate->given(*current, kind, name, take, context);
  }
  void keep(Thread&, Kind kind, std::string_view name, const void* bytes, std::size_t size) override {
    current->gate->keep(*current, kind, name, bytes, size);
  }
  bool perhaps_given(Thread&, Kind kind, Take take, void* context) override {
    return current->gate->perhaps_given(*current, kind, take, context);
  }
  bool chosen(Thread&, Kind kind, std::uint64_t expected, std::uint64_t& number) override {
    return current->gate->chosen(*current, kind, expected, number);
  }
  void choose(Thread&, Kind kind, std::uint64_t expected, std::uint64_t number) override {
    current->gate->choose(*current, kind, expected, number);
  }
  bool takes_notes() const noexcept override { return current->gate->takes_notes(); }
  void note(Thread&, std::string_view text) override { current->gate->note(*current, text); }
  bool keeps_contents() const noexcept override { return current->gate->keeps_contents(); }
  void step(Thread&, Kind kind, std::uint64_t subject) override { current->gate->step(*current, kind, subject); }
  bool lives() const noexcept override { return current->gate->lives(); }
  void wrote(Thread&, std::uint64_t& digest, const void* bytes, std::size_t size) override {
    current->gate->wrote(*current, digest, bytes, size);
  }
  Thread* spawn(Thread&) override { return current->gate->spawn(*current); }
  void started(Thread&) override { current->gate->started(*current); }
  void ended(Thread&) override { current->gate->ended(*current); }
  void joining(Thread&, std::uint32_t child) override { current->gate->joining(*current, child); }
  void joined(Thread&, std::uint32_t child) override { current->gate->joined(*current, child); }
  void exiting(Thread&, int code) override { current->gate->exiting(*current, code); }
  void crashing(Thread&, int signal) override { current->gate->crashing(*current, signal); }
  void replacing(Thread&, bool begins) override { current->gate->replacing(*current, begins); }
  bool other_threads() override { return current->gate->other_threads(); }
  void differs(Thread&, Kind kind, std::string_view what) override { current->gate->differs(*current, kind, what); }
  void refuse(std::string_view reason) override { current->gate->refuse(reason); }
};

}  // namespace reprise::gate
