// A second thread that runs the same work at the same time, and sleeps in between.
//
//   Team team;
//   const double wall = team.both([&] { work(); });     // both threads at once, from the common start to the later end
//
// While a Team lives the process has two threads, so that glibc does not take its single-thread path.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "measure.h"

namespace bench {

class Team {
 public:
  Team() : second_([this] { serve(); }) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    work_ = nullptr;
    call_.fetch_add(1);
    call_.notify_one();
    second_.join();
  }

  double both(const std::function<void()>& work) {
    work_ = &work;
    ready_.store(false);
    done_.store(false);
    call_.fetch_add(1);
    call_.notify_one();
    while (!ready_.load()) {
    }
    const double start = wall_ns();
    go_.store(true);
    work();
    while (!done_.load()) {
    }
    return wall_ns() - start;
  }

 private:
  void serve() {
    for (unsigned seen = 0;;) {
      call_.wait(seen);
      seen = call_.load();
      const std::function<void()>* work = work_;
      if (work == nullptr) return;
      ready_.store(true);
      while (!go_.load()) {
      }
      go_.store(false);
      (*work)();
      done_.store(true);
    }
  }

  const std::function<void()>* work_{nullptr};
  std::atomic<unsigned> call_{0};
  std::atomic<bool> ready_{false};
  std::atomic<bool> go_{false};
  std::atomic<bool> done_{false};
  std::thread second_;
};

}  // namespace bench
