// CHECK(condition, operands...): our own bug. On in release builds; prints the condition and its operands, then aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace reprise::base {

template <typename... Operands>
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line,
                                          const Operands&... operands) {
  std::cerr << "reprise: internal error: " << condition << " does not hold";
  ((std::cerr << " [" << operands << "]"), ...);
  std::cerr << " at " << file << ":" << line << "\n";
  std::abort();
}

}  // namespace reprise::base

#define CHECK(condition, ...)                                                                   \
  do {                                                                                          \
    if (!(condition)) [[unlikely]]                                                              \
      ::reprise::base::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
