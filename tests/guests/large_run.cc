// Trait: it makes a recording of any size: many threads over time or at once, many objects, or many bytes from outside.
// Label: helper
//
// Use: large_run threads|at_once|objects|mebibytes COUNT
#include <pthread.h>
#include <reprise/reprise.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace {

// Short threads, ten at a time.
std::uint64_t threads(std::uint64_t count) {
  reprise::atomic<std::uint64_t> tickets{0};
  std::uint64_t digest = 0;
  for (std::uint64_t i = 0; i < count; i += 10) {
    std::uint64_t taken[10] = {};
    std::vector<reprise::thread> started;
    for (std::uint64_t& mine : taken) started.emplace_back([&] { mine = tickets.fetch_add(1); });
    for (reprise::thread& thread : started) thread.join();
    for (const std::uint64_t mine : taken) digest = digest * 31 + mine;
  }
  return digest;
}

struct Waiting {
  reprise::mutex mutex;
  reprise::condition_variable changed;
  std::uint64_t missing{0};
  std::uint64_t digest{0};
};

void* wait_for_all(void* argument) {
  auto& all = *static_cast<Waiting*>(argument);
  std::unique_lock lock(all.mutex);
  if (--all.missing == 0) all.changed.notify_all();
  all.changed.wait(lock, [&] { return all.missing == 0; });
  all.digest = all.digest * 31 + 7;
  return nullptr;
}

// All of them live at the same time, with small stacks.
std::uint64_t at_once(std::uint64_t count) {
  Waiting all;
  all.missing = count;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  std::vector<pthread_t> started(count);
  for (pthread_t& thread : started) {
    if (pthread_create(&thread, &attributes, wait_for_all, &all) != 0) std::exit(77);
  }
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  return all.digest;
}

std::uint64_t objects(std::uint64_t count) {
  std::deque<reprise::mutex> mutexes(count);
  std::uint64_t met = 0;
  const auto visit = [&] {
    for (reprise::mutex& mutex : mutexes) {
      const std::lock_guard lock(mutex);
      met = met * 3 + 1;
    }
  };
  visit();
  reprise::thread(visit).join();
  return met;
}

// Bytes from outside, in pieces of 64 KiB that zstd makes little smaller, by two threads that meet.
std::uint64_t mebibytes(std::uint64_t count) {
  constexpr std::size_t piece = 64 << 10;
  reprise::mutex mutex;
  std::uint64_t digest = 0;
  const auto take = [&](std::uint64_t random) {
    for (std::uint64_t i = 0; i < count * 8; ++i) {
      const auto text = reprise::value("text", [&] {
        std::string bytes(piece, '\0');
        for (std::size_t at = 0; at < piece; at += 2) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          bytes[at] = static_cast<char>(random >> 56);
        }
        return bytes;
      });
      const std::lock_guard lock(mutex);
      digest = digest * 31 + static_cast<unsigned char>(text[i % piece]);
    }
  };
  reprise::thread a(take, 1);
  reprise::thread b(take, 2);
  a.join();
  b.join();
  return digest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string kind = argv[1];
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  auto* const make = kind == "threads"   ? threads
                     : kind == "at_once" ? at_once
                     : kind == "objects" ? objects
                                         : mebibytes;
  reprise::out << kind << ' ' << make(count) << '\n';
}
