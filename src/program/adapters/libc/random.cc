// Random numbers: those of the system are recorded; those of libc follow from their seed, and are handed out to the
// program's threads in the recorded order.
#include <reprise/mutex.h>
#include <reprise/value.h>
#include <stdlib.h>
#include <sys/random.h>

#include <cerrno>
#include <mutex>
#include <string>

#include "program/adapters/libc/callers.h"
#include "program/adapters/libc/outcome.h"

namespace reprise::libc {
namespace {

Next<ssize_t(void*, size_t, unsigned)> next_getrandom("getrandom");
Next<int(void*, size_t)> next_getentropy("getentropy");
Next<void(void*, size_t)> next_arc4random_buf("arc4random_buf");
Next<uint32_t()> next_arc4random("arc4random");
Next<uint32_t(uint32_t)> next_arc4random_uniform("arc4random_uniform");
Next<unsigned(std::random_device*)> next_random_device("_ZNSt13random_device9_M_getvalEv");

Next<int()> next_rand("rand");
Next<void(unsigned)> next_srand("srand");
Next<long()> next_random("random");
Next<void(unsigned)> next_srandom("srandom");
Next<double()> next_drand48("drand48");
Next<long()> next_lrand48("lrand48");
Next<long()> next_mrand48("mrand48");
Next<void(long)> next_srand48("srand48");

// All threads of a process draw from one sequence. Which one draws next is an order.
mutex sequence{"rand"};

template <typename Function, typename... Arguments>
auto in_turn(Next<Function>& next, const void* caller, Arguments... arguments) {
  if (!is_recorded(caller)) return next.get()(arguments...);
  const std::lock_guard turn(sequence);
  return next.get()(arguments...);
}

}  // namespace
}  // namespace reprise::libc

using namespace reprise::libc;  // NOLINT(google-build-using-namespace): the functions below have C names
using reprise::value;

extern "C" REPRISE_API ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  if (!is_recorded(REPRISE_CALLER)) return next_getrandom.get()(buffer, size, flags);
  return give(value("getrandom", [&] { return outcome_of(buffer, next_getrandom.get()(buffer, size, flags)); }), buffer,
              size);
}

extern "C" REPRISE_API int getentropy(void* buffer, size_t size) {
  if (!is_recorded(REPRISE_CALLER)) return next_getentropy.get()(buffer, size);
  const ssize_t given = give(value("getentropy",
                                   [&] {
                                     const bool failed = next_getentropy.get()(buffer, size) != 0;
                                     return outcome_of(buffer, failed ? -1 : static_cast<ssize_t>(size));
                                   }),
                             buffer, size);
  return given < 0 ? -1 : 0;
}

extern "C" REPRISE_API void arc4random_buf(void* buffer, size_t size) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_arc4random_buf.get()(buffer, size);
  give(value("arc4random",
             [&] {
               next_arc4random_buf.get()(buffer, size);
               return outcome_of(buffer, static_cast<ssize_t>(size));
             }),
       buffer, size);
}

extern "C" REPRISE_API uint32_t arc4random() noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_arc4random.get()();
  return value("arc4random", [] { return next_arc4random.get()(); });
}

extern "C" REPRISE_API uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_arc4random_uniform.get()(bound);
  return value("arc4random", [bound] { return next_arc4random_uniform.get()(bound); });
}

extern "C" REPRISE_API int rand() noexcept { return in_turn(next_rand, REPRISE_CALLER); }
extern "C" REPRISE_API void srand(unsigned seed) noexcept { in_turn(next_srand, REPRISE_CALLER, seed); }
extern "C" REPRISE_API long random() noexcept { return in_turn(next_random, REPRISE_CALLER); }
extern "C" REPRISE_API void srandom(unsigned seed) noexcept { in_turn(next_srandom, REPRISE_CALLER, seed); }
extern "C" REPRISE_API double drand48() noexcept { return in_turn(next_drand48, REPRISE_CALLER); }
extern "C" REPRISE_API long lrand48() noexcept { return in_turn(next_lrand48, REPRISE_CALLER); }
extern "C" REPRISE_API long mrand48() noexcept { return in_turn(next_mrand48, REPRISE_CALLER); }
extern "C" REPRISE_API void srand48(long seed) noexcept { in_turn(next_srand48, REPRISE_CALLER, seed); }

// What std::random_device gives, whether it asks the processor or the system.
extern "C" REPRISE_API unsigned random_device_value(std::random_device* device) __asm__(
    "_ZNSt13random_device9_M_getvalEv");
extern "C" REPRISE_API unsigned random_device_value(std::random_device* device) {
  if (!is_recorded(REPRISE_CALLER)) return next_random_device.get()(device);
  return value("random_device", [device] { return next_random_device.get()(device); });
}
