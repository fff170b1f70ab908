// Goal    Semaphores, latches, barriers, once flags, atomic_ref and stoppable waits behave as std's do, before anything
//         stands behind the gate; and the barrier's other form, which stands in for std's behind one, counts as it
//         does.
// Method  One rule of the standard per test.
#include <gtest/gtest.h>
#include <reprise/reprise.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace reprise {
namespace {

using namespace std::chrono_literals;

TEST(Semaphore, CountsWhatIsThere) {
  counting_semaphore<5> slots(1);
  EXPECT_TRUE(slots.try_acquire());
  EXPECT_FALSE(slots.try_acquire());
  slots.release(3);
  slots.acquire();
  EXPECT_TRUE(slots.try_acquire_for(0s));
  EXPECT_TRUE(slots.try_acquire_until(std::chrono::system_clock::now() + 1s));
  EXPECT_FALSE(slots.try_acquire());
  static_assert(counting_semaphore<5>::max() >= 5 && binary_semaphore::max() >= 1);
}

TEST(Semaphore, GivesUpAtTheTimeOfEachClock) {
  binary_semaphore taken(0);
  EXPECT_FALSE(taken.try_acquire_for(1ms));
  EXPECT_FALSE(taken.try_acquire_for(-1h));
  EXPECT_FALSE(taken.try_acquire_until(std::chrono::steady_clock::now() + 1ms));
  EXPECT_FALSE(taken.try_acquire_until(std::chrono::system_clock::now() + 1ms));
  EXPECT_FALSE(taken.try_acquire_until(reprise::system_clock::now() - 1h));
}

TEST(Semaphore, WakesWhoWaits) {
  binary_semaphore ping(0);
  binary_semaphore pong(0);
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) {
      ping.acquire();
      pong.release();
    }
  });
  for (int i = 0; i < 1000; ++i) {
    ping.release();
    EXPECT_TRUE(pong.try_acquire_for(20s));
  }
  other.join();
}

TEST(Latch, OpensWhenAllHaveArrived) {
  latch gate(3);
  gate.count_down(2);
  EXPECT_FALSE(gate.try_wait());
  std::thread last([&] { gate.arrive_and_wait(); });
  gate.wait();
  EXPECT_TRUE(gate.try_wait());
  last.join();
}

// Both forms of a barrier, by what they have in common.
template <typename Barrier>
class BarrierForms : public testing::Test {};

struct AsOff {
  explicit AsOff(std::ptrdiff_t expected, std::function<void()> completion)
      : barrier(expected, Completion{std::move(completion)}) {}
  struct Completion {
    std::function<void()> run;
    void operator()() noexcept { run(); }
  };
  reprise::barrier<Completion> barrier;
  auto arrive(std::ptrdiff_t count) { return barrier.arrive(count); }
  template <typename Token>
  void wait(Token token) {
    barrier.wait(std::move(token));
  }
  void arrive_and_wait() { barrier.arrive_and_wait(); }
  void arrive_and_drop() { barrier.arrive_and_drop(); }
};

struct AsGated {
  explicit AsGated(std::ptrdiff_t expected, std::function<void()> completion)
      : barrier(expected, nullptr, std::move(completion)) {}
  detail::GatedBarrier<std::function<void()>> barrier;
  std::uint64_t arrive(std::ptrdiff_t count) { return barrier.arrive(count, 0); }
  void wait(std::uint64_t phase) { barrier.wait(phase); }
  void arrive_and_wait() { barrier.arrive_and_wait(); }
  void arrive_and_drop() { barrier.arrive(1, 1); }
};

using BothForms = testing::Types<AsOff, AsGated>;
TYPED_TEST_SUITE(BarrierForms, BothForms);

TYPED_TEST(BarrierForms, CompletesOncePerPhase) {
  int completions = 0;
  int sum = 0;
  TypeParam meeting(3, [&] { ++completions; });
  std::vector<std::thread> threads;
  std::mutex guard;
  for (int who = 0; who < 3; ++who) {
    threads.emplace_back([&] {
      for (int phase = 0; phase < 100; ++phase) {
        {
          const std::lock_guard lock(guard);
          sum += completions == phase ? 1 : 0;
        }
        meeting.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completions, 100);
  EXPECT_EQ(sum, 300);
}

TYPED_TEST(BarrierForms, LetsOneArriveForSeveralAndWaitLater) {
  int completions = 0;
  TypeParam meeting(3, [&] { ++completions; });
  auto token = meeting.arrive(2);
  EXPECT_EQ(completions, 0);
  std::thread other([&] { meeting.arrive_and_wait(); });
  meeting.wait(std::move(token));
  EXPECT_EQ(completions, 1);
  other.join();
}

TYPED_TEST(BarrierForms, ExpectsFewerAfterADrop) {
  int completions = 0;
  TypeParam meeting(2, [&] { ++completions; });
  std::thread leaver([&] { meeting.arrive_and_drop(); });
  meeting.arrive_and_wait();
  leaver.join();
  meeting.arrive_and_wait();
  meeting.arrive_and_wait();
  EXPECT_EQ(completions, 3);
}

TEST(CallOnce, RunsOnceAndAgainAfterAnException) {
  once_flag flag;
  int tries = 0;
  const auto run = [&](int wanted) {
    if (++tries < wanted) throw std::runtime_error("not yet");
  };
  EXPECT_THROW(call_once(flag, run, 2), std::runtime_error);
  call_once(flag, run, 2);
  call_once(flag, run, 2);
  EXPECT_EQ(tries, 2);
  static constinit once_flag constant;
  call_once(constant, [] {});
}

TEST(AtomicRef, ChangesTheVariableItself) {
  int number = 1;
  {
    const atomic_ref shared(number);
    EXPECT_EQ(shared.fetch_add(2), 1);
    EXPECT_EQ(shared.exchange(10), 3);
    int expected = 10;
    EXPECT_TRUE(shared.compare_exchange_strong(expected, 12));
    EXPECT_FALSE(shared.compare_exchange_weak(expected, 0));
    EXPECT_EQ(expected, 12);
    shared = 13;
    EXPECT_EQ(shared, 13);
    EXPECT_EQ(shared++, 13);
    EXPECT_EQ(shared -= 4, 10);
    EXPECT_EQ(shared |= 5, 15);
    const atomic_ref copy = shared;
    copy.store(20);
    copy.notify_all();
    copy.wait(0);
  }
  EXPECT_EQ(number, 20);
}

TEST(ConditionVariableAny, EndsAWaitWhenAStopIsRequested) {
  mutex guard;
  condition_variable_any changed;
  stop_source stop;
  std::unique_lock lock(guard);
  EXPECT_FALSE(changed.wait_for(lock, stop.get_token(), 1ms, [] { return false; }));
  std::thread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(changed.wait(lock, stop.get_token(), [] { return false; }));
  EXPECT_TRUE(lock.owns_lock());
  stopper.join();
  EXPECT_TRUE(changed.wait(lock, stop.get_token(), [] { return true; }));
  EXPECT_FALSE(
      changed.wait_until(lock, stop.get_token(), std::chrono::steady_clock::now() + 20s, [] { return false; }));
}

TEST(ConditionVariableAny, MayGoOnceAllWaitersAreNotified) {
  mutex guard;
  for (int round = 0; round < 200; ++round) {
    auto condition = std::make_unique<condition_variable_any>();
    bool waits = false;
    bool ready = false;
    std::thread waiter([&, condition = condition.get()] {
      std::unique_lock lock(guard);
      waits = true;
      while (!ready) condition->wait(lock);
    });
    for (bool waiting = false; !waiting; std::this_thread::yield()) {
      const std::lock_guard lock(guard);
      waiting = waits;
    }
    {
      const std::lock_guard lock(guard);
      ready = true;
      condition->notify_all();
      condition.reset();
    }
    waiter.join();
  }
}

TEST(RecursiveTimedMutex, IsLockedAgainByItsOwnerOnly) {
  recursive_timed_mutex guard;
  EXPECT_TRUE(guard.try_lock_for(1s));
  guard.lock();
  EXPECT_TRUE(guard.try_lock());
  std::thread other([&] {
    EXPECT_FALSE(guard.try_lock());
    EXPECT_FALSE(guard.try_lock_until(reprise::steady_clock::now() + 1ms));
  });
  other.join();
  for (int i = 0; i < 3; ++i) guard.unlock();
  std::thread next([&] {
    EXPECT_TRUE(guard.try_lock());
    guard.unlock();
  });
  next.join();
}

}  // namespace
}  // namespace reprise
