#include "program/adapters/libc/callers.h"

#include <link.h>

#include <array>
#include <cstring>
#include <string_view>

namespace reprise::libc {
namespace {

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
  Caller whose;
};

// What was loaded when this library began, but for the program and its own libraries. What comes later is the
// program's.
constexpr std::size_t ranges_max = 64;
std::array<Range, ranges_max> ranges;
std::size_t range_count = 0;

// Does this very file define an MCAPI? Then what it asks for is its own affair.
bool is_mcapi(const char* file, std::uintptr_t begin, std::uintptr_t end) {
  void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  const auto found = reinterpret_cast<std::uintptr_t>(dlsym(library, "mcapi_initialize"));
  dlclose(library);
  return found >= begin && found < end;
}

bool is_named(std::string_view file, std::string_view name) {
  const std::size_t slash = file.rfind('/');
  return file.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with(name);
}

bool is_system(std::string_view file) {
  for (const std::string_view name :
       {"libc.so", "libstdc++.so", "libgcc_s.so", "libm.so", "libpthread.so", "ld-linux", "libdl.so", "librt.so",
        "linux-vdso", "libasan.so", "libtsan.so", "libubsan.so"}) {
    if (is_named(file, name)) return true;
  }
  return false;
}

int add(dl_phdr_info* info, std::size_t, void* is_first) {
  if (*static_cast<bool*>(is_first)) {  // the program itself
    *static_cast<bool*>(is_first) = false;
    return 0;
  }
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    begin = std::min(begin, static_cast<std::uintptr_t>(info->dlpi_addr + part.p_vaddr));
    end = std::max(end, static_cast<std::uintptr_t>(info->dlpi_addr + part.p_vaddr + part.p_memsz));
  }
  const char* file = info->dlpi_name;
  const bool is_ours = is_named(file, "libreprise") || is_mcapi(file, begin, end);
  if (!is_ours && !is_system(file)) return 0;
  if (range_count < ranges_max) ranges[range_count++] = {begin, end, is_ours ? Caller::ours : Caller::system};
  return 0;
}

[[gnu::constructor]] void look_around() {
  bool is_first = true;
  dl_iterate_phdr(add, &is_first);
}

}  // namespace

Caller whose(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < range_count; ++i) {
    if (place >= ranges[i].begin && place < ranges[i].end) return ranges[i].whose;
  }
  return Caller::program;
}

}  // namespace reprise::libc
