// Whose call it is: of the program, of ours, or of the system's libraries.
//
//   extern "C" REPRISE_API std::time_t time(std::time_t* out) noexcept {
//     if (!is_recorded(CALLER)) return native(out);
//
// What is stood before here is also called by libreprise, by an MCAPI library, and by libstdc++ on behalf of either.
// Those calls are no steps of the program: on replay they come in other numbers.
//
// Threads   Any.
// Cost      Nothing recorded: a thread-local load. Otherwise a look at some twenty addresses.
#pragma once

#include <dlfcn.h>
#include <reprise/detail/gate.h>

#include <atomic>

#define REPRISE_CALLER __builtin_return_address(0)

namespace reprise::libc {

enum class Caller : std::uint8_t { program, system, ours };

Caller whose(const void* address);

// Is something recorded or replayed here? Not in a signal handler, which runs when it runs.
inline bool is_watched() { return gate::current != nullptr && gate::in_library == 0 && !gate::current->in_handler; }
// The same, and it is a call of the program.
inline bool is_recorded(const void* caller) { return is_watched() && whose(caller) == Caller::program; }

// The function of this name in the next library.
template <typename Function>
class Next {
 public:
  constexpr explicit Next(const char* name) noexcept : name_(name) {}
  Function* get() {
    Function* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function*> found_{nullptr};
};

}  // namespace reprise::libc
