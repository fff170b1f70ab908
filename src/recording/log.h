// Reads the log of one process, sealed or live, thread by thread.
//
//   auto log = Log::open("run.reprise/main.log");
//   if (!log) return tl::unexpected(log.error());
//   for (const ThreadInfo& thread : log->threads()) {
//     StreamReader stream = log->stream(thread.index);
//     while (auto event = stream.next(); event && *event) use(**event);
//   }
//
// Threads   Const members may be called from any thread; each StreamReader belongs to one thread.
// Lifetime  A StreamReader keeps what it needs of its Log alive.
// Trust     A recording is input, not state: every MUST of format/recording.md is checked here and in stream.cc and
// nowhere else.
//           Code above this header may rely on all of them.
// Cost      The file is mapped; one decompressed chunk per StreamReader is resident.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "recording/live.h"
#include "recording/stream.h"

namespace reprise::recording {

struct ThreadInfo {
  ThreadIndex index{0};
  ThreadIndex parent{0};          // no_thread for main
  std::uint32_t ordinal{0};       // its parent's how-manyth child, from 0
  std::string path;               // "0.2"
  std::uint64_t steps{0};         // all steps, written or not
  std::uint64_t hash{0};          // rolling hash after the last step
  bool hash_known{false};         // false: the last written step is beyond the one the hash was stored for; hash is 0
  bool ended{false};              // has an end mark
  Kind pending_kind{Kind::none};  // what it was waiting for when the log ended
  ObjectId pending_object{0};
  std::uint64_t pending_order{0};
  bool asleep{false};        // replay: waits for its turn
  std::uint64_t objects{0};  // objects it named
};

struct LogInfo {
  std::uint32_t version{0};
  bool sealed{false};
  bool full{false};        // every event is written (record --full, replay --trace)
  std::uint32_t flags{0};  // LiveFlag bits
  EndKind end_kind{EndKind::running};
  std::int32_t end_code{0};
  ThreadIndex end_thread{0};
  std::uint64_t output_digest{0};
  std::uint64_t output_bytes{0};
  bool is_pieced{false};   // live: blocks begin anew at checkpoints; it stays live
  bool is_dropped{false};  // live: what was before the oldest checkpoint was dropped, and cannot be replayed
  std::string reason;      // why the recording was refused, if it was
  std::string
      torn;  // where and why the log ends before its threads did (a machine crash, a repair); empty: it does not
};

// The log ends before its threads did: where no thread can go on is its end.
inline bool ends_early(const LogInfo& info) { return (info.flags & live_no_space) != 0 || !info.torn.empty(); }

struct LogState;  // log_state.h

class Log {
 public:
  // Opens a sealed (.log, .trace) or a live (.live) log; which one it is, its magic says.
  // Errors: not_found, not_a_recording, version_unsupported (names both versions), damaged (names offset and what does
  // not hold).
  static Result<Log> open(const std::filesystem::path& path);

  const LogInfo& info() const;
  const std::vector<ThreadInfo>& threads() const;     // by index
  const ThreadInfo* thread(ThreadIndex index) const;  // null: no such thread
  StreamReader stream(ThreadIndex index) const;       // empty for an unknown thread

  // Checks what open() leaves to reading: the checksum of every chunk. Errors: damaged.
  Result<void> check() const;

 private:
  explicit Log(std::shared_ptr<const LogState> state) : state_(std::move(state)) {}
  std::shared_ptr<const LogState> state_;
};

// Writes the sealed form of the log `from` (live or sealed) to `to`, by way of a temporary file and rename. `from`
// stays. Only what can be read as events is kept; a torn tail is dropped, and the threads' steps never fall below their
// last event's. Errors: those of open; io.
Result<void> seal(const std::filesystem::path& from, const std::filesystem::path& to);

// Keeps the good prefix of each thread of a damaged log. Returns how many threads were cut.
// A sealed log that lost its thread table keeps the threads whose chunks are there, without hashes.
// A result that lost something carries live_no_space, so that replay takes the place where no thread can go on as its
// end.
Result<std::size_t> salvage(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace reprise::recording
