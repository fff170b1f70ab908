#include <pthread.h>
#include <reprise/detail/thread_exit.h>

#include <cstdlib>
#include <utility>

namespace reprise::detail {
namespace {

struct Last {
  void (*run)(void*);
  void* argument;
  Last* next;
};

pthread_key_t key;
pthread_once_t key_once = PTHREAD_ONCE_INIT;

// In the order in which they were asked for.
void run_all(void* first) {
  for (auto* last = static_cast<Last*>(first); last != nullptr;) {
    last->run(last->argument);
    delete std::exchange(last, last->next);
  }
}

void run_at_exit() {
  void* first = pthread_getspecific(key);
  pthread_setspecific(key, nullptr);
  run_all(first);
}

// Keys are not destroyed for the thread that calls exit.
void make_key() {
  pthread_key_create(&key, run_all);
  std::atexit(run_at_exit);
}

}  // namespace

void at_thread_exit(void (*run)(void*), void* argument) {
  pthread_once(&key_once, make_key);
  auto* added = new Last{run, argument, nullptr};
  auto* first = static_cast<Last*>(pthread_getspecific(key));
  if (first == nullptr) {
    pthread_setspecific(key, added);
    return;
  }
  while (first->next != nullptr) first = first->next;
  first->next = added;
}

}  // namespace reprise::detail
