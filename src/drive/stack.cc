#include "drive/stack.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

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

Frame name_frame(Dwfl* dwfl, std::uint64_t counter, bool is_return_address) {
  Frame frame{.counter = counter, .function = {}, .file = {}, .module = {}};
  const std::uint64_t at = is_return_address ? counter - 1 : counter;
  Dwfl_Module* module = dwfl_addrmodule(dwfl, at);
  if (module == nullptr) return frame;
  const char* name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (name != nullptr) frame.module = name;
  if (const char* function = dwfl_module_addrname(module, at)) frame.function = demangled(function);
  if (Dwfl_Line* line = dwfl_module_getsrc(module, at)) {
    if (const char* file = dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr)) frame.file = file;
  }
  return frame;
}

}  // namespace

std::string Frame::text() const {
  const std::string what = function.empty() ? fmt::format("{:#x}", counter) : function;
  if (!file.empty()) return fmt::format("{} at {}:{}", what, std::filesystem::path(file).filename().string(), line);
  if (!module.empty()) return fmt::format("{} in {}", what, std::filesystem::path(module).filename().string());
  return what;
}

std::vector<Frame> name_frames(pid_t pid, std::span<const std::uint64_t> counters) {
  std::vector<Frame> frames;
  const std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&callbacks), dwfl_end);
  if (dwfl) {
    dwfl_report_begin(dwfl.get());
    dwfl_linux_proc_report(dwfl.get(), pid);
    dwfl_report_end(dwfl.get(), nullptr, nullptr);
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    Frame frame{.counter = counters[i], .function = {}, .file = {}, .module = {}};
    frames.push_back(dwfl ? name_frame(dwfl.get(), counters[i], i > 0) : frame);
  }
  return frames;
}

}  // namespace reprise::drive
