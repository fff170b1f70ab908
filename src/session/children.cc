// fork and exec: a child is a process of its own, named by its parent, the forking thread and a number; exec starts the
// next image of the same process.
//
// fork is followed when the parent has one thread, or when the child does nothing but exec. A child of several threads
// that passes a gate holds locks that nobody will ever release: that is refused, aloud.
#include <dlfcn.h>
#include <reprise/detail/gate.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>
#include <string>
#include <vector>

#include "gate/children.h"
#include "gate/free.h"
#include "session/session.h"

extern char** environ;

namespace reprise::session {
namespace {

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__thread std::uint32_t forks = 0;
__thread std::uint32_t images = 1;

std::string path_text(const gate::Thread& thread) { return std::to_string(thread.index - 1); }

// Stands before the gate of a child that must not pass any.
class OnlyExec final : public gate::Free {
 public:
  Kind arrive(gate::Thread& thread, gate::Object& object, Kind kind) override {
    say();
    return Free::arrive(thread, object, kind);
  }
  Kind begin(gate::Thread& thread, gate::Object& object, Kind kind) override {
    say();
    return Free::begin(thread, object, kind);
  }
  bool given(gate::Thread&, Kind, std::string_view, Take, void*) override {
    say();
    return false;
  }
  bool chosen(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t& number) override {
    say();
    return Free::chosen(thread, kind, expected, number);
  }
  gate::Thread* spawn(gate::Thread&) override {
    say();
    return nullptr;
  }

 private:
  // The parent's log is still mapped here: that is where it is said.
  static void say() {
    Session* self = session();
    if (self != nullptr && self->recorder != nullptr) {
      self->recorder->refuse(
          "a process with several threads forked and its child did more than exec, which cannot be replayed");
    }
  }
};

void become_child(const std::string& name, bool had_other_threads, const gate::Slot& forked) {
  forks = 0;
  images = 1;
  if (!had_other_threads) return continue_in_child(name, forked);
  session()->settings.process = name;
  static constinit OnlyExec* only_exec = nullptr;
  only_exec = new OnlyExec;
  auto* stand_in = new gate::Thread;
  stand_in->slot = new gate::Slot{};
  stand_in->gate = only_exec;
  gate::current = stand_in;
}

// What the next image needs to go on as the same process.
std::vector<char*> next_environment(char* const* given, std::vector<std::string>& added) {
  Session* self = session();
  if (self != nullptr && gate::current != nullptr && !gate::current->frozen) {
    Settings next = self->settings;
    // A child that was only forked for this image is still in its first.
    const bool is_first =
        self->recorder != nullptr ? gate::current->gate != self->recorder : gate::current->gate != self->replayer;
    if (!is_first) next.process += ".exec" + std::to_string(++images);
    added = next.environment();
  }
  std::vector<char*> variables;
  for (char* const* variable = given; variable != nullptr && *variable != nullptr; ++variable)
    variables.push_back(*variable);
  for (std::string& variable : added) variables.push_back(variable.data());
  variables.push_back(nullptr);
  return variables;
}

int exec_by(const char* function, const char* path, char* const* arguments, char* const* given) {
  gate::Thread* thread = gate::current;
  std::vector<std::string> added;
  std::vector<char*> variables = next_environment(given, added);
  if (thread != nullptr) thread->gate->replacing(*thread, true);
  auto* const native = real<int(const char*, char* const*, char* const*)>(function);
  const int result = native(path, arguments, variables.data());
  // Still here: it failed, and the process goes on.
  if (thread != nullptr) thread->gate->replacing(*thread, false);
  return result;
}

std::vector<char*> collect(const char* first, va_list& rest) {
  std::vector<char*> arguments;
  for (char* argument = const_cast<char*>(first); argument != nullptr; argument = va_arg(rest, char*))
    arguments.push_back(argument);
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace
}  // namespace reprise::session

using namespace reprise;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" REPRISE_API pid_t fork() {
  auto* const native = session::real<pid_t()>("fork");
  gate::Thread* thread = gate::current;
  session::Session* self = session::session();
  if (thread == nullptr || self == nullptr) return native();
  if (thread->frozen) {
    const pid_t child = native();
    if (child == 0) gate::current = nullptr;  // alone there, it need exclude nobody
    return child;
  }
  const std::uint32_t ordinal = ++session::forks;
  const std::string name = self->settings.process + "-" + session::path_text(*thread) + "-" + std::to_string(ordinal);
  thread->gate->step(*thread, Kind::fork, ordinal);
  const bool others = thread->gate->other_threads();
  // Copied now: the slot lies in a file that both share, and the parent goes on.
  const gate::Slot forked = *thread->slot;
  const pid_t child = native();
  if (child == 0) {
    if (session::is_left_out(name)) session::end_as_recorded(name);
    gate::forget_children();
    session::become_child(name, others, forked);
  } else if (child > 0) {
    gate::note_child({thread->index, ordinal}, child);
  }
  return child;
}

extern "C" REPRISE_API int execve(const char* path, char* const arguments[], char* const variables[]) {
  return session::exec_by("execve", path, arguments, variables);
}

extern "C" REPRISE_API int execvpe(const char* file, char* const arguments[], char* const variables[]) {
  return session::exec_by("execvpe", file, arguments, variables);
}

extern "C" REPRISE_API int execv(const char* path, char* const arguments[]) {
  return session::exec_by("execve", path, arguments, environ);
}

extern "C" REPRISE_API int execvp(const char* file, char* const arguments[]) {
  return session::exec_by("execvpe", file, arguments, environ);
}

extern "C" REPRISE_API int execl(const char* path, const char* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  std::vector<char*> arguments = session::collect(argument, rest);
  va_end(rest);
  return session::exec_by("execve", path, arguments.data(), environ);
}

extern "C" REPRISE_API int execlp(const char* file, const char* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  std::vector<char*> arguments = session::collect(argument, rest);
  va_end(rest);
  return session::exec_by("execvpe", file, arguments.data(), environ);
}

extern "C" REPRISE_API int execle(const char* path, const char* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  std::vector<char*> arguments = session::collect(argument, rest);
  char* const* variables = va_arg(rest, char* const*);
  va_end(rest);
  return session::exec_by("execve", path, arguments.data(), variables);
}
