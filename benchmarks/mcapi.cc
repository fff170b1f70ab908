// The cost of MCAPI without recording: a message of 64 bytes, one way, between two processes.
//
//   ./bench mcapi [--quick] [--json]
//
// The plain side is a ring in shared memory with a robust mutex, whose other side is woken by a futex: what one would
// write by hand to survive a dead peer. CPU time of both processes is counted.
#include <linux/futex.h>
#include <mcapi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>

#include "measure.h"
#include "report.h"

namespace bench {
namespace {

constexpr std::size_t message_bytes = 64;

struct Ring {
  static constexpr std::uint32_t size = 1024;

  pthread_mutex_t mutex{};
  std::uint32_t head{0};
  std::uint32_t tail{0};
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> sleeping{0};
  char slots[size][message_bytes]{};

  Ring() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
  }
  void lock() {
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  }
  void wake() {
    if (sleeping.load() == 0 || sleeping.exchange(0) == 0) return;
    word.fetch_add(1);
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  template <typename Attempt>
  void until(Attempt attempt) {
    for (;;) {
      sleeping.store(1);
      const std::uint32_t seen = word.load();
      if (attempt()) return;
      syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
    }
  }
  bool put(const char* bytes) {
    lock();
    const bool fits = tail - head < size;
    if (fits) std::memcpy(slots[tail++ % size], bytes, message_bytes);
    pthread_mutex_unlock(&mutex);
    if (fits) wake();
    return fits;
  }
  bool take(char* bytes) {
    lock();
    const bool some = tail != head;
    const bool was_full = tail - head == size;
    if (some) std::memcpy(bytes, slots[head++ % size], message_bytes);
    pthread_mutex_unlock(&mutex);
    if (was_full) wake();
    return some;
  }
};

double cpu_ns(const rusage& usage) {
  const auto ns = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// CPU time of both processes while the child sends and the parent receives.
template <typename Send, typename Receive>
double between_processes(Send send, Receive receive) {
  const pid_t child = fork();
  if (child == 0) {
    send();
    _exit(0);
  }
  const double before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  receive();
  const double own = now_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  return own + cpu_ns(usage);
}

double by_ring(int count) {
  void* place = mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Ring& ring = *new (place) Ring;
  char bytes[message_bytes] = {};
  const double took = between_processes(
      [&] {
        for (int i = 0; i < count; ++i) {
          if (!ring.put(bytes)) ring.until([&] { return ring.put(bytes); });
        }
      },
      [&] {
        for (int i = 0; i < count; ++i) {
          if (!ring.take(bytes)) ring.until([&] { return ring.take(bytes); });
        }
      });
  munmap(place, sizeof(Ring));
  return took;
}

// The parent is node 1 all the time; initialising the child is part of no figure's claim, but costs the same few
// hundred microseconds in each run.
double by_mcapi(int count, mcapi_endpoint_t mine) {
  char bytes[message_bytes] = {};
  mcapi_status_t status = 0;
  return between_processes(
      [&] {
        mcapi_info_t info;
        mcapi_initialize(0, 2, nullptr, nullptr, &info, &status);
        const mcapi_endpoint_t own = mcapi_endpoint_create(1, &status);
        for (int i = 0; i < count; ++i) mcapi_msg_send(own, mine, bytes, sizeof bytes, 0, &status);
        mcapi_finalize(&status);
      },
      [&] {
        std::size_t size = 0;
        for (int i = 0; i < count; ++i) mcapi_msg_recv(mine, bytes, sizeof bytes, &size, &status);
      });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bool quick = false;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    quick |= std::strcmp(argv[i], "--quick") == 0;
    json |= std::strcmp(argv[i], "--json") == 0;
  }
  setenv("MCAPI_RUN", ("bench-" + std::to_string(getpid())).c_str(), 1);
  mcapi_status_t status = 0;
  mcapi_info_t info;
  mcapi_initialize(0, 1, nullptr, nullptr, &info, &status);
  const mcapi_endpoint_t mine = mcapi_endpoint_create(1, &status);
  const int count = quick ? 2'000 : 50'000;
  bench::Report report(json, !quick);
  const bench::Figure figure = bench::measure_pairs([&] { return bench::by_ring(count); },
                                                    [&] { return bench::by_mcapi(count, mine); }, quick ? 3 : 101);
  report.add("mcapi.send", figure.ratio, figure.noise);
  mcapi_finalize(&status);
  return report.finish() ? 0 : 1;
}
