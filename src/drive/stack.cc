#include "drive/stack.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace reprise::drive {
namespace {

char* no_debug_path = nullptr;  // the default places

const Dwfl_Callbacks callbacks{
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = &no_debug_path,
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (const char* linkage = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute))) return demangled(linkage);
  }
  const char* plain = dwarf_diename(die);
  return plain != nullptr ? plain : "";
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

// Where an inlined function was called: file and line, or nothing.
void place_of_call(Dwarf_Die* inlined, Dwarf_Files* files, Frame& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  frame.file.clear();
  frame.line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &value) == 0) {
    if (const char* file = dwarf_filesrc(files, value, nullptr, nullptr)) frame.file = file;
  }
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0)
    frame.line = static_cast<int>(value);
}

struct Scopes {
  Dwarf_Die* dies{nullptr};
  int count{0};
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  ~Scopes() { std::free(dies); }
};

// Adds `frame`, which stands for the innermost function at `at`, and those that it was inlined into.
void add_with_inlined(Dwfl_Module* module, std::uint64_t at, Frame frame, std::vector<Frame>& frames) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, at, &bias);
  Dwarf_Files* files = nullptr;
  Scopes found;
  Scopes scopes;
  if (unit != nullptr) found.count = dwarf_getscopes(unit, at - bias, &found.dies);
  if (found.count > 0) scopes.count = dwarf_getscopes_die(&found.dies[0], &scopes.dies);
  if (scopes.count <= 0 || dwarf_getsrcfiles(unit, &files, nullptr) != 0) {
    frames.push_back(std::move(frame));
    return;
  }
  const Frame outermost = frame;
  bool named = false;
  for (int i = 0; i < scopes.count; ++i) {
    Dwarf_Die* die = &scopes.dies[i];
    if (!is_function(die)) continue;
    named = true;
    const bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    if (const std::string name = name_of(die); inlined || frame.function.empty()) frame.function = name;
    frames.push_back(frame);
    if (!inlined) return;
    place_of_call(die, files, frame);
    frame.function = outermost.function;
  }
  if (!named) frames.push_back(std::move(frame));
}

void name_frame(Dwfl* dwfl, std::uint64_t counter, bool is_return_address, std::vector<Frame>& frames) {
  Frame frame{.counter = counter, .function = {}, .file = {}, .module = {}};
  const std::uint64_t at = is_return_address ? counter - 1 : counter;
  Dwfl_Module* module = dwfl_addrmodule(dwfl, at);
  if (module == nullptr) {
    frames.push_back(std::move(frame));
    return;
  }
  const char* name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (name != nullptr) frame.module = name;
  if (const char* function = dwfl_module_addrname(module, at)) frame.function = demangled(function);
  if (Dwfl_Line* line = dwfl_module_getsrc(module, at)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr)) frame.file = file;
  }
  add_with_inlined(module, at, std::move(frame), frames);
}

bool is_ours(const Frame& frame) {
  namespace fs = std::filesystem;
  if (fs::path(frame.module).filename().string().starts_with("libreprise.so")) return true;
  const fs::path file(frame.file);
  const std::string folder = file.parent_path().filename().string();
  const std::string above = file.parent_path().parent_path().filename().string();
  return file.extension() == ".h" && (folder == "reprise" || (folder == "detail" && above == "reprise"));
}

bool is_system(const Frame& frame) {
  const std::string name = std::filesystem::path(frame.module).filename().string();
  for (const std::string_view library :
       {"libc.", "libc-", "libstdc++.", "libgcc_s.", "libpthread", "libm.", "ld-linux", "[vdso"}) {
    if (name.starts_with(library)) return true;
  }
  return false;
}

using DwflHandle = std::unique_ptr<Dwfl, void (*)(Dwfl*)>;

DwflHandle open_process(pid_t pid) {
  DwflHandle dwfl(dwfl_begin(&callbacks), dwfl_end);
  if (!dwfl) return dwfl;
  dwfl_report_begin(dwfl.get());
  dwfl_linux_proc_report(dwfl.get(), pid);
  dwfl_report_end(dwfl.get(), nullptr, nullptr);
  return dwfl;
}

void add_frames(Dwfl* dwfl, std::span<const std::uint64_t> counters, std::vector<Frame>& frames) {
  for (std::size_t i = 0; i < counters.size() && counters[i] != 0; ++i) {
    if (dwfl != nullptr) {
      name_frame(dwfl, counters[i], i > 0, frames);
    } else {
      frames.push_back({.counter = counters[i], .function = {}, .file = {}, .module = {}});
    }
  }
}

constexpr std::size_t depth_max = 64;

int add_counter(Dwfl_Frame* frame, void* to) {
  auto& counters = *static_cast<std::vector<std::uint64_t>*>(to);
  Dwarf_Addr counter = 0;
  if (!dwfl_frame_pc(frame, &counter, nullptr)) return DWARF_CB_ABORT;
  counters.push_back(counter);
  return counters.size() < depth_max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

int add_thread(Dwfl_Thread* thread, void* to) {
  auto& threads = *static_cast<std::vector<std::vector<std::uint64_t>>*>(to);
  dwfl_thread_getframes(thread, add_counter, &threads.emplace_back());
  return DWARF_CB_OK;
}

}  // namespace

std::string Frame::text() const {
  std::string what = function.empty() ? fmt::format("{:#x}", counter) : function;
  if (!file.empty()) return fmt::format("{} at {}:{}", what, std::filesystem::path(file).filename().string(), line);
  if (!module.empty()) return fmt::format("{} in {}", what, std::filesystem::path(module).filename().string());
  return what;
}

std::vector<Frame> name_frames(pid_t pid, std::span<const std::uint64_t> counters) {
  const DwflHandle dwfl = open_process(pid);
  std::vector<Frame> frames;
  add_frames(dwfl.get(), counters, frames);
  return frames;
}

std::vector<std::vector<Frame>> stacks_outside_gates(pid_t pid) {
  const DwflHandle dwfl = open_process(pid);
  std::vector<std::vector<std::uint64_t>> threads;
  if (!dwfl || dwfl_linux_proc_attach(dwfl.get(), pid, false) != 0) return {};
  dwfl_getthreads(dwfl.get(), add_thread, &threads);
  std::vector<std::vector<Frame>> stacks;
  for (const std::vector<std::uint64_t>& counters : threads) {
    std::vector<Frame> frames;
    add_frames(dwfl.get(), counters, frames);
    const auto first = std::find_if_not(frames.begin(), frames.end(), is_system);
    if (first != frames.end() && !is_ours(*first)) stacks.emplace_back(first, frames.end());
  }
  return stacks;
}

std::vector<Frame> program_frames(std::vector<Frame> frames) {
  const auto first = std::find_if_not(frames.begin(), frames.end(), is_ours);
  if (first != frames.end()) frames.erase(frames.begin(), first);
  return frames;
}

}  // namespace reprise::drive
