#include "recording/staging.h"

#include <sys/uio.h>

#include <atomic>
#include <cstring>

#include "recording/live.h"

namespace reprise::recording {
namespace {

static_assert(staged_payload_bytes == staged_bytes - extent_header_bytes);

// Whole pages go to the file faster than parts of them, so a block that is nearly full is written with what is left.
constexpr std::size_t nearly_full_bytes = staged_bytes - staged_bytes / 8;

}  // namespace

// The sequence comes last: until then the page holds a block that stands elsewhere, or none.
std::span<std::uint8_t> Staging::next(std::uint32_t sequence, std::uint64_t steps_before) {
  if (live_.full()) return {};
  if (used_ == staged_blocks && !write_out()) return {};
  std::uint8_t* const at = page(used_++);
  auto* const header = reinterpret_cast<ExtentHeader*>(at);
  header->thread = thread_;
  header->size = staged_bytes;
  header->kind = static_cast<std::uint32_t>(ExtentKind::block);
  header->steps_before = steps_before;
  std::atomic_ref<std::uint32_t>(header->sequence).store(sequence, std::memory_order_release);
  return {at + extent_header_bytes, staged_payload_bytes};
}

void Staging::leave(const std::uint8_t* end) {
  std::uint8_t* const at = page(used_ - 1);
  const auto written = static_cast<std::size_t>(end - at);
  const std::size_t size = written >= nearly_full_bytes ? staged_bytes : extent_size(written);
  reinterpret_cast<ExtentHeader*>(at)->size = sizes_[used_ - 1] = size;
}

// kill -9 may fall anywhere here. As soon as the copies are there they count, whatever becomes of the blocks they were
// made of: a staged block counts again when it has a sequence that no other has.
bool Staging::write_out() {
  std::array<iovec, staged_blocks> pieces;
  std::size_t count = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    // A block that ends where its page does goes in one piece with the next one: the kernel walks each for 40 ns.
    const bool follows = i > 0 && sizes_[i - 1] == staged_bytes;
    if (follows) {
      pieces[count - 1].iov_len += sizes_[i];
    } else {
      pieces[count++] = {page(i), sizes_[i]};
    }
  }
  if (used_ > 0 && !live_.write_extents(std::span(pieces).first(count))) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // a reader that finds zeros here finds the copies there
  for (std::size_t i = 0; i < used_; ++i) std::memset(page(i) + extent_header_bytes, 0, staged_payload_bytes);
  used_ = 0;
  return true;
}

}  // namespace reprise::recording
