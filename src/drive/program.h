// The program on disk: where it lies, which build it is, what it needs.
//
//   auto path = find_program("bank", "/home/me");
//   auto facts = read_program(*path);        // build id, libraries
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reprise::drive {

struct ProgramFacts {
  bool is_elf{false};                  // false: a script, or nothing we know
  bool is_dynamic{false};              // false: libreprise cannot be in it
  std::string build_id;                // hex; "xxh3-..." of the content where the linker left none
  std::vector<std::string> needed;     // names of libraries
  std::vector<std::string> run_paths;  // where the program wants them looked for, $ORIGIN resolved
};

// Looks `word` up as a shell would: with a slash it is a path, otherwise PATH is searched. The result is absolute.
// Errors: not_found (names the word), io (there, but not executable).
Result<std::filesystem::path> find_program(std::string_view word);

// Errors: not_found, io.
Result<ProgramFacts> read_program(const std::filesystem::path& path);

struct Library {
  std::string name;  // as the program asks for it
  std::filesystem::path path;
};

// The program's own libraries, found as the dynamic loader finds them: not the system's (/lib, /usr/lib, /lib64). Where
// libreprise lies is told apart, since it is never copied.
struct Libraries {
  std::vector<Library> own;
  std::filesystem::path reprise;  // empty: the program does not need it
};
Libraries find_libraries(const std::filesystem::path& program, const ProgramFacts& facts);

}  // namespace reprise::drive
