#include "program/adapters/mcapi/shared.h"

#include <linux/futex.h>
#include <reprise/detail/gate.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

void Event::sleep(std::uint32_t seen, std::chrono::nanoseconds at_most) noexcept {
  const std::int64_t ns = at_most.count();
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void Event::wake() noexcept {
  if (sleeping.exchange(0, std::memory_order_seq_cst) == 0) return;
  word.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void make_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

Lock::Lock(pthread_mutex_t& mutex, void (*repair)(void*), void* context, Try attempts) : mutex_(&mutex) {
  // A lock is held for some tens of nanoseconds: to look again costs less than to sleep and be woken. Who rests longer
  // leaves the holder more of its messages: each change of hands takes a few cache lines along, and costs as much as
  // five messages.
  int result = pthread_mutex_trylock(&mutex);
  unsigned pauses = 4;
  for (int i = 0; result == EBUSY && attempts != Try::once && i < 8; ++i) {
    gate::rest(pauses);
    pauses = std::min(pauses * 2, 64u);
    result = pthread_mutex_trylock(&mutex);
  }
  if (result == EBUSY) {
    if (attempts == Try::once) {
      mutex_ = nullptr;
      return;
    }
    result = pthread_mutex_lock(&mutex);
  }
  if (result != EOWNERDEAD) return;
  if (repair != nullptr) repair(context);
  segment().header().needs_sweep.store(1);
  pthread_mutex_consistent(&mutex);
}

}  // namespace reprise::mcapi
