#include "gate/run_order.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>

namespace reprise::gate::run_order {
namespace {

constexpr std::uint32_t places_max = 256;
constexpr long look_again_ns = 10'000'000;  // a wake-up between look and sleep costs this much, at worst

struct Counter {
  std::atomic<std::uint64_t> path;     // digest of the path, 0 when free
  std::atomic<std::uint64_t> written;  // how often it was written to, by whom ever
};

struct Shared {
  std::array<Counter, places_max> counters;
};

Shared own;  // until the run's file is mapped: a process that is replayed alone still has its places
Shared* shared = &own;
int lock_file = -1;
std::array<std::atomic<bool>, places_max> taken{};       // by a place of this process
std::array<std::uint64_t, places_max> written_before{};  // by the last place of this process that had it

// Released by the kernel when its holder dies.
void lock(short type) {
  struct flock whole {};
  whole.l_type = type;
  while (fcntl(lock_file, F_OFD_SETLKW, &whole) != 0 && errno == EINTR) {
  }
}

std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3u;
  return hash | 1;
}

std::uint32_t* low_half(std::atomic<std::uint64_t>& word) { return reinterpret_cast<std::uint32_t*>(&word); }

std::uint32_t find_counter(std::uint64_t path) {
  for (std::uint32_t i = 1; i < places_max; ++i) {
    std::uint64_t found = 0;
    if (shared->counters[i].path.compare_exchange_strong(found, path) || found == path) return i;
  }
  return 0;
}

}  // namespace

void join(const std::string& folder) {
  if (lock_file >= 0) close(lock_file);
  lock_file = -1;
  // The parent's mapping keeps the parent's lock: if it dies with it, nobody could write any more.
  if (shared != &own) munmap(shared, sizeof(Shared));
  shared = &own;
  if (folder.empty()) return;
  lock_file = open((folder + "/outputs.order").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_file < 0) return;
  if (posix_fallocate(lock_file, 0, sizeof(Shared)) == 0) {
    void* at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, lock_file, 0);
    if (at != MAP_FAILED) shared = static_cast<Shared*>(at);
  }
}

bool is_joined() noexcept { return shared != &own && lock_file >= 0; }

Place place_of(std::string_view path) {
  Place place;
  place.index = find_counter(digest(path));
  if (place.index != 0) place.is_shared = !taken[place.index].exchange(true);
  if (place.is_shared) place.written = written_before[place.index];
  return place;
}

void give_back(Place& place) {
  if (place.is_shared) {
    written_before[place.index] = place.written;
    taken[place.index].store(false);
  }
  place.is_shared = false;
}

std::uint64_t enter(const Place& place) {
  lock(F_WRLCK);
  return shared->counters[place.index].written.load() - place.written;
}

void await(const Place& place, std::uint64_t others) {
  std::atomic<std::uint64_t>& written = shared->counters[place.index].written;
  for (;;) {
    const std::uint64_t now = written.load();
    if (now - place.written >= others) return;
    const timespec wait{0, look_again_ns};
    syscall(SYS_futex, low_half(written), FUTEX_WAIT, static_cast<std::uint32_t>(now), &wait, nullptr, 0);
  }
}

void leave(Place& place, bool locked) {
  std::atomic<std::uint64_t>& written = shared->counters[place.index].written;
  place.written = written.fetch_add(1) + 1;
  if (locked) {
    lock(F_UNLCK);
  } else {
    syscall(SYS_futex, low_half(written), FUTEX_WAKE, 0x7FFFFFFF, nullptr, nullptr, 0);
  }
}

}  // namespace reprise::gate::run_order
