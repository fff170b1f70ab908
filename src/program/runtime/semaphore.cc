#include <reprise/semaphore.h>
#include <semaphore.h>

#include <cerrno>
#include <ctime>
#include <exception>

#include "base/check.h"

namespace reprise::detail {
namespace {

static_assert(SEM_VALUE_MAX == NativeSemaphore::max);

sem_t* semaphore_at(std::byte* place) { return reinterpret_cast<sem_t*>(place); }

}  // namespace

NativeSemaphore::NativeSemaphore(std::ptrdiff_t count) noexcept {
  static_assert(sizeof(sem_t) <= sizeof place_);
  static_assert(alignof(sem_t) <= alignof(std::max_align_t));
  if (sem_init(semaphore_at(place_), 0, static_cast<unsigned>(count)) != 0)
    std::terminate();  // as libstdc++: no such count
}

NativeSemaphore::~NativeSemaphore() { sem_destroy(semaphore_at(place_)); }

void NativeSemaphore::release(std::ptrdiff_t count) noexcept {
  for (; count > 0; --count) {
    if (sem_post(semaphore_at(place_)) != 0) std::terminate();  // as libstdc++: above max()
  }
}

void NativeSemaphore::acquire() noexcept {
  while (sem_wait(semaphore_at(place_)) != 0) CHECK(errno == EINTR, errno);
}

bool NativeSemaphore::try_acquire() noexcept {
  while (sem_trywait(semaphore_at(place_)) != 0) {
    if (errno == EAGAIN) return false;
    CHECK(errno == EINTR, errno);
  }
  return true;
}

bool NativeSemaphore::try_acquire_until(std::chrono::steady_clock::time_point time) noexcept {
  const auto since_boot = time.time_since_epoch();
  if (since_boot.count() < 0) return try_acquire();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  const auto rest = std::chrono::nanoseconds(since_boot - seconds);
  const timespec deadline{static_cast<time_t>(seconds.count()), static_cast<long>(rest.count())};
  while (sem_clockwait(semaphore_at(place_), CLOCK_MONOTONIC, &deadline) != 0) {
    if (errno == ETIMEDOUT) return false;
    CHECK(errno == EINTR, errno);
  }
  return true;
}

}  // namespace reprise::detail
