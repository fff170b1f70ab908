#include "drive/live_view.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

namespace reprise::drive {
namespace {

using recording::ExtentHeader;
using recording::ExtentKind;
using recording::LiveHeader;

template <typename T>
bool read_at(int file, std::uint64_t offset, T& out) {
  return pread(file, &out, sizeof out, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof out);
}

}  // namespace

LiveView::~LiveView() {
  if (file_ >= 0) close(file_);
}

bool LiveView::open() {
  if (file_ >= 0) return true;
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  std::array<char, sizeof recording::live_magic> magic{};
  if (!read_at(file, 0, magic) || std::memcmp(magic.data(), recording::live_magic, magic.size()) != 0) {
    close(file);  // not finished yet; look again later
    return false;
  }
  file_ = file;
  return true;
}

void LiveView::find_slot_pages(std::uint64_t used) {
  while (walked_ + recording::extent_header_bytes <= used) {
    ExtentHeader extent{};
    if (!read_at(file_, walked_, extent) || extent.size < recording::extent_header_bytes) return;
    if (extent.kind == static_cast<std::uint32_t>(ExtentKind::slots))
      slot_pages_.push_back(walked_ + recording::slot_page_head_bytes);
    if (extent.size > used - walked_) return;
    walked_ += extent.size;
  }
}

bool LiveView::look() {
  if (!open()) return false;
  std::uint64_t used = 0;
  if (!read_at(file_, offsetof(LiveHeader, flags), flags_)) return false;
  if (!read_at(file_, offsetof(LiveHeader, pid), pid_)) return false;
  if (!read_at(file_, offsetof(LiveHeader, end_kind), end_kind_)) return false;
  if (!read_at(file_, offsetof(LiveHeader, threads), threads_)) return false;
  if (!read_at(file_, offsetof(LiveHeader, used), used)) return false;
  find_slot_pages(used);
  progress_ = threads_;
  for (const std::uint64_t page : slot_pages_) {
    std::array<gate::Slot, recording::slots_per_page> slots{};
    if (!read_at(file_, page, slots)) continue;
    for (const gate::Slot& slot : slots) progress_ += slot.steps + slot.state;
  }
  return true;
}

bool LiveView::is_finished() const {
  if (end_kind_ != 0 || (flags_ & recording::live_identical)) return true;
  return pid_ > 0 && kill(pid_, 0) != 0 && errno == ESRCH;
}

recording::LiveDivergence LiveView::divergence() const {
  recording::LiveDivergence divergence{};
  if (file_ >= 0) read_at(file_, offsetof(LiveHeader, divergence), divergence);
  divergence.detail[sizeof divergence.detail - 1] = '\0';
  divergence.stack_depth = std::min<std::uint32_t>(divergence.stack_depth, recording::stack_depth_max);
  return divergence;
}

std::string LiveView::reason() const {
  std::array<char, sizeof LiveHeader::reason> reason{};
  if (file_ >= 0) read_at(file_, offsetof(LiveHeader, reason), reason);
  reason.back() = '\0';
  return reason.data();
}

}  // namespace reprise::drive
