// The thread sanitizer of g++ 12 does not know pthread_mutex_clocklock, which std::timed_mutex uses, and then takes
// each unlock for an error. It knows pthread_mutex_timedlock: this is linked into what is built for it, and nothing
// else.
#include <pthread.h>
#include <time.h>

namespace {

constexpr long nanoseconds_per_second = 1'000'000'000;

// The same instant on the clock of pthread_mutex_timedlock.
timespec on_realtime(clockid_t clock, const timespec& until) {
  timespec now{};
  timespec real{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  timespec moved{until.tv_sec - now.tv_sec + real.tv_sec, until.tv_nsec - now.tv_nsec + real.tv_nsec};
  while (moved.tv_nsec < 0) {
    moved.tv_nsec += nanoseconds_per_second;
    --moved.tv_sec;
  }
  while (moved.tv_nsec >= nanoseconds_per_second) {
    moved.tv_nsec -= nanoseconds_per_second;
    ++moved.tv_sec;
  }
  return moved;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                                              const timespec* until) noexcept {
  const timespec moved = on_realtime(clock, *until);
  return pthread_mutex_timedlock(mutex, &moved);
}
