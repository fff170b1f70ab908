// THREADgo and THREADcreate: threads that are waited for together.
#include <reprise/checkpoint.h>
#include <reprise/mutex.h>

#include <cerrno>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "program/message/care.h"

namespace {

// Never destroyed: exit() may be called while they run.
struct Threads {
  reprise::mutex mutex{"care threads"};
  std::deque<std::thread> waiting;
};
Threads& threads = *new Threads;

// The next one to wait for. Only threads create threads: when all that were created have ended there are no more.
bool join_next() {
  std::unique_lock lock(threads.mutex);
  if (threads.waiting.empty()) return false;
  std::thread next = std::move(threads.waiting.front());
  threads.waiting.pop_front();
  lock.unlock();
  next.join();
  return true;
}

}  // namespace

int care_create(CareRoutine routine, void* argument, int argument_length) {
  try {
    std::string copy(static_cast<const char*>(argument), argument_length > 0 ? argument_length : 0);
    const std::lock_guard lock(threads.mutex);
    threads.waiting.emplace_back([routine, argument, argument_length, copy]() mutable {
      reprise::allow_checkpoints();  // the model of CARE: threads share its objects and messages, nothing else
      routine(argument_length > 0 ? copy.data() : argument);
    });
    return 0;
  } catch (const std::exception& error) {
    reprise::care::warn(std::string("cannot create a thread: ") + error.what());
    errno = EAGAIN;
    return -1;
  }
}

int care_go(CareRoutine routine, void* argument, int argument_length, const int* mode) {
  if (!reprise::care::enter_mode(mode)) return 1;
  if (care_create(routine, argument, argument_length) != 0) return 1;
  while (join_next()) {
  }
  return 0;
}
