// pthread_create and its family, so that every thread has a path and joins are steps, whoever makes the threads.
#include <dlfcn.h>
#include <pthread.h>
#include <reprise/detail/noted.h>
#include <reprise/thread.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace reprise {
namespace {

__thread std::uint32_t last_spawned_index = 0;

// The calling thread's path; a long one begins with the index of its parent, as in format/recording.md.
constexpr std::size_t path_bytes = 208;
constexpr std::size_t path_length_max = 200;
__thread char own_path[path_bytes] = "0";

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Threads that may still be joined.
std::mutex joinable_mutex;
std::unordered_map<pthread_t, std::uint32_t>* joinable = nullptr;  // never destroyed

void remember_joinable(pthread_t native, std::uint32_t index) {
  const std::lock_guard lock(joinable_mutex);
  if (joinable == nullptr) joinable = new std::unordered_map<pthread_t, std::uint32_t>;
  (*joinable)[native] = index;
}

std::uint32_t index_of(pthread_t native, bool forget) {
  const std::lock_guard lock(joinable_mutex);
  if (joinable == nullptr) return 0;
  const auto found = joinable->find(native);
  if (found == joinable->end()) return 0;
  const std::uint32_t index = found->second;
  if (forget) joinable->erase(found);
  return index;
}

struct Start {
  void* (*routine)(void*);
  void* argument;
  gate::Thread* thread;
  char path[path_bytes];
  bool is_active;
};

void write_path(char (&path)[path_bytes], const gate::Thread& parent, const gate::Thread& child) {
  if (std::strlen(own_path) > path_length_max - 11) {
    std::snprintf(path, sizeof path, "#%u.%u", parent.index, child.slot->ordinal);
  } else {
    std::snprintf(path, sizeof path, "%.*s.%u", static_cast<int>(path_length_max), own_path, child.slot->ordinal);
  }
}

// A thread ends after its thread_local destructors, which run before those of pthread keys; once more round lets other
// keys go first.
struct Ending {
  gate::Thread* thread;
  bool again;
};

pthread_key_t end_key;
pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

void at_thread_end(void* argument) {
  auto* ending = static_cast<Ending*>(argument);
  if (!ending->again) {
    ending->again = true;
    pthread_setspecific(end_key, ending);
    return;
  }
  gate::Thread* thread = gate::current;
  delete ending;
  if (thread != nullptr) thread->gate->ended(*thread);
}

void make_end_key() { pthread_key_create(&end_key, at_thread_end); }

void* run(void* argument) {
  auto* start = static_cast<Start*>(argument);
  const Start copy = *start;
  delete start;
  std::copy(std::begin(copy.path), std::end(copy.path), own_path);
  pthread_setspecific(end_key, new Ending{copy.thread, false});
  copy.thread->gate->started(*copy.thread);
  if (copy.is_active) detail::count_active();
  return copy.routine(copy.argument);
}

bool is_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

}  // namespace

std::uint32_t gate::last_spawned() noexcept { return gate::current != nullptr ? last_spawned_index : 0; }

const char* gate::thread_path() noexcept { return own_path; }

}  // namespace reprise

using namespace reprise;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" REPRISE_API int pthread_create(pthread_t* native, const pthread_attr_t* attributes, void* (*routine)(void*),
                                          void* argument) {
  auto* const create = real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  gate::Thread* parent = gate::current;
  if (parent == nullptr) return create(native, attributes, routine, argument);
  pthread_once(&end_key_once, make_end_key);
  gate::Thread* child = parent->gate->spawn(*parent);
  if (child == nullptr) return create(native, attributes, routine, argument);
  const std::uint32_t index = child->index;  // the child may be gone before create returns
  last_spawned_index = index;
  detail::note_spawn(index);
  auto* start = new Start{routine, argument, child, {}, detail::counted().is_active};
  write_path(start->path, *parent, *child);
  const int error = create(native, attributes, run, start);
  if (error != 0) {
    delete start;
    parent->gate->refuse("the system could not create a thread; that is not replayed");
  } else if (!is_detached(attributes)) {
    remember_joinable(*native, index);
  }
  return error;
}

extern "C" REPRISE_API int pthread_join(pthread_t native, void** result) {
  auto* const join = real<int(pthread_t, void**)>("pthread_join");
  gate::Thread* thread = gate::current;
  const std::uint32_t child = thread != nullptr ? index_of(native, true) : 0;
  if (child == 0) return join(native, result);
  thread->gate->joining(*thread, child);
  const int error = join(native, result);
  thread->gate->joined(*thread, child);
  detail::note_joined(child);
  return error;
}

extern "C" REPRISE_API int pthread_detach(pthread_t native) {
  gate::Thread* thread = gate::current;
  const std::uint32_t child = thread != nullptr ? index_of(native, true) : 0;
  if (child != 0) thread->gate->step(*thread, Kind::detach, child);
  return real<int(pthread_t)>("pthread_detach")(native);
}

extern "C" REPRISE_API int pthread_cancel(pthread_t native) {
  if (gate::installed != nullptr) gate::installed->refuse("the program used pthread_cancel, which cannot be replayed");
  return real<int(pthread_t)>("pthread_cancel")(native);
}
