#include "session/place.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

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

// What the program's list of symbols holds, as the loader maps it.
struct Symbols {
  const ElfW(Sym) * table{nullptr};
  const char* names{nullptr};
  const std::uint32_t* hashes{nullptr};  // those before hashes[1] are not its own
};

int find_symbols(dl_phdr_info* program, std::size_t, void* found) {
  auto& symbols = *static_cast<Symbols*>(found);
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) symbols.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_GNU_HASH) symbols.hashes = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr);
    }
  }
  return 1;  // the program is the first of all
}

// Does the program name anything of reprise's? Then it has clocks and values that are recorded, and those of libc are
// what it takes when nothing shall be.
bool uses_reprise() {
  Symbols symbols;
  dl_iterate_phdr(find_symbols, &symbols);
  if (symbols.table == nullptr || symbols.names == nullptr || symbols.hashes == nullptr) return true;
  for (std::uint32_t i = 1; i < symbols.hashes[1]; ++i) {
    const std::string_view name = symbols.names + symbols.table[i].st_name;
    if (name.find("N7reprise") != std::string_view::npos || name.find("NK7reprise") != std::string_view::npos)
      return true;
  }
  return false;
}

// The library that stands before clocks, random numbers and standard input, if it is wanted and not here yet.
std::string missing_inputs(const std::string& own) {
  const char* wanted = std::getenv("MCAPI_INPUTS");
  if (wanted == nullptr || std::strcmp(wanted, "on") != 0) return {};
  if (std::getenv("REPRISE_RECORD") == nullptr && std::getenv("REPRISE_REPLAY") == nullptr) return {};
  if (dlsym(RTLD_DEFAULT, "mcapi_initialize") == nullptr || uses_reprise()) return {};
  for (const char* sanitizer : {"__asan_init", "__tsan_init"}) {  // it insists on being the first library of all
    if (dlsym(RTLD_DEFAULT, sanitizer) != nullptr) return {};
  }
  const std::string path = own.substr(0, own.rfind('/') + 1) + "libreprise_inputs.so.0";
  if (access(path.c_str(), R_OK) != 0) return {};
  void* const loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return loaded == nullptr ? path : std::string();
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
  if (own.empty()) return;
  const std::string inputs = missing_inputs(own);
  if (inputs.empty() && file_of(dlsym(RTLD_DEFAULT, "fork")) == own) return;
  char program[4096];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size <= 0) return;
  program[size] = '\0';
  const char* before = std::getenv("LD_PRELOAD");
  setenv(again, before == nullptr ? "" : before, 1);
  std::string first = inputs.empty() ? own : own + ":" + inputs;
  if (before != nullptr && *before != '\0') first += std::string(":") + before;
  setenv("LD_PRELOAD", first.c_str(), 1);
  execv(program, arguments);
  std::fprintf(stderr, "reprise: %s cannot be started again with libreprise first; link it with -lreprise\n", program);
  restore_preload();
}

}  // namespace reprise::session
