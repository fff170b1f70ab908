#include "session/place.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace reprise::session {
namespace {

// The value that LD_PRELOAD had before; set while the image is started again.
constexpr const char* again = "REPRISE_PRELOADED";

bool is_wanted() {
  for (const char* name : {"REPRISE_RECORD", "REPRISE_REPLAY", "REPRISE_CHAOS", "REPRISE_FAVOUR", "REPRISE_DELAY"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

// The file that a symbol is found in, empty if unknown.
std::string file_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

void restore_preload() {
  const char* before = std::getenv(again);
  if (before == nullptr) return;
  if (*before == '\0') {
    unsetenv("LD_PRELOAD");
  } else {
    setenv("LD_PRELOAD", before, 1);
  }
  unsetenv(again);
}

}  // namespace

void stand_first(char* const* arguments) {
  if (std::getenv(again) != nullptr) return restore_preload();
  if (!is_wanted() || arguments == nullptr) return;
  const std::string own = file_of(reinterpret_cast<const void*>(&is_wanted));
  if (own.empty() || file_of(dlsym(RTLD_DEFAULT, "fork")) == own) return;
  char program[4096];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size <= 0) return;
  program[size] = '\0';
  const char* before = std::getenv("LD_PRELOAD");
  setenv(again, before == nullptr ? "" : before, 1);
  setenv("LD_PRELOAD", (before == nullptr || *before == '\0' ? own : own + ":" + before).c_str(), 1);
  execv(program, arguments);
  std::fprintf(stderr, "reprise: %s cannot be started again with libreprise first; link it with -lreprise\n", program);
  restore_preload();
}

}  // namespace reprise::session
