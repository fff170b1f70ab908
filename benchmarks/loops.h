// The loops that are timed inside one process, each once for std's primitive and once for reprise's.
//
// Both sides are the same template, kept out of line and aligned, so that only the primitive differs.
#pragma once

#include <reprise/reprise.h>
#include <reprise/shared.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "measure.h"
#include "team.h"

namespace bench {

#define BENCH_LOOP [[gnu::noinline, gnu::aligned(64)]]

template <typename Mutex>
BENCH_LOOP void lock_unlock(Mutex& mutex, std::uint64_t& counter, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    mutex.lock();
    ++counter;
    mutex.unlock();
  }
}

template <typename Condition>
BENCH_LOOP void notify(Condition& condition, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) condition.notify_one();
}

template <typename Atomic>
BENCH_LOOP void fetch_add(Atomic& atomic, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) atomic.fetch_add(1);
}

template <typename Atomic>
BENCH_LOOP std::uint64_t load(Atomic& atomic, std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) sum += atomic.load();
  return sum;
}

template <typename Mutex>
BENCH_LOOP void lock_unlock_shared(Mutex& mutex, std::uint64_t& sum, const std::uint64_t& counter,
                                   std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    mutex.lock_shared();
    sum += counter;
    mutex.unlock_shared();
  }
}

template <typename Shared>
BENCH_LOOP std::uint64_t read_shared(const Shared& shared, std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) sum += *shared.read();
  return sum;
}

template <typename Shared>
BENCH_LOOP void write_shared(Shared& shared, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) ++*shared.write();
}

// What is shared stands alone on its cache lines, on both sides.
template <typename T>
struct alignas(128) Alone {
  T value{};
};

// Thread CPU time of `run()`.
template <typename Run>
double timed(Run run) {
  const double start = thread_ns();
  run();
  return thread_ns() - start;
}

struct Pairing {
  int pairs{101};
  double run_ns{2e6};
};

inline Figure mutex_figure(const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::mutex>>();
  auto gated = std::make_unique<Alone<reprise::mutex>>();
  std::uint64_t counter = 0;
  const auto run_plain = [&](std::uint64_t rounds) {
    return timed([&] { lock_unlock(plain->value, counter, rounds); });
  };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return timed([&] { lock_unlock(gated->value, counter, rounds); }); }, pairing.pairs);
}

// A reader that sees nothing new: another thread wrote last.
inline Figure shared_read_figure(const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::shared_mutex>>();
  auto gated = std::make_unique<Alone<reprise::shared_mutex>>();
  std::uint64_t counter = 1;
  std::uint64_t sum = 0;
  std::thread([&] { lock_unlock(gated->value, counter, 1); }).join();
  const auto run_plain = [&](std::uint64_t rounds) {
    return timed([&] { lock_unlock_shared(plain->value, sum, counter, rounds); });
  };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return timed([&] { lock_unlock_shared(gated->value, sum, counter, rounds); }); },
                       pairing.pairs);
}

// Runs with nothing behind the gate, as in mode off.
template <typename Run>
double timed_off(Run run) {
  reprise::gate::Thread* const thread = std::exchange(reprise::gate::current, nullptr);
  const double took = timed(run);
  reprise::gate::current = thread;
  return took;
}

// A shared object, recorded against off. Each side has its own: nobody passes one of them both ways.
inline Figure shared_object_figure(const Pairing& pairing, bool writes) {
  auto off = std::make_unique<Alone<reprise::shared<std::uint64_t>>>();
  auto gated = std::make_unique<Alone<reprise::shared<std::uint64_t>>>();
  volatile std::uint64_t sink = 0;
  if (!writes) std::thread([&] { write_shared(gated->value, 1); }).join();
  const auto pass = [&](reprise::shared<std::uint64_t>& shared, std::uint64_t rounds) {
    if (writes) {
      write_shared(shared, rounds);
    } else {
      sink = read_shared(shared, rounds);
    }
  };
  const auto run_off = [&](std::uint64_t rounds) { return timed_off([&] { pass(off->value, rounds); }); };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_off);
  return measure_pairs([&] { return run_off(rounds); }, [&] { return timed([&] { pass(gated->value, rounds); }); },
                       pairing.pairs);
}

inline Figure contended_mutex_figure(Team& team, const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::mutex>>();
  auto gated = std::make_unique<Alone<reprise::mutex>>();
  auto counter = std::make_unique<Alone<std::uint64_t>>();
  const auto run_plain = [&](std::uint64_t rounds) {
    return team.both([&] { lock_unlock(plain->value, counter->value, rounds); });
  };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return team.both([&] { lock_unlock(gated->value, counter->value, rounds); }); },
                       pairing.pairs);
}

inline Figure notify_figure(const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::condition_variable>>();
  auto gated = std::make_unique<Alone<reprise::condition_variable>>();
  const auto run_plain = [&](std::uint64_t rounds) { return timed([&] { notify(plain->value, rounds); }); };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); }, [&] { return timed([&] { notify(gated->value, rounds); }); },
                       pairing.pairs);
}

inline Figure fetch_add_figure(const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::atomic<std::uint64_t>>>();
  auto gated = std::make_unique<Alone<reprise::atomic<std::uint64_t>>>();
  const auto run_plain = [&](std::uint64_t rounds) { return timed([&] { fetch_add(plain->value, rounds); }); };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return timed([&] { fetch_add(gated->value, rounds); }); }, pairing.pairs);
}

inline Figure contended_fetch_add_figure(Team& team, const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::atomic<std::uint64_t>>>();
  auto gated = std::make_unique<Alone<reprise::atomic<std::uint64_t>>>();
  const auto run_plain = [&](std::uint64_t rounds) { return team.both([&] { fetch_add(plain->value, rounds); }); };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return team.both([&] { fetch_add(gated->value, rounds); }); }, pairing.pairs);
}

// A gated load that sees nothing new, against a plain fetch_add. The value is another thread's, so that it is the
// thread's memory of what it saw that answers, not its ownership.
inline Figure load_figure(const Pairing& pairing) {
  auto plain = std::make_unique<Alone<std::atomic<std::uint64_t>>>();
  auto gated = std::make_unique<Alone<reprise::atomic<std::uint64_t>>>();
  std::thread([&] { gated->value.store(1); }).join();
  volatile std::uint64_t sink = 0;
  const auto run_plain = [&](std::uint64_t rounds) { return timed([&] { fetch_add(plain->value, rounds); }); };
  const std::uint64_t rounds = rounds_for(pairing.run_ns, run_plain);
  return measure_pairs([&] { return run_plain(rounds); },
                       [&] { return timed([&] { sink = load(gated->value, rounds); }); }, pairing.pairs);
}

}  // namespace bench
