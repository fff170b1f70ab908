#include "recording/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "recording/digest.h"
#include "recording/staging.h"

namespace reprise::recording {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} << 10;
constexpr std::size_t chunk_bytes_long = std::size_t{1} << 20;  // of a log with contents, or with staged blocks
constexpr std::size_t chunk_bytes_max = std::size_t{2} << 20;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t first_block_bytes = 128;
constexpr std::size_t block_bytes_max = std::size_t{64} << 10;
constexpr std::size_t flush_bytes = staged_blocks * staged_bytes;
constexpr std::size_t first_pages = 7;    // what a thread or two write before that
constexpr std::uint32_t staged_from = 7;  // the blocks before hold 16 KiB

constexpr std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// A limit on the size of files answers with a signal, which would end the program: it is asked before.
bool exceeds_limit(std::uint64_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

// False when the system says no; errno then says why.
bool reserve(int file, std::uint64_t offset, std::size_t size) {
  if (exceeds_limit(offset + size)) {
    errno = EFBIG;
    return false;
  }
  int error = 0;
  do {
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
  } while (error == EINTR);  // the program's own signals must not end its recording
  errno = error;
  return error == 0;
}

// What is reserved. Null when the system says no.
void* map_reserved(int file, std::uint64_t offset, std::size_t size) {
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  madvise(at, size, MADV_RANDOM);  // there is nothing to read ahead, and it costs as much as 25 faults
  return at;
}

// The file is long enough already, so it is written whole or there is something wrong with it.
bool write_all(int file, std::span<const iovec> pieces, std::size_t size, std::uint64_t offset) {
  ssize_t written = 0;
  do {
    written = pwritev(file, pieces.data(), static_cast<int>(pieces.size()), static_cast<off_t>(offset));
  } while (written < 0 && errno == EINTR);
  return written >= 0 && static_cast<std::size_t>(written) == size;
}

// A page that was written before it is touched through the mapping costs a quarter, or less.
void write_zeros(int file, std::uint64_t offset, std::size_t pages) {
  static constexpr std::uint8_t zeros[page_bytes] = {};
  std::array<iovec, flush_bytes / page_bytes> pieces;
  pieces.fill({const_cast<std::uint8_t*>(zeros), page_bytes});
  const std::size_t size = pages * page_bytes;
  const int errno_of_program = errno;
  if (!exceeds_limit(offset + size)) write_all(file, std::span(pieces).first(pages), size, offset);  // or it is slower
  errno = errno_of_program;
}

// All at once, for half of what a fault for each would cost.
void map_pages(void* at, std::size_t size) {
#if defined(MADV_POPULATE_WRITE)
  const int errno_of_program = errno;
  madvise(at, size, MADV_POPULATE_WRITE);  // or they are mapped when they are touched
  errno = errno_of_program;
#endif
}

// Never in place of a file that has the name. Not every file system can do that in one step.
bool give_name(const char* unnamed, const char* name) {
  if (renameat2(AT_FDCWD, unnamed, AT_FDCWD, name, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(unnamed, name) == 0 && unlink(unnamed) == 0;
}

}  // namespace

// It gets its name when its header is whole: who is killed before that leaves no log that says nothing.
Result<Live*> Live::create(const std::filesystem::path& path) {
  const std::string unnamed = path.string() + ".new" + std::to_string(getpid());
  const int file = open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorCode::io, "cannot create " + path.string() + ": " + std::strerror(errno));
  const auto give_up = [&](const char* what) {
    const int error = errno;
    close(file);
    unlink(unnamed.c_str());
    return fail(ErrorCode::io, what + path.string() + ": " + std::strerror(error));
  };
  void* at = reserve(file, 0, live_header_bytes) ? map_reserved(file, 0, live_header_bytes) : nullptr;
  if (at == nullptr) return give_up("no room for ");
  auto* header = static_cast<LiveHeader*>(at);
  header->version = format_version;
  header->pid = static_cast<std::uint32_t>(getpid());
  header->used.store(live_header_bytes, std::memory_order_relaxed);
  std::memcpy(header->magic, live_magic, sizeof live_magic);
  if (!give_name(unnamed.c_str(), path.c_str())) {
    munmap(at, live_header_bytes);
    return give_up("cannot create ");
  }
  return new Live(file, header);
}

// False: there is not so much room. The rest of the old chunk becomes padding only when there is a new one: what `used`
// covers never changes.
bool Live::grow(std::size_t size_min) {
  // Each chunk ends where what is written in one go may begin; the longer the log, the fewer there are.
  // What is dropped behind a checkpoint goes back to the disk by the chunk.
  const bool is_long = has_staged_ || has_contents();
  const std::size_t usual = is_long ? chunk_bytes_long : chunk_bytes;
  const std::size_t wanted = keeps_track_ ? chunk_bytes : std::clamp(std::size_t{file_size_}, usual, chunk_bytes_max);
  const std::size_t least = round_up(file_size_ + size_min, flush_bytes) - file_size_;
  std::size_t size = std::max(least, (file_size_ + wanted) / flush_bytes * flush_bytes - file_size_);
  const int errno_of_program = errno;
  bool is_reserved = reserve(file_, file_size_, size);
  if (!is_reserved) is_reserved = reserve(file_, file_size_, size = least);  // what is left of the disk is used
  errno = errno_of_program;
  if (!is_reserved) return false;
  if (chunk_used_ < chunk_size_ && !pad(chunk_size_ - chunk_used_)) return false;
  if (file_size_ == live_header_bytes) write_zeros(file_, file_size_, first_pages);
  close_chunk();
  chunk_size_ = size;
  chunk_used_ = 0;
  file_size_ += size;
  return true;
}

// Whoever still writes there faults in the one page it needs; the rest is the file's, not this process's, memory.
void Live::close_chunk() {
  if (chunk_ == nullptr) return;
  madvise(chunk_, chunks_[chunk_].once_bytes, MADV_DONTNEED);
  unuse(std::exchange(chunk_, nullptr));
}

// What only takes written extents need not be mapped.
bool Live::map_chunk() {
  if (chunk_ != nullptr) return true;
  if (file_ < 0) return false;
  const int errno_of_program = errno;
  chunk_ = static_cast<std::uint8_t*>(map_reserved(file_, file_size_ - chunk_size_, chunk_size_));
  errno = errno_of_program;
  if (chunk_ == nullptr) return stop();
  chunks_[chunk_] = Chunk{chunk_size_, chunk_size_, 0};
  use(chunk_);  // it is the newest
  return true;
}

// There is no room any more.
bool Live::stop() {
  header_->flags.fetch_or(live_no_space, std::memory_order_seq_cst);
  return false;
}

// By a store where that can be: a write may fail, and the program may have lowered its limit for files since.
bool Live::pad(std::size_t size) {
  ExtentHeader padding{static_cast<std::uint32_t>(ExtentKind::padding), 0, size, 0, 0, 0};
  if (chunk_ != nullptr) {
    std::memcpy(chunk_ + chunk_used_, &padding, sizeof padding);
  } else {
    const iovec piece{&padding, sizeof padding};
    const int errno_of_program = errno;
    const bool is_written =
        !exceeds_limit(end() + sizeof padding) && write_all(file_, {&piece, 1}, sizeof padding, end());
    errno = errno_of_program;
    if (!is_written) return stop();
  }
  if (keeps_track_) gaps_[end()] = size;
  chunk_used_ += size;
  header_->used.store(end(), std::memory_order_release);
  return true;
}

// The header is written before `used` covers it: an extent is there as a whole or not at all.
std::uint8_t* Live::add_extent(ExtentKind kind, ThreadIndex thread, std::uint32_t sequence, std::uint64_t steps_before,
                               std::size_t size) {
  if (full() || file_ < 0) return nullptr;  // for every thread alike: a recording that ended does not go on
  if (chunk_size_ - chunk_used_ < size && !grow(size)) {
    stop();
    return nullptr;
  }
  if (!map_chunk()) return nullptr;
  auto* extent = reinterpret_cast<ExtentHeader*>(chunk_ + chunk_used_);
  extent->thread = thread;
  extent->size = size;
  extent->sequence = sequence;
  extent->steps_before = steps_before;
  extent->kind = static_cast<std::uint32_t>(kind);
  chunk_used_ += size;
  header_->used.store(end(), std::memory_order_release);
  return chunk_ + chunk_used_ - size + extent_header_bytes;
}

void Live::use(const void* at) { ++std::prev(chunks_.upper_bound(static_cast<const std::uint8_t*>(at)))->second.users; }

void Live::unuse(const void* at) {
  const auto chunk = std::prev(chunks_.upper_bound(static_cast<const std::uint8_t*>(at)));
  if (--chunk->second.users > 0) return;
  munmap(const_cast<std::uint8_t*>(chunk->first), chunk->second.size);
  chunks_.erase(chunk);
}

void Live::retire(const void* slot_or_payload) {
  const std::lock_guard lock(mutex_);
  unuse(slot_or_payload);
}

gate::Slot* Live::add_slot(ThreadIndex parent, std::uint32_t ordinal) { return add_slot(parent, ordinal, no_thread); }

gate::Slot* Live::add_slot(ThreadIndex parent, std::uint32_t ordinal, ThreadIndex index) {
  const std::lock_guard lock(mutex_);
  if (full()) return nullptr;
  if (slot_page_ == nullptr || slots_in_page_ == slots_per_page) {
    if (slot_page_ != nullptr) unuse(slot_page_);
    slot_page_ = add_extent(ExtentKind::slots, 0, 0, 0, slot_page_head_bytes + slots_per_page * sizeof(gate::Slot));
    slots_in_page_ = 0;
    if (slot_page_ == nullptr) return nullptr;
    use(slot_page_);
  }
  auto* slot = reinterpret_cast<gate::Slot*>(slot_page_ + slot_page_head_bytes - extent_header_bytes) + slots_in_page_;
  slot->index = index != no_thread ? index : next_index_++;
  if (slot->index > max_threads) return nullptr;
  slot->parent = parent;
  slot->ordinal = ordinal;
  std::atomic_ref<std::uint32_t>(slot->state)
      .store(static_cast<std::uint32_t>(SlotState::running), std::memory_order_release);
  ++slots_in_page_;
  use(slot);
  header_->threads.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

std::span<std::uint8_t> Live::allocate(ThreadIndex thread, std::uint32_t sequence, std::uint64_t steps_before,
                                       std::size_t payload_min) {
  const std::lock_guard lock(mutex_);
  const std::size_t wanted = std::min(first_block_bytes << std::min(sequence, 20u), block_bytes_max);
  const std::size_t size = extent_size(std::max(wanted, payload_min + extent_header_bytes));
  std::uint8_t* payload = add_extent(ExtentKind::block, thread, sequence, steps_before, size);
  if (payload == nullptr) return {};
  if (keeps_track_) blocks_[thread].push_back({end() - size, size, sequence});
  use(payload);
  return {payload, size - extent_header_bytes};
}

std::unique_ptr<Staging> Live::stage(ThreadIndex thread, std::uint32_t sequence) {
  const bool is_short = sequence < staged_from;
  if (keeps_track_ || (is_short && !has_contents())) return nullptr;
  const std::lock_guard lock(mutex_);
  if (is_short && has_staged_) return nullptr;
  const std::size_t size = staging_head_bytes + flush_bytes;
  if (full() || file_ < 0) return nullptr;
  if (chunk_size_ - chunk_used_ < size + flush_bytes && !grow(size + flush_bytes)) return nullptr;
  if (!map_chunk()) return nullptr;
  // The blocks, and so what is written of them, begin where the kernel keeps 64 KiB in one piece: 12 us instead of 18.
  const std::size_t gap = round_up(end() + staging_head_bytes, flush_bytes) - staging_head_bytes - end();
  if (gap > 0 && !pad(gap)) return nullptr;
  Chunk& chunk = chunks_[chunk_];
  chunk.once_bytes = std::min(chunk.once_bytes, chunk_used_ / page_bytes * page_bytes);
  write_zeros(file_, end() + staging_head_bytes, staged_blocks);
  std::uint8_t* const head = add_extent(ExtentKind::staging, thread, 0, 0, size);
  use(head);
  std::uint8_t* const pages = head - extent_header_bytes + staging_head_bytes;
  map_pages(pages, flush_bytes);
  has_staged_ = true;
  return std::make_unique<Staging>(*this, thread, pages);
}

// Beyond what `used` covers, and without the mapping: what was not written whole is not there.
bool Live::write_extents(std::span<const iovec> pieces) {
  std::size_t size = 0;
  for (const iovec& piece : pieces) size += piece.iov_len;
  const std::lock_guard lock(mutex_);
  if (full() || file_ < 0) return false;
  if (chunk_size_ - chunk_used_ < size && !grow(size)) return stop();
  const int errno_of_program = errno;
  const bool is_written = !exceeds_limit(end() + size) && write_all(file_, pieces, size, end());
  errno = errno_of_program;
  if (!is_written) return stop();
  chunk_used_ += size;
  header_->used.store(end(), std::memory_order_release);
  return true;
}

void Live::note_output(std::uint64_t& so_far, const void* bytes, std::size_t size) {
  const std::uint64_t before = so_far;
  so_far = digest(so_far, bytes, size);
  __atomic_fetch_add(&header_->output_digest, so_far - before, __ATOMIC_RELAXED);
  __atomic_fetch_add(&header_->output_bytes, size, __ATOMIC_RELAXED);
}

// Without the lock: the program's signal handler may come here while its thread holds it.
void Live::refuse(std::string_view reason) {
  if (is_refused_.exchange(true)) return;
  const std::size_t size = std::min(reason.size(), sizeof header_->reason - 1);
  std::memcpy(header_->reason, reason.data(), size);
  header_->reason[size] = '\0';
  header_->flags.fetch_or(live_unsupported, std::memory_order_seq_cst);
}

void Live::abandon() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

// The mutex may be held by a thread that is not there any more.
void Live::detach() {
  abandon();
  for (const auto& [at, chunk] : chunks_) munmap(const_cast<std::uint8_t*>(at), chunk.size);
  chunks_.clear();
  munmap(header_, live_header_bytes);
  header_ = nullptr;
}

void Live::mark_fresh(void* payload) {
  reinterpret_cast<ExtentHeader*>(static_cast<std::uint8_t*>(payload) - extent_header_bytes)->flags = fresh_block;
}

void Live::write_at(std::uint64_t offset, const void* bytes, std::size_t size) const {
  while (pwrite(file_, bytes, size, static_cast<off_t>(offset)) < 0 && errno == EINTR) {
  }
}

// A block becomes padding, and one with the padding beside it: what is read in between is whole at every instant. Of a
// padding all but its first bytes go back to the disk.
void Live::give_back(const Block& block) {
  const auto padding = static_cast<std::uint32_t>(ExtentKind::padding);
  write_at(block.offset, &padding, sizeof padding);
  std::uint64_t start = block.offset;
  std::uint64_t size = block.size;
  if (const auto next = gaps_.find(start + size); next != gaps_.end()) {
    size += next->second;
    gaps_.erase(next);
  }
  if (auto before = gaps_.lower_bound(start); before != gaps_.begin()) {
    before = std::prev(before);
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
    }
  }
  gaps_[start] = size;
  write_at(start + offsetof(ExtentHeader, size), &size, sizeof size);
  const std::uint64_t from =
      std::max(round_up(start + extent_header_bytes, page_bytes), block.offset / page_bytes * page_bytes);
  const std::uint64_t to = (start + size) / page_bytes * page_bytes;
  if (from < to)
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
              static_cast<off_t>(to - from));
}

void Live::drop_before(ThreadIndex thread, std::uint32_t sequence) {
  const int errno_of_program = errno;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(thread);
  while (found != blocks_.end() && !found->second.empty() && found->second.front().sequence < sequence) {
    give_back(found->second.front());
    found->second.pop_front();
  }
  errno = errno_of_program;
}

}  // namespace reprise::recording
