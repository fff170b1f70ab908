// Goal    Futures behave as std's do, before anything stands behind the gate.
// Method  Each test states one rule of the standard on reprise's types; rules about results are tried on T, T& and
// void.
#include <gtest/gtest.h>
#include <reprise/future.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace reprise {
namespace {

using namespace std::chrono_literals;

template <typename Act>
future_errc error_of(Act act) {
  try {
    act();
  } catch (const future_error& error) {
    return static_cast<future_errc>(error.code().value());
  }
  return {};
}

TEST(Promise, GivesItsValueOnce) {
  promise<std::unique_ptr<int>> source;
  future<std::unique_ptr<int>> result = source.get_future();
  EXPECT_TRUE(result.valid());
  source.set_value(std::make_unique<int>(7));
  EXPECT_EQ(*result.get(), 7);
  EXPECT_FALSE(result.valid());
  EXPECT_EQ(error_of([&] { result.get(); }), future_errc::no_state);
}

TEST(Promise, GivesAReference) {
  int number = 1;
  promise<int&> source;
  source.set_value(number);
  source.get_future().get() = 5;
  EXPECT_EQ(number, 5);
}

TEST(Promise, GivesNothing) {
  promise<void> source;
  future<void> result = source.get_future();
  EXPECT_EQ(result.wait_for(0s), future_status::timeout);
  source.set_value();
  EXPECT_EQ(result.wait_for(0s), future_status::ready);
  result.get();
}

TEST(Promise, IsSatisfiedOnce) {
  promise<int> source;
  source.set_value(1);
  EXPECT_EQ(error_of([&] { source.set_value(2); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(error_of([&] { source.set_exception(nullptr); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(error_of([&] { source.set_value_at_thread_exit(3); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(source.get_future().get(), 1);
}

TEST(Promise, GivesOneFuture) {
  promise<int> source;
  const future<int> result = source.get_future();
  EXPECT_EQ(error_of([&] { source.get_future(); }), future_errc::future_already_retrieved);
}

TEST(Promise, BreaksWhenItGoesUnsatisfied) {
  future<int> result;
  {
    promise<int> source;
    result = source.get_future();
    promise<int> moved = std::move(source);
    EXPECT_EQ(error_of([&] { source.get_future(); }), future_errc::no_state);  // NOLINT(bugprone-use-after-move)
  }
  EXPECT_EQ(error_of([&] { result.get(); }), future_errc::broken_promise);
}

TEST(Promise, BreaksWhenAnotherIsAssigned) {
  promise<int> source;
  future<int> result = source.get_future();
  source = promise<int>();
  EXPECT_EQ(error_of([&] { result.get(); }), future_errc::broken_promise);
  source.set_value(3);
  EXPECT_EQ(source.get_future().get(), 3);
}

TEST(Promise, GivesAnException) {
  promise<int> source;
  shared_future<int> result = source.get_future();
  source.set_exception(std::make_exception_ptr(std::runtime_error("wrong")));
  EXPECT_THROW(result.get(), std::runtime_error);
  EXPECT_THROW(result.get(), std::runtime_error);
}

struct ThrowsWhenCopied {
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("copied"); }
  ThrowsWhenCopied(ThrowsWhenCopied&&) noexcept {}
};

TEST(Promise, IsNotSatisfiedByAValueThatThrows) {
  promise<ThrowsWhenCopied> source;
  const ThrowsWhenCopied value;
  EXPECT_THROW(source.set_value(value), std::runtime_error);
  source.set_value(ThrowsWhenCopied());
  source.get_future().get();
}

TEST(Promise, TakesMemoryFromItsAllocator) {
  struct Counting : std::pmr::memory_resource {
    int living{0};
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      ++living;
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
      --living;
      std::pmr::new_delete_resource()->deallocate(place, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  } memory;
  {
    promise<int> source(std::allocator_arg, std::pmr::polymorphic_allocator<>(&memory));
    EXPECT_EQ(memory.living, 1);
    future<int> result = source.get_future();
    source.set_value(4);
    EXPECT_EQ(result.get(), 4);
  }
  EXPECT_EQ(memory.living, 0);
  static_assert(std::uses_allocator_v<promise<int>, std::allocator<int>>);
}

TEST(Promise, IsReadyAtThreadExitAfterLocals) {
  struct Local {
    bool* gone;
    ~Local() { *gone = true; }
  };
  bool gone = false;
  promise<bool*> source;
  future<bool*> result = source.get_future();
  std::thread thread([&] {
    thread_local Local local{&gone};
    source.set_value_at_thread_exit(local.gone);
    EXPECT_EQ(result.wait_for(0s), future_status::timeout);
  });
  EXPECT_TRUE(*result.get());
  thread.join();
}

TEST(SharedFuture, IsAskedByMany) {
  promise<std::string> source;
  const shared_future<std::string> result = source.get_future().share();
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) askers.emplace_back([result] { EXPECT_EQ(result.get(), "told"); });
  source.set_value("told");
  for (std::thread& asker : askers) asker.join();
  const std::string* place = &result.get();
  EXPECT_EQ(place, &shared_future<std::string>(result).get());
  static_assert(std::is_same_v<decltype(result.get()), const std::string&>);
  static_assert(std::is_same_v<decltype(shared_future<int&>().get()), int&>);
  static_assert(std::is_same_v<decltype(shared_future<void>().get()), void>);
}

TEST(Future, TellsWhyATimedWaitEnded) {
  promise<int> source;
  const future<int> result = source.get_future();
  EXPECT_EQ(result.wait_for(1ms), future_status::timeout);
  EXPECT_EQ(result.wait_until(std::chrono::system_clock::now() + 1ms), future_status::timeout);
  EXPECT_EQ(result.wait_until(reprise::steady_clock::now() - 1s), future_status::timeout);
  std::thread setter([&] { source.set_value(1); });
  EXPECT_EQ(result.wait_for(20s), future_status::ready);
  EXPECT_EQ(result.wait_until(std::chrono::steady_clock::now() - 1s), future_status::ready);
  setter.join();
}

TEST(Async, RunsInAThreadThatIsGoneWhenItsResultIsSeen) {
  const auto caller = std::this_thread::get_id();
  static std::atomic<int> gone{0};
  struct Local {
    ~Local() { ++gone; }
  };
  auto result = reprise::async(launch::async, [] {
    thread_local Local local;
    (void)&local;
    return std::this_thread::get_id();
  });
  EXPECT_NE(result.get(), caller);
  EXPECT_EQ(gone, 1);
}

TEST(Async, IsJoinedByItsLastFuture) {
  bool done = false;
  {
    const auto ignored = reprise::async(launch::async, [&] { done = true; });
  }
  EXPECT_TRUE(done);
}

TEST(Async, DefersUntilItIsAskedFor) {
  int runs = 0;
  future<int> result = reprise::async(launch::deferred, [&] { return ++runs; });
  EXPECT_EQ(result.wait_for(1ms), future_status::deferred);
  EXPECT_EQ(runs, 0);
  result.wait();
  EXPECT_EQ(result.wait_for(0s), future_status::ready);
  EXPECT_EQ(result.get(), 1);
}

TEST(Async, NeverRunsWhatNobodyAsksFor) {
  int runs = 0;
  {
    const auto ignored = reprise::async(launch::deferred, [&] { ++runs; });
  }
  EXPECT_EQ(runs, 0);
}

TEST(Async, CopiesItsArguments) {
  std::string text = "before";
  auto result = reprise::async(
      launch::deferred, [](const std::string& own) { return own; }, text);
  auto changed = reprise::async([](std::string& own) { own = "changed"; }, std::ref(text));
  changed.get();
  EXPECT_EQ(result.get(), "before");
  EXPECT_EQ(text, "changed");
  EXPECT_EQ(reprise::async(&std::string::size, text).get(), 7u);
}

TEST(PackagedTask, RunsOnceUntilItIsReset) {
  packaged_task task([](int value) { return value * 2; });
  static_assert(std::is_same_v<decltype(task), packaged_task<int(int)>>);
  future<int> first = task.get_future();
  task(2);
  EXPECT_EQ(error_of([&] { task(3); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(first.get(), 4);
  task.reset();
  future<int> second = task.get_future();
  task(5);
  EXPECT_EQ(second.get(), 10);
}

TEST(PackagedTask, BreaksWhenItGoesUnrun) {
  future<int> result;
  {
    packaged_task<int()> task([] { return 1; });
    result = task.get_future();
    task.reset();
    EXPECT_EQ(error_of([&] { result.get(); }), future_errc::broken_promise);
    result = task.get_future();
  }
  EXPECT_EQ(error_of([&] { result.get(); }), future_errc::broken_promise);
  packaged_task<void()> none;
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(error_of([&] { none(); }), future_errc::no_state);
}

TEST(PackagedTask, KeepsWhatWasThrown) {
  packaged_task<int&()> task([]() -> int& { throw 3; });
  auto result = task.get_future();
  task();
  EXPECT_THROW(result.get(), int);
}

TEST(PackagedTask, IsReadyAtThreadExit) {
  packaged_task<int(std::unique_ptr<int>)> task([](std::unique_ptr<int> value) { return *value; });
  auto result = task.get_future();
  std::thread thread([&] {
    task.make_ready_at_thread_exit(std::make_unique<int>(6));
    EXPECT_EQ(result.wait_for(0s), future_status::timeout);
  });
  EXPECT_EQ(result.get(), 6);
  thread.join();
}

}  // namespace
}  // namespace reprise
