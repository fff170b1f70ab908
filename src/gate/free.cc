#include "gate/free.h"

#include <atomic>

#include "gate/perturb.h"

namespace reprise::gate {
namespace {

std::atomic<std::uint32_t> threads{0};

Thread* new_thread(Gate& gate, std::uint32_t parent) {
  auto* slot = new Slot{};
  slot->state = 1;
  slot->index = ++threads;
  slot->parent = parent;
  auto* thread = new Thread{};
  thread->slot = slot;
  thread->index = slot->index;
  thread->gate = &gate;
  return thread;
}

void set_pending(Thread& thread, Kind kind) {
  __atomic_store_n(&thread.slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
}

}  // namespace

Kind Free::arrive(Thread& thread, Object&, Kind kind) {
  perturb::before(thread);
  set_pending(thread, kind);
  return kind;
}

void Free::pass(Thread& thread, Object&, Kind) {
  set_pending(thread, Kind::none);
  ++thread.slot->steps;
}

void Free::leave(Thread& thread, Object&, Kind) { ++thread.slot->steps; }

Kind Free::begin(Thread& thread, Object& object, Kind kind) {
  perturb::before(thread);
  object.acquire_bit();
  return kind;
}

void Free::end(Thread& thread, Object& object, Kind kind, const void*, std::size_t, bool) {
  object.release_bit();
  ++thread.slot->steps;
  if (kind == Kind::wait) set_pending(thread, kind);
}

Outcome Free::foretell(Thread& thread, Object&, Kind, const void*, void*, std::size_t, bool) {
  perturb::before(thread);
  return Outcome::open;
}

void Free::fail(Thread& thread, Object&, Kind) { ++thread.slot->steps; }

bool Free::given(Thread& thread, Kind, std::string_view, Take, void*) {
  perturb::before(thread);
  ++thread.slot->steps;
  return false;
}

bool Free::chosen(Thread& thread, Kind, std::uint64_t, std::uint64_t&) {
  perturb::before(thread);
  ++thread.slot->steps;
  return false;
}

void Free::step(Thread& thread, Kind kind, std::uint64_t) {
  perturb::before(thread);
  ++thread.slot->steps;
  set_pending(thread, kind == Kind::sleep ? kind : Kind::none);
}

Thread* Free::spawn(Thread& parent) { return new_thread(*this, parent.index); }

Thread* Free::main() { return new_thread(*this, 0); }

void Free::started(Thread& child) {
  current = &child;
  perturb::enrol(child);
}

void Free::ended(Thread& child) {
  perturb::dismiss(child);
  __atomic_store_n(&child.slot->state, 2, __ATOMIC_RELAXED);
  current = nullptr;
}

void Free::joining(Thread& thread, std::uint32_t) { set_pending(thread, Kind::join); }

void Free::joined(Thread& thread, std::uint32_t) { set_pending(thread, Kind::none); }

}  // namespace reprise::gate
