// A hint to the processor that this is a spin loop.
#pragma once

namespace reprise::gate {

inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace reprise::gate
