// The processors: how many there are, which ones a thread may use, on which one it runs. Another machine has others,
// and a replay may keep a node on one of them (mcapi/one_core.h).
#include <pthread.h>
#include <reprise/value.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "program/adapters/libc/callers.h"
#include "program/adapters/libc/outcome.h"

namespace reprise::libc {
namespace {

Next<int(pid_t, size_t, cpu_set_t*)> next_sched_getaffinity("sched_getaffinity");
Next<int(pthread_t, size_t, cpu_set_t*)> next_pthread_getaffinity("pthread_getaffinity_np");
Next<int()> next_sched_getcpu("sched_getcpu");
Next<int()> next_get_nprocs("get_nprocs");
Next<int()> next_get_nprocs_conf("get_nprocs_conf");
Next<long(int)> next_sysconf("sysconf");
Next<unsigned()> next_hardware_concurrency("_ZNSt6thread20hardware_concurrencyEv");

// `ask` fills the set; false with errno set if it cannot.
template <typename Ask>
int recorded_set(cpu_set_t* set, size_t size, Ask ask) {
  const auto outcome = value("processors", [&] { return outcome_of(set, ask() ? static_cast<ssize_t>(size) : -1); });
  return give(outcome, set, size) < 0 ? -1 : 0;
}

template <typename Function>
int recorded_number(Next<Function>& next, const void* caller) {
  if (!is_recorded(caller)) return static_cast<int>(next.get()());
  return value("processors", [&] { return static_cast<int>(next.get()()); });
}

}  // namespace
}  // namespace reprise::libc

using namespace reprise::libc;  // NOLINT(google-build-using-namespace): the functions below have C names
using reprise::value;

extern "C" REPRISE_API int sched_getaffinity(pid_t process, size_t size, cpu_set_t* set) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_sched_getaffinity.get()(process, size, set);
  return recorded_set(set, size, [&] { return next_sched_getaffinity.get()(process, size, set) == 0; });
}

// The error is what it returns, not errno.
extern "C" REPRISE_API int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) noexcept {
  if (!is_recorded(REPRISE_CALLER)) return next_pthread_getaffinity.get()(thread, size, set);
  const int errno_before = errno;
  const int failed = recorded_set(set, size, [&] {
    errno = next_pthread_getaffinity.get()(thread, size, set);
    return errno == 0;
  });
  const int error = failed < 0 ? errno : 0;
  errno = errno_before;
  return error;
}

extern "C" REPRISE_API int sched_getcpu() noexcept { return recorded_number(next_sched_getcpu, REPRISE_CALLER); }
extern "C" REPRISE_API int get_nprocs() noexcept { return recorded_number(next_get_nprocs, REPRISE_CALLER); }
extern "C" REPRISE_API int get_nprocs_conf() noexcept { return recorded_number(next_get_nprocs_conf, REPRISE_CALLER); }

extern "C" REPRISE_API long sysconf(int name) noexcept {
  const bool is_number = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  if (!is_number || !is_recorded(REPRISE_CALLER)) return next_sysconf.get()(name);
  return value("processors", [&] { return next_sysconf.get()(name); });
}

REPRISE_API unsigned std::thread::hardware_concurrency() noexcept {
  return static_cast<unsigned>(recorded_number(next_hardware_concurrency, REPRISE_CALLER));
}
