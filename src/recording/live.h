// The live log: the mapped file that a running process appends to. It survives kill -9 as it stands; sealing it (log.h)
// comes later.
//
//   auto live = Live::create("run.reprise/main.live");
//   gate::Slot* slot = (*live)->add_slot(parent, ordinal);
//   StreamWriter stream(**live, slot->index);
//
// Layout    format/recording.md, "live log": a header page, then extents (slot pages, blocks, and blocks that are used
// again), each with a 32-byte header.
// Threads   add_slot and allocate may be called by any thread. A slot and a block belong to their thread.
// Lifetime  Created once, never destroyed: threads append until the process is gone.
// Trust     What is mapped is only written here, never read back for decisions.
// Cost      Space is reserved (posix_fallocate) before it is mapped: a full disk is an answer, never a SIGBUS.
#pragma once

#include <reprise/detail/slot.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "base/ids.h"
#include "base/result.h"
#include "recording/stream.h"

struct iovec;

namespace reprise::recording {

constexpr char live_magic[8] = {'R', 'E', 'P', 'R', 'L', 'I', 'V', 'E'};
constexpr std::uint32_t format_version = 1;
constexpr std::size_t live_header_bytes = 4096;
constexpr std::size_t extent_header_bytes = 32;
constexpr std::size_t slot_page_head_bytes = 64;  // extent header and padding: slots stand on cache lines
constexpr std::uint32_t slots_per_page = 31;

constexpr std::size_t staging_head_bytes = 64;  // extent header and padding: staged blocks stand on pages

enum class ExtentKind : std::uint32_t {
  none = 0,
  slots = 0x544F4C53,
  block = 0x4B4F4C42,
  staging = 0x47415453,
  padding = 0x20444150
};

enum class SlotState : std::uint32_t { none = 0, running = 1, ended = 2 };

// Why a recording stops before its program does, and how it was made. Bits of LiveHeader::flags.
enum LiveFlag : std::uint32_t {
  live_no_space = 1,     // no room any more: the recording ends here, the program went on
  live_unsupported = 2,  // the program did something that reprise refuses; `reason` says what
  live_identical = 4,    // replay: the program reached its recorded end
  live_diverged = 8,     // replay: `divergence` is filled in
  live_stalled = 16,     // replay: proven, no thread can go on
  live_released = 32,    // replay --then live: the program goes on by itself
  live_full = 64,        // not a reason: every event is written
  live_contents = 128,   // level data: contents are in the log
  live_forked = 256,     // goes on where a parent process forked: its objects may be named by threads of the parent
};

enum class EndKind : std::uint32_t { running = 0, exited = 1, signalled = 2, replaced = 3 };  // replaced: by exec

constexpr std::size_t stack_depth_max = 32;

// Replay: the first step at which the program is not the recorded one.
struct LiveDivergence {
  std::uint32_t thread;
  std::uint32_t bracketed;  // 1: somewhere in (step_after, step]
  std::uint64_t step;
  std::uint64_t step_after;
  std::uint32_t expected_kind;  // 0: the recorded step was not written
  std::uint32_t actual_kind;
  std::uint64_t expected_object;
  std::uint64_t actual_object;
  std::uint64_t expected_order;
  std::uint64_t actual_order;
  char detail[192];  // one line, zero-terminated
  std::uint32_t stack_depth;
  std::uint32_t reserved;
  std::uint64_t stack[stack_depth_max];  // program counters; name them with `maps` of the process while it stands
};

struct LiveHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t pid;
  std::atomic<std::uint64_t> used;  // bytes of the file that hold extents (and this header)
  std::atomic<std::uint32_t> flags;
  std::atomic<std::uint32_t> end_kind;
  std::int32_t end_code;  // exit code or signal
  std::uint32_t end_thread;
  std::uint64_t output_digest;  // the sum of the digests of all ordered outputs, which have no order among each other
  std::uint64_t output_bytes;
  std::atomic<std::uint32_t> threads;
  std::uint32_t reserved;
  char reason[192];
  LiveDivergence divergence;
};
static_assert(sizeof(LiveHeader) <= live_header_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::uint32_t fresh_block = 1;  // it can be read without those before it

struct ExtentHeader {
  std::uint32_t kind;
  std::uint32_t thread;        // blocks
  std::uint64_t size;          // with this header
  std::uint32_t sequence;      // blocks: the how-manyth of their thread
  std::uint32_t flags;         // blocks: fresh_block
  std::uint64_t steps_before;  // blocks: steps covered by earlier blocks
};
static_assert(sizeof(ExtentHeader) == extent_header_bytes);

constexpr std::size_t extent_unit = 64;

// Of an extent that holds `bytes` with its header.
constexpr std::size_t extent_size(std::size_t bytes) { return (bytes + extent_unit - 1) / extent_unit * extent_unit; }

class Live final : public BlockSource {
 public:
  // Creates `path` (mode 0600, must not exist) with an empty header.
  // Errors: io (the system's word and what to do).
  static Result<Live*> create(const std::filesystem::path& path);

  LiveHeader& header() { return *header_; }

  // A slot for a new thread, or null when there is no room any more.
  gate::Slot* add_slot(ThreadIndex parent, std::uint32_t ordinal);
  // The same for a replayed thread, which keeps its recorded index.
  gate::Slot* add_slot(ThreadIndex parent, std::uint32_t ordinal, ThreadIndex index);

  std::span<std::uint8_t> allocate(ThreadIndex thread, std::uint32_t sequence, std::uint64_t steps_before,
                                   std::size_t payload_min) override;

  // A block that is written full, or the slot of a thread that has ended: what is not used any more is not kept in
  // memory.
  void retire(const void* slot_or_payload) override;

  void mark_fresh(void* payload) override;

  // A thread gets one when it has written more than fits into a few small blocks; where contents are kept, the first
  // to write gets it at once. Nobody does if blocks may be dropped.
  std::unique_ptr<Staging> stage(ThreadIndex thread, std::uint32_t sequence) override;

  // Appends whole extents by writing to the file. False: there is no room any more, and nothing was appended.
  bool write_extents(std::span<const iovec> pieces);

  // From now on it is known where blocks lie, so that drop_before() finds them.
  void keep_track() { keeps_track_ = true; }
  // The blocks of `thread` before `sequence` are not needed any more: the disk gets their room back.
  void drop_before(ThreadIndex thread, std::uint32_t sequence);

  bool full() const { return (header_->flags.load(std::memory_order_acquire) & live_no_space) != 0; }

  // Adds `bytes` to `digest`, that of one ordered output, and so to the process's.
  void note_output(std::uint64_t& digest, const void* bytes, std::size_t size);

  // Ends the recording for a reason that the program gave. The first reason stays.
  void refuse(std::string_view reason);

  // The forked child lets go of its parent's log, and numbers its own threads on from its parent's.
  void abandon();
  // A copy of the process that must not touch this log any more unmaps all of it. REQUIRES that nobody uses a slot.
  void detach();
  std::mutex& mutex() { return mutex_; }  // held while the process forks
  std::uint32_t next_index() const { return next_index_; }
  void number_threads_from(std::uint32_t index) { next_index_ = index; }

 private:
  Live(int file, LiveHeader* header) : file_(file), header_(header) {}
  std::uint8_t* add_extent(ExtentKind kind, ThreadIndex thread, std::uint32_t sequence, std::uint64_t steps_before,
                           std::size_t size);
  bool grow(std::size_t size_min);
  void close_chunk();
  bool map_chunk();
  bool stop();
  bool has_contents() const { return (header_->flags.load(std::memory_order_relaxed) & live_contents) != 0; }
  bool pad(std::size_t size);
  std::uint64_t end() const { return file_size_ - chunk_size_ + chunk_used_; }  // where the next extent goes

  // A mapped piece of the file. Unmapped when nobody writes into it any more.
  struct Chunk {
    std::size_t size{0};
    std::size_t once_bytes{0};  // what comes after is written again and again, and stays
    std::uint32_t users{0};     // running threads' slots, blocks in use, and a slot page with room
  };
  struct Block {
    std::uint64_t offset{0};
    std::uint64_t size{0};
    std::uint32_t sequence{0};
  };
  void give_back(const Block& block);
  void write_at(std::uint64_t offset, const void* bytes, std::size_t size) const;

  void use(const void* at);
  void unuse(const void* at);

  int file_;
  LiveHeader* header_;
  std::atomic<bool> is_refused_{false};
  std::mutex mutex_;  // guards what follows, and the order of extents
  std::map<const std::uint8_t*, Chunk> chunks_;
  std::uint8_t* chunk_{nullptr};  // the newest, if it is mapped
  std::size_t chunk_used_{0};
  std::size_t chunk_size_{0};
  std::uint64_t file_size_{live_header_bytes};
  std::uint8_t* slot_page_{nullptr};
  std::uint32_t slots_in_page_{0};
  std::uint32_t next_index_{main_thread};
  bool has_staged_{false};  // somebody writes much
  bool keeps_track_{false};
  std::map<ThreadIndex, std::deque<Block>> blocks_;  // those that were not dropped
  std::map<std::uint64_t, std::uint64_t> gaps_;      // padding: offset, size
};

}  // namespace reprise::recording
