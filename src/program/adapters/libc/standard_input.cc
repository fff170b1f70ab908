// Standard input, by descriptor and by stream, and the files of random numbers.
//
// libc fills the buffer of `stdin` by a read of its own that nobody can stand before. So `stdin` is another stream
// while something is recorded or replayed: one that reads through here.
#include <fcntl.h>
#include <reprise/value.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <ext/stdio_sync_filebuf.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "program/adapters/libc/callers.h"
#include "program/adapters/libc/outcome.h"

namespace reprise::libc {
namespace {

Next<ssize_t(int, void*, size_t)> next_read("read");
Next<int(FILE*)> next_fileno("fileno");
Next<FILE*(const char*, const char*)> next_fopen("fopen");
Next<FILE*(const char*, const char*)> next_fopen64("fopen64");
Next<FILE*(const char*, const char*, FILE*)> next_freopen("freopen");
Next<FILE*(const char*, const char*, FILE*)> next_freopen64("freopen64");

FILE* own_stream = nullptr;
FILE* native_stream = nullptr;

ssize_t recorded_read(const char* name, int file, void* buffer, std::size_t size) {
  return give(value(name, [&] { return outcome_of(buffer, next_read.get()(file, buffer, size)); }), buffer, size);
}

// Who waits for a person shows what was printed so far, as libc does it.
ssize_t fill(void*, char* buffer, std::size_t size) {
  if (!is_watched()) return next_read.get()(STDIN_FILENO, buffer, size);
  if (isatty(STDIN_FILENO) != 0) fflush(stdout);
  return recorded_read("stdin", STDIN_FILENO, buffer, size);
}

[[gnu::constructor]] void take_place() {
  if (gate::installed == nullptr) return;
  cookie_io_functions_t functions{};
  functions.read = fill;
  own_stream = fopencookie(nullptr, "r", functions);
  if (own_stream == nullptr) return;
  native_stream = stdin;
  stdin = own_stream;
  // What libstdc++ has made of it before.
  std::cin.rdbuf(new __gnu_cxx::stdio_sync_filebuf<char>(own_stream));
  std::wcin.rdbuf(new __gnu_cxx::stdio_sync_filebuf<wchar_t>(own_stream));
}

// The major number of /dev/random and /dev/urandom, and their minors.
bool is_random(int file) {
  struct stat facts {};
  constexpr unsigned memory = 1;
  constexpr unsigned random = 8;
  constexpr unsigned urandom = 9;
  if (fstat(file, &facts) != 0 || !S_ISCHR(facts.st_mode) || major(facts.st_rdev) != memory) return false;
  return minor(facts.st_rdev) == random || minor(facts.st_rdev) == urandom;
}

ssize_t read_as(const void* caller, int file, void* buffer, std::size_t size) {
  if (!is_watched()) return next_read.get()(file, buffer, size);
  const Caller who = whose(caller);
  // libstdc++ reads standard input for the program (std::cin by itself).
  if (file == STDIN_FILENO && who != Caller::ours) return recorded_read("stdin", file, buffer, size);
  if (who != Caller::program || !is_random(file)) return next_read.get()(file, buffer, size);
  return recorded_read("random", file, buffer, size);
}

// The same for a stream, whose reads nobody sees.
bool is_random_path(const char* path, const char* mode) {
  return path != nullptr && mode != nullptr && *mode == 'r' &&
         (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

ssize_t fill_random(void* file, char* buffer, std::size_t size) {
  const int number = *static_cast<int*>(file);
  if (!is_watched()) return next_read.get()(number, buffer, size);
  return recorded_read("random", number, buffer, size);
}

int end_random(void* file) {
  close(*static_cast<int*>(file));
  delete static_cast<int*>(file);
  return 0;
}

using Open = FILE*(const char*, const char*);
FILE* open_stream(Next<Open>& next, const void* caller, const char* path, const char* mode) {
  if (!is_recorded(caller) || !is_random_path(path, mode)) return next.get()(path, mode);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  cookie_io_functions_t functions{};
  functions.read = fill_random;
  functions.close = end_random;
  return fopencookie(new int(file), "r", functions);
}

FILE* reopen(Next<FILE*(const char*, const char*, FILE*)>& next, const char* path, const char* mode, FILE* stream) {
  if (stream == nullptr || stream != own_stream) return next.get()(path, mode, stream);
  stdin = native_stream;
  own_stream = nullptr;
  return next.get()(path, mode, native_stream);
}

}  // namespace
}  // namespace reprise::libc

using namespace reprise::libc;  // NOLINT(google-build-using-namespace): the functions below have C names

extern "C" REPRISE_API ssize_t read(int file, void* buffer, size_t size) {
  return read_as(REPRISE_CALLER, file, buffer, size);
}

// read() of programs that are compiled with -D_FORTIFY_SOURCE.
extern "C" REPRISE_API ssize_t __read_chk(int file, void* buffer, size_t size, size_t room) {
  if (size > room) std::abort();
  return read_as(REPRISE_CALLER, file, buffer, size);
}

extern "C" REPRISE_API int fileno(FILE* stream) noexcept {
  return stream != nullptr && stream == own_stream ? STDIN_FILENO : next_fileno.get()(stream);
}

extern "C" REPRISE_API FILE* freopen(const char* path, const char* mode, FILE* stream) {
  return reopen(next_freopen, path, mode, stream);
}

extern "C" REPRISE_API FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return reopen(next_freopen64, path, mode, stream);
}

extern "C" REPRISE_API FILE* fopen(const char* path, const char* mode) {
  return open_stream(next_fopen, REPRISE_CALLER, path, mode);
}

extern "C" REPRISE_API FILE* fopen64(const char* path, const char* mode) {
  return open_stream(next_fopen64, REPRISE_CALLER, path, mode);
}
