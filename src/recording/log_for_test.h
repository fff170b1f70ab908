// Helpers of the recording layer's tests: events that own their bytes, blocks in memory, small logs on disk.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <ostream>
#include <string>
#include <vector>

#include "recording/hash.h"
#include "recording/live.h"
#include "recording/log.h"
#include "recording/stream.h"

namespace reprise::test {

using Bytes = std::vector<std::uint8_t>;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

// A folder of its own, gone with the object. In memory where there is such a place: sealing waits for the disk.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const bool in_memory = access("/dev/shm", W_OK) == 0;
    const std::filesystem::path place = in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (place / "reprise-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// While it lives, files of this process cannot grow beyond `bytes`: what a full disk looks like. Who tries it all the
// same is ended by SIGXFSZ.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

inline Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// An event that owns its bytes.
struct Owned {
  std::uint64_t step{0};
  Kind kind{Kind::none};
  ObjectId object{0};
  std::uint64_t order{0};
  std::uint64_t number{0};
  std::string value{};
  std::string name{};
  bool checked{false};
  std::uint8_t check{0};

  Owned() = default;
  explicit Owned(const recording::Event& event)
      : step(event.step),
        kind(event.kind),
        object(event.object),
        order(event.order),
        number(event.number),
        value(event.value),
        name(event.name),
        checked(event.checked),
        check(event.check) {}

  recording::Event event() const { return {step, kind, object, order, number, value, name, checked, check}; }
  friend bool operator==(const Owned&, const Owned&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Owned& e) {
    return out << recording::name(e.kind) << "{step " << e.step << ", object " << object_thread(e.object) << "#"
               << object_ordinal(e.object) << ", order " << e.order << ", number " << e.number << ", value "
               << e.value.size() << " bytes, name " << e.name.size() << " bytes" << (e.checked ? ", checked" : "")
               << "}";
  }
};

struct ReadBack {
  std::vector<Owned> events;
  std::string error;  // empty: read to the end
  std::uint64_t step{0};
};

inline ReadBack read_all(recording::StreamReader reader) {
  ReadBack result;
  for (;;) {
    auto event = reader.next();
    if (!event) {
      result.error = event.error().message;
      EXPECT_EQ(event.error().code, ErrorCode::damaged);
      EXPECT_FALSE(reader.next()) << "a damaged stream must stay damaged";
      break;
    }
    if (!*event) break;
    result.events.emplace_back(**event);
  }
  result.step = reader.step();
  return result;
}

// Blocks in memory, `payload` bytes each (more where one record needs it), at most `blocks_max` of them.
class MemoryBlocks final : public recording::BlockSource {
 public:
  explicit MemoryBlocks(std::size_t payload, std::size_t blocks_max = SIZE_MAX)
      : payload_(payload), blocks_max_(blocks_max) {}

  std::span<std::uint8_t> allocate(ThreadIndex, std::uint32_t sequence, std::uint64_t steps_before,
                                   std::size_t payload_min) override {
    EXPECT_EQ(sequence, blocks.size());
    if (blocks.size() == blocks_max_) return {};
    blocks.push_back({Bytes(std::max(payload_, payload_min)), steps_before});
    return blocks.back().bytes;
  }

  recording::StreamReader reader(ThreadIndex thread) const {
    return {thread, [this, next = blocks.begin()]() mutable -> Result<std::optional<recording::Piece>> {
              if (next == blocks.end()) return std::optional<recording::Piece>{};
              const Block& block = *next++;
              return std::optional<recording::Piece>{recording::Piece{block.bytes, true, block.steps_before}};
            }};
  }

  struct Block {
    Bytes bytes;
    std::uint64_t steps_before;
  };
  std::list<Block> blocks;

 private:
  std::size_t payload_;
  std::size_t blocks_max_;
};

// A reader of one piece without zero tail, as from a sealed chunk.
inline recording::StreamReader reader_of(const Bytes& bytes, ThreadIndex thread = main_thread) {
  return {thread, [&bytes, given = false]() mutable -> Result<std::optional<recording::Piece>> {
            if (std::exchange(given, true)) return std::optional<recording::Piece>{};
            return std::optional<recording::Piece>{recording::Piece{bytes, false, std::nullopt}};
          }};
}

// One thread of a log in the making: slot and stream, counted as a recorder counts.
class TestThread {
 public:
  TestThread(recording::Live& live, ThreadIndex parent, std::uint32_t ordinal)
      : slot(live.add_slot(parent, ordinal)), writer(live, slot->index) {}

  // Writes the event as the next step (a label: as none).
  bool write(recording::Event event, std::uint64_t hashed = 0) {
    const bool is_label = event.kind == Kind::label;
    event.step = slot->steps + (is_label ? 0 : 1);
    event.check = recording::check_of(slot->hash);
    if (!writer.append(event)) return false;
    slot->written = writer.written();
    if (!is_label) count(event.kind, hashed);
    return true;
  }
  bool write_at(Kind kind, ObjectId object, std::uint64_t order, std::string_view value = {}) {
    return write({.kind = kind, .object = object, .order = order, .value = value}, object);
  }
  // Counts a step that is not written.
  void count(Kind kind, std::uint64_t object) {
    slot->hash = recording::next_hash(slot->hash, kind, object);
    ++slot->steps;
  }
  ObjectId new_object() { return object_id(slot->index, ++slot->objects); }
  void end() {
    write({.kind = Kind::end});
    slot->state = static_cast<std::uint32_t>(recording::SlotState::ended);
  }
  void waits(Kind kind, std::uint64_t object) {
    slot->pending_object = object;
    __atomic_store_n(&slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  }

  gate::Slot* slot;
  recording::StreamWriter writer;
};

inline recording::Live& create_live(const std::filesystem::path& path) {
  auto live = recording::Live::create(path);
  EXPECT_TRUE(live) << (live ? "" : live.error().message);
  if (!live) std::abort();
  static auto* never_destroyed = new std::vector<recording::Live*>;  // but known, also at the end: not a leak
  never_destroyed->push_back(*live);
  return **live;
}

// Two threads that meet at a labelled mutex and an atomic, with a value, a failure run, a clock and unwritten steps.
inline void write_small_live(const std::filesystem::path& path) {
  recording::Live& live = create_live(path);
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  const ObjectId mutex = main.new_object();
  const ObjectId flag = main.new_object();
  main.write_at(Kind::lock, mutex, 1);
  main.write({.kind = Kind::label, .object = mutex, .value = "accounts"});
  main.count(Kind::unlock, mutex);
  child.write_at(Kind::lock, mutex, 2);
  child.count(Kind::unlock, mutex);
  main.write_at(Kind::store, flag, 1);
  child.write_at(Kind::load, flag, 1, std::string_view("\x07\0\0\0", 4));
  child.write({.kind = Kind::try_failed, .object = mutex, .number = 1});
  child.write({.kind = Kind::try_failed, .object = mutex, .number = 1});
  child.write({.kind = Kind::value, .value = "192.168.0.1", .name = "address"});
  main.write({.kind = Kind::clock, .number = 1'700'000'000'000'000'000});
  main.write_at(Kind::lock, mutex, 3);
  child.end();
  main.write({.kind = Kind::exit, .number = 3});
  live.header().end_code = 3;
  live.header().end_thread = main_thread;
  live.header().end_kind = static_cast<std::uint32_t>(recording::EndKind::exited);
  live.header().output_bytes = 12;
  live.header().output_digest = 0x1122334455667788;
}

// The same bytes without the room that was reserved and not used.
inline Bytes trimmed_live(const std::filesystem::path& path) {
  Bytes bytes = read_bytes(path);
  std::uint64_t used = 0;
  std::memcpy(&used, bytes.data() + 16, sizeof used);
  bytes.resize(used);
  return bytes;
}

// All events of all threads; errors are kept beside what was read before them.
inline std::vector<ReadBack> read_log(const recording::Log& log) {
  std::vector<ReadBack> result;
  for (const recording::ThreadInfo& thread : log.threads()) result.push_back(read_all(log.stream(thread.index)));
  return result;
}

}  // namespace reprise::test
