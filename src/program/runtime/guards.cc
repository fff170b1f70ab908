// Guards of function-local statics: who initialises one is a race, and so an ordered event of the winner.
//
// Whether a loser calls in here at all depends on its timing (the compiler checks the guard's first byte by itself), so
// losing is no step. On replay a thread knows from its own stream whether it is the winner; everybody else waits for
// the winner.
#include <dlfcn.h>
#include <link.h>
#include <reprise/detail/gate.h>
#include <sched.h>

#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "base/ids.h"

namespace reprise {
namespace {

using Guard = std::int64_t;

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::mutex objects_mutex;
std::unordered_map<const Guard*, gate::Object*>* objects = nullptr;  // never destroyed

// A guard is named by where it stands in its module: the same in every run of the same build.
ObjectId guard_id(const Guard* guard) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3u; };
  Dl_info where{};
  auto offset = reinterpret_cast<std::uintptr_t>(guard);
  if (dladdr(guard, &where) != 0) {
    offset -= reinterpret_cast<std::uintptr_t>(where.dli_fbase);
    std::string_view module = where.dli_fname;
    module = module.substr(module.find_last_of('/') + 1);
    for (const char c : module) mix(static_cast<unsigned char>(c));
  }
  mix(offset);
  hash ^= hash >> object_ordinal_bits;
  return object_id(well_known, hash & max_object_ordinal ? hash & max_object_ordinal : first_guard_ordinal);
}

gate::Object& object_of(const Guard* guard) {
  const std::lock_guard lock(objects_mutex);
  if (objects == nullptr) objects = new std::unordered_map<const Guard*, gate::Object*>;
  gate::Object*& object = (*objects)[guard];
  if (object == nullptr) object = new gate::Object(nullptr, guard_id(guard));
  return *object;
}

bool is_initialised(Guard* guard) { return __atomic_load_n(reinterpret_cast<char*>(guard), __ATOMIC_ACQUIRE) != 0; }

int acquire(gate::Thread& thread, Guard* guard) {
  auto* const native = real<int(Guard*)>("__cxa_guard_acquire");
  gate::Object& object = object_of(guard);
  const gate::Outcome outcome = thread.gate->foretell(thread, object, Kind::guard, nullptr, nullptr, 0, false);
  if (outcome == gate::Outcome::failed) {
    while (!is_initialised(guard)) sched_yield();
    return 0;
  }
  if (outcome == gate::Outcome::act) {
    // In turn: where an initialisation throws, several win one after the other, and the native guard knows no order.
    thread.gate->begin(thread, object, Kind::guard);
    const int won = native(guard);
    thread.gate->end(thread, object, Kind::guard, nullptr, 0, false);
    return won;
  }
  if (native(guard) == 0) return 0;
  thread.gate->begin(thread, object, Kind::guard);
  thread.gate->end(thread, object, Kind::guard, nullptr, 0, false);
  return 1;
}

}  // namespace
}  // namespace reprise

extern "C" REPRISE_API int __cxa_guard_acquire(reprise::Guard* guard) {
  using namespace reprise;  // NOLINT(google-build-using-namespace)
  gate::Thread* thread = gate::current;
  if (thread == nullptr || thread->inside) return real<int(Guard*)>("__cxa_guard_acquire")(guard);
  if (is_initialised(guard)) return 0;
  return acquire(*thread, guard);
}
