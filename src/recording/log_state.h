// What is known of an open log; shared by the readers of both forms, by Log and by seal(). Not for use above
// recording/.
//
// A loader keeps all that is good and lists what is not: Log::open refuses a log with problems, salvage() takes the
// rest.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "recording/log.h"
#include "recording/sealed.h"

namespace reprise::recording {

// How much of a mapped log may stay in memory behind what is read: however long it is, it takes no more.
constexpr std::uint64_t kept_bytes = std::uint64_t{32} << 10;

// Where a piece of a stream stands in the file.
struct StoredPiece {
  std::uint64_t offset{0};  // of the payload (live) or of the stored bytes (sealed)
  std::uint64_t stored{0};
  std::uint64_t raw{0};
  std::uint64_t start{0};  // sealed: the first byte under the checksum
  Codec codec{Codec::raw};
  std::uint64_t steps_before{0};      // live
  bool is_fresh{false};               // live
  const std::uint8_t* copy{nullptr};  // live: the payload as it was, where the process may have used its room again
};

struct LoadedThread {
  ThreadInfo info;
  std::uint64_t written{0};  // live: at least so many records were written
  std::uint64_t dropped{0};  // live: steps that its first blocks covered, which are not kept
  bool cut{false};           // pieces at its end are missing: it ends at its last event
  std::vector<StoredPiece> pieces;
};

struct LogState {
  std::filesystem::path path;
  base::MappedFile file;
  LogInfo info;
  std::vector<LoadedThread> loaded;   // by index
  std::vector<ThreadInfo> threads;    // the same, as shown
  std::vector<std::string> problems;  // MUSTs that do not hold, in one line each
  std::size_t lost_threads{0};
  std::deque<std::vector<std::uint8_t>> copies;  // of staged blocks

  // Of a live log.
  std::span<const std::uint8_t> payload(const StoredPiece& piece) const {
    return piece.copy != nullptr ? std::span(piece.copy, piece.stored)
                                 : file.bytes().subspan(piece.offset, piece.stored);
  }
  void problem(std::uint64_t offset, const std::string& what);
  const LoadedThread* find(ThreadIndex index) const;
};

// Errors: not_found, not_a_recording, version_unsupported, io. Damage is in `problems`.
Result<std::shared_ptr<LogState>> load(const std::filesystem::path& path);

// The two forms; the magic is checked already.
Result<void> load_live(LogState& state);
std::uint64_t live_used(std::span<const std::uint8_t> file);  // REQUIRES a whole header
Result<void> load_sealed(LogState& state);

// Hands out the pieces of one thread's stream.
class PieceSource {
 public:
  PieceSource(std::shared_ptr<const LogState> state, const LoadedThread* thread)
      : state_(std::move(state)), thread_(thread) {}

  Result<std::optional<Piece>> next();
  // Is the next piece what was written? Passes over it.
  Result<void> check();
  bool exhausted() const { return thread_ == nullptr || next_ >= thread_->pieces.size(); }

 private:
  Result<std::optional<Piece>> unpack(const StoredPiece& piece, std::uint64_t sequence);
  Result<void> check_sum(const StoredPiece& piece, std::uint64_t sequence) const;
  tl::unexpected<Error> damaged(const StoredPiece& piece, std::uint64_t sequence, const char* what) const;

  std::shared_ptr<const LogState> state_;
  const LoadedThread* thread_;
  // A log may be larger than the memory: what was read is given back.
  void forget_up_to(std::uint64_t offset, bool all = false);

  std::size_t next_{0};
  std::uint64_t kept_from_{0};
  std::vector<std::uint8_t> buffer_;
};

}  // namespace reprise::recording
