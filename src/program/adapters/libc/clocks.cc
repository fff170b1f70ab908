// The clocks of the system and of libstdc++: their readings are recorded, whichever function tells them.
#include <sys/time.h>
#include <time.h>

#include <chrono>
#include <cstring>

#include "program/adapters/libc/callers.h"

namespace reprise::libc {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t ns_per_us = 1'000;

// One reading as a number.
template <typename Read>
std::int64_t recorded(Read read) {
  gate::Thread& thread = *gate::current;
  std::int64_t count = 0;
  const auto take = [](void* out, const void* bytes, std::size_t size) {
    std::memcpy(out, bytes, size < sizeof count ? size : sizeof count);
  };
  if (thread.gate->given(thread, Kind::clock, {}, take, &count)) return count;
  count = read();
  thread.gate->keep(thread, Kind::clock, {}, &count, sizeof count);
  return count;
}

std::int64_t ns_of(const timespec& time) { return static_cast<std::int64_t>(time.tv_sec) * ns_per_s + time.tv_nsec; }

Next<int(clockid_t, timespec*)> next_clock_gettime("clock_gettime");
Next<int(timeval*, void*)> next_gettimeofday("gettimeofday");
Next<time_t(time_t*)> next_time("time");
Next<clock_t()> next_clock("clock");
Next<int(timespec*, int)> next_timespec_get("timespec_get");
Next<std::chrono::steady_clock::time_point()> next_steady("_ZNSt6chrono3_V212steady_clock3nowEv");
Next<std::chrono::system_clock::time_point()> next_system("_ZNSt6chrono3_V212system_clock3nowEv");

void give(timespec* out, std::int64_t ns) {
  out->tv_sec = static_cast<time_t>(ns / ns_per_s);
  out->tv_nsec = static_cast<long>(ns % ns_per_s);
}

// std::chrono's now() of either clock.
template <typename Clock>
typename Clock::time_point recorded_now(Next<typename Clock::time_point()>& next, const void* caller) {
  if (!is_recorded(caller)) return next.get()();
  const std::int64_t count = recorded([&] { return next.get()().time_since_epoch().count(); });
  return typename Clock::time_point(typename Clock::duration(count));
}

}  // namespace
}  // namespace reprise::libc

using namespace reprise::libc;  // NOLINT(google-build-using-namespace): the functions below have C names

// A clock that does not exist fails alike on replay: that is not recorded.
extern "C" REPRISE_API int clock_gettime(clockid_t clock, timespec* out) noexcept {
  timespec now{};
  if (!is_recorded(REPRISE_CALLER)) return next_clock_gettime.get()(clock, out);
  if (const int failed = next_clock_gettime.get()(clock, &now); failed != 0) return failed;
  give(out, recorded([&] { return ns_of(now); }));
  return 0;
}

extern "C" REPRISE_API int gettimeofday(timeval* out, void* zone) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_gettimeofday.get()(out, zone);
  if (zone != nullptr) next_gettimeofday.get()(out, zone);
  const std::int64_t us = recorded([] {
    timeval now{};
    next_gettimeofday.get()(&now, nullptr);
    return static_cast<std::int64_t>(now.tv_sec) * (ns_per_s / ns_per_us) + now.tv_usec;
  });
  out->tv_sec = static_cast<time_t>(us / (ns_per_s / ns_per_us));
  out->tv_usec = static_cast<suseconds_t>(us % (ns_per_s / ns_per_us));
  return 0;
}

extern "C" REPRISE_API time_t time(time_t* out) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_time.get()(out);
  const auto now = static_cast<time_t>(recorded([] { return static_cast<std::int64_t>(next_time.get()(nullptr)); }));
  if (out != nullptr) *out = now;
  return now;
}

extern "C" REPRISE_API clock_t clock() noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_clock.get()();
  return static_cast<clock_t>(recorded([] { return static_cast<std::int64_t>(next_clock.get()()); }));
}

extern "C" REPRISE_API int timespec_get(timespec* out, int base) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_timespec_get.get()(out, base);
  timespec now{};
  if (const int failed = next_timespec_get.get()(&now, base); failed != base) return failed;
  give(out, recorded([&] { return ns_of(now); }));
  return base;
}

namespace std::chrono {  // NOLINT(cert-dcl58-cpp): what libstdc++ has there is stood before

inline namespace _V2 {

REPRISE_API steady_clock::time_point steady_clock::now() noexcept {
  return recorded_now<steady_clock>(next_steady, REPRISE_CALLER);
}

REPRISE_API system_clock::time_point system_clock::now() noexcept {
  return recorded_now<system_clock>(next_system, REPRISE_CALLER);
}

}  // namespace _V2
}  // namespace std::chrono
