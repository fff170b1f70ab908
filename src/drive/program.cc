#include "drive/program.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;

struct File {
  int number{-1};
  ~File() {
    if (number >= 0) close(number);
  }
};

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfFile = std::unique_ptr<Elf, EndElf>;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

std::string resolve_origin(std::string path, const fs::path& program) {
  const std::string origin = program.parent_path().string();
  for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at = path.find(word); at != std::string::npos; at = path.find(word, at + origin.size())) {
      path.replace(at, word.size(), origin);
    }
  }
  return path;
}

std::string digest_of(const fs::path& path) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::ifstream in(path, std::ios::binary);
  std::array<char, 65536> buffer;
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    XXH3_64bits_update(state.get(), buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return fmt::format("xxh3-{:016x}", XXH3_64bits_digest(state.get()));
}

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string text;
  for (ssize_t i = 0; i < size; ++i) text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return text;
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const fs::path& path, ProgramFacts& facts) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr) return;
    const bool is_path = entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH;
    if (entry.d_tag != DT_NEEDED && !is_path) continue;
    const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (!is_path) {
      facts.needed.emplace_back(text);
      continue;
    }
    for (const std::string& one : split(text, ':')) facts.run_paths.push_back(resolve_origin(one, path));
  }
}

bool is_system(const fs::path& path) {
  const std::string text = path.string();
  for (const std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (text.starts_with(folder)) return true;
  }
  return false;
}

fs::path find_library(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return fs::exists(name, ignored) ? fs::path(name) : fs::path();
  for (const std::string& folder : folders) {
    fs::path path = fs::path(folder) / name;
    if (fs::is_regular_file(path, ignored)) return fs::absolute(path, ignored);
  }
  return {};
}

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<fs::path> find_program(std::string_view word) {
  std::error_code error;
  if (word.find('/') != std::string_view::npos) {
    const fs::path path = fs::absolute(fs::path(word), error).lexically_normal();
    if (!fs::exists(path, error)) return fail(ErrorCode::not_found, fmt::format("there is no program {}", word));
    if (!is_executable_file(path))
      return fail(ErrorCode::io, fmt::format("{} is not executable; chmod +x would make it so", word));
    return path;
  }
  const char* paths = std::getenv("PATH");
  for (const std::string& folder : split(paths != nullptr ? paths : "/usr/bin:/bin", ':')) {
    const fs::path path = fs::path(folder) / word;
    if (is_executable_file(path)) return fs::absolute(path, error).lexically_normal();
  }
  const bool here = is_executable_file(fs::path(word));
  return fail(ErrorCode::not_found,
              fmt::format("there is no program {} in PATH{}", word, here ? fmt::format("; try ./{}", word) : ""));
}

Result<ProgramFacts> read_program(const fs::path& path) {
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::io;
    return fail(code, fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  ProgramFacts facts;
  elf_version(EV_CURRENT);
  const ElfFile elf(elf_begin(file.number, ELF_C_READ_MMAP, nullptr));
  if (elf && elf_kind(elf.get()) == ELF_K_ELF) {
    facts.is_elf = true;
    facts.build_id = build_id_of(elf.get());
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
      facts.is_dynamic = true;
      read_dynamic(elf.get(), section, header, path, facts);
    }
  }
  if (facts.build_id.empty()) facts.build_id = digest_of(path);
  return facts;
}

Libraries find_libraries(const fs::path& program, const ProgramFacts& facts) {
  Libraries found;
  std::set<std::string> seen;
  std::vector<std::string> folders;
  if (const char* preset = std::getenv("LD_LIBRARY_PATH")) folders = split(preset, ':');
  std::vector<std::pair<fs::path, ProgramFacts>> open{{program, facts}};
  while (!open.empty() && seen.size() < 1000) {
    const auto [path, needs] = std::move(open.back());
    open.pop_back();
    std::vector<std::string> here = folders;
    here.insert(here.end(), needs.run_paths.begin(), needs.run_paths.end());
    here.emplace_back("/usr/local/lib");  // where the loader looks by default, and not the system's
    for (const std::string& name : needs.needed) {
      if (!seen.insert(name).second) continue;
      const fs::path library = find_library(name, here);
      if (name.starts_with("libreprise.so")) {
        found.reprise = library.empty() ? fs::path(name) : library;
        continue;
      }
      if (library.empty() || is_system(library) || name.starts_with("libreprise_inputs.so")) continue;
      found.own.push_back({name, library});
      if (auto more = read_program(library)) open.emplace_back(library, std::move(*more));
    }
  }
  return found;
}

}  // namespace reprise::drive
