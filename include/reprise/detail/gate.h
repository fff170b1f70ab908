// The gate: the seam between a program and what stands behind it (off, free, record or replay).
//
//   if (Thread* thread = gate::current) [[unlikely]] return passed_by(*thread);   // something stands behind the gate
//   native_.lock();                                                               // off: the plain thing
//
// A primitive is written once, against this header. It asks "may I, and what did I get?" and cannot tell which mode
// answers. Two shapes of passage exist:
//   - objects with a critical section of their own (mutexes): arrive() outside it, pass() inside it, leave() before and
//   left() after
//     its native end;
//   - stamped objects (atomics, conditions, semaphores): begin() takes the object's own bit lock, end() releases it.
//
// Threads   `current` belongs to the calling thread. An Object's fields are guarded by its critical section or its bit
// lock. Lifetime  Threads and the gate are never destroyed, so that static and thread_local destructors may still pass.
// Cost      Off: one thread-local load. Recording, nothing decided: order, owner check, step and hash, no call.
#pragma once

#include <reprise/detail/kind.h>
#include <reprise/detail/mailed.h>
#include <reprise/detail/slot.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#define REPRISE_API __attribute__((visibility("default")))

namespace reprise::gate {

// Tells the processor so many times that this is a spin loop.
REPRISE_API void rest(unsigned pauses) noexcept;

// An object that the library made for itself, if `is` so: where a sequence is tested, its order is forced by other
// means.
struct Own {
  bool is{true};
};

// What threads meet at. Named by the thread that first passes (id), so constructors register nothing and stay
// constexpr.
struct Object {
  constexpr Object() noexcept = default;
  constexpr explicit Object(const char* user_name) noexcept : name(user_name) {}
  constexpr Object(const char* user_name, Own own) noexcept : depth(own.is ? own_mark : 0), name(user_name) {}
  constexpr Object(const char* user_name, std::uint64_t well_known_id) noexcept : id(well_known_id), name(user_name) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::atomic<std::uint64_t> word{0};  // order << 1 | bit lock
  std::atomic<std::uint64_t> id{0};    // first thread << 40 | its how-manyth new object; 0: nobody has passed yet
  std::atomic<std::uint32_t> last{0};  // thread of the last ordered passage
  std::uint32_t depth{0};              // nested locks of a recursive mutex; of the library's own objects own_mark
  const char* name{nullptr};           // given by the user

  static constexpr std::uint32_t own_mark = 1u << 31;
  bool is_own() const noexcept { return depth == own_mark; }

  std::uint64_t order() const noexcept { return word.load(std::memory_order_acquire) >> 1; }
  std::uint64_t known_id() const noexcept { return id.load(std::memory_order_relaxed); }
  std::uint32_t last_thread() const noexcept { return last.load(std::memory_order_relaxed); }
  void raise() noexcept { word.store(word.load(std::memory_order_relaxed) + 2, std::memory_order_release); }

  // Takes the bit lock if the word is still `free`, an even value loaded before: then nothing that it guards has
  // changed since.
  bool acquire_bit_from(std::uint64_t free) noexcept {
    return word.compare_exchange_strong(free, free | 1, std::memory_order_seq_cst, std::memory_order_relaxed);
  }
  void raise_and_release_bit(std::uint64_t free) noexcept { word.store(free + 2, std::memory_order_release); }
  void acquire_bit() noexcept {
    const std::uint64_t now = word.load(std::memory_order_relaxed);
    if ((now & 1) != 0 || !acquire_bit_from(now)) [[unlikely]]
      acquire_contended_bit();
  }
  void release_bit() noexcept {
    word.store(word.load(std::memory_order_relaxed) & ~std::uint64_t{1}, std::memory_order_release);
  }
  REPRISE_API void acquire_contended_bit() noexcept;
};

constexpr std::uint64_t hash_factor = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t kind_factor = 0xD6E8FEB86659FD93u;

// The rolling hash of (kind, object) over a thread's steps.
constexpr std::uint64_t next_hash(std::uint64_t hash, Kind kind, std::uint64_t object) noexcept {
  return hash * hash_factor + (object + static_cast<std::uint64_t>(kind) * kind_factor);
}

class Gate;

// An object that many may read at once and one may write (CARE): reads do not raise its order; a write says how many
// passed before it.
struct SharedObject {
  constexpr SharedObject() noexcept = default;
  constexpr explicit SharedObject(const char* user_name) noexcept : writes(user_name) {}

  Object writes;
  // Its order: all reads so far. Recording, one reader since the last write counts its own reads in `id` without a
  // locked instruction; `last` says which one.
  Object reads;
  std::uint64_t reads_before{0};  // reads when it was last written; guarded by the exclusive lock

  // Recording, while the shared lock is held.
  void count_read(std::uint32_t thread) noexcept {
    std::uint32_t counter = reads.last_thread();
    if (counter == thread ||
        (counter == 0 && reads.last.compare_exchange_strong(counter, thread, std::memory_order_relaxed))) {
      reads.id.store(reads.known_id() + 1, std::memory_order_relaxed);
    } else {
      reads.word.fetch_add(2, std::memory_order_relaxed);
    }
  }
  // Recording, while the exclusive lock is held: what the one reader counted is added to the rest.
  std::uint64_t all_reads() noexcept {
    if (const std::uint64_t own = reads.known_id(); own != 0) {
      reads.word.store(reads.word.load(std::memory_order_relaxed) + 2 * own, std::memory_order_relaxed);
      reads.id.store(0, std::memory_order_relaxed);
      reads.last.store(0, std::memory_order_relaxed);
    }
    return reads.order();
  }
  // The same: nobody read since the last write.
  bool is_unread() const noexcept { return reads.known_id() == 0 && reads.order() == reads_before; }
};

// An object where several sources meet and the world chooses (a mailbox): each passage says which source it was.
struct ChoosingObject {
  constexpr ChoosingObject() noexcept = default;
  constexpr explicit ChoosingObject(const char* user_name) noexcept : passages(user_name) {}

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  Object passages;
  std::uint64_t last_source{none};  // guarded by the object's critical section
};

// What replay knows of a choice before it is made.
struct Choice {
  bool known{false};
  std::uint64_t source{0};
};

// Remembers which order of an object this thread saw last, so that a read that sees nothing new is not written.
struct Seen {
  static constexpr std::size_t size = 64;
  struct Entry {
    std::uint64_t object{~std::uint64_t{0}};
    std::uint64_t word{0};
    bool is(std::uint64_t that_object, std::uint64_t that_word) const noexcept {
      return ((object ^ that_object) | (word ^ that_word)) == 0;
    }
  };
  Entry entries[size];

  Entry& at(std::uint64_t object) noexcept { return entries[((object * hash_factor) >> 32) % size]; }
};

struct Thread {
  Slot* slot{nullptr};
  std::uint32_t index{0};
  std::atomic<bool> predicts{false};  // passages that decide nothing may be counted here, without asking the gate
  bool in_handler{false};             // a signal handler runs on this thread
  bool frozen{false};                 // its recording has ended; it still passes, to exclude who is still recorded
  bool inside{false};                 // between the two halves of a slow passage
  Gate* gate{nullptr};
  std::uint64_t alone_before{0};  // replay: no step below this one was written, so that none of them waits for a turn
  Seen seen{};
  bool keeps_contents{false};      // what its gate says to that
  bool is_isolated{false};         // it has said that it shares only shared<T> and messages (checkpoint.h)
  bool has_checkpoints{false};     // recording: it may leave a checkpoint at each passage
  std::uint64_t checkpoint_at{0};  // when the next one is due: a step or a time
  bool is_detached{false};         // replay from a checkpoint, without the other threads: what they did is in the log
  bool is_steered{false};          // a sequence is tested: conditions are waited for at the gate, not natively
  bool saw_news{false};            // its last passage of a SharedObject was written, or may have been

  // Recording: a passage that decides nothing is counted here.
  bool counts_alone() const noexcept { return predicts.load(std::memory_order_relaxed); }
  // Replay: nothing was decided at the next step, so this thread must have been the last at the object that it passes.
  bool replays_alone() const noexcept { return slot->steps + 1 < alone_before; }

  // The next step, worked out before a locked instruction whose end everything after it must wait for.
  struct Next {
    std::uint64_t steps;
    std::uint64_t hash;
  };
  [[gnu::always_inline]] Next next(Kind kind, std::uint64_t object) const noexcept {
    std::uint64_t hash = slot->hash;
    asm("" : "+r"(hash));  // a load of its own: the processor forwards what was stored last to it at once
    return {slot->steps + 1, next_hash(hash, kind, object)};
  }

  // Counts a step that decided nothing. Always inline: a call would cost more than the whole of it.
  [[gnu::always_inline]] void count(const Next& next) noexcept {
    Slot* const mine = slot;
    mine->steps = next.steps;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // kill -9 may fall between: steps first, see "torn end"
    mine->hash = next.hash;
  }
  [[gnu::always_inline]] void count(Kind kind, std::uint64_t object) noexcept { count(next(kind, object)); }
  // What this thread is about to wait for: a deadlock is explained from here.
  void about_to(Kind kind, const Object& object) noexcept {
    slot->pending_object = object.known_id();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    __atomic_store_n(&slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  }
  void about_to(Kind kind) noexcept {
    slot->pending_object = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    __atomic_store_n(&slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  }
  void done() noexcept { __atomic_store_n(&slot->pending_kind, 0, __ATOMIC_RELAXED); }
};

// What a thread notes before a passage whose outcome no order of passages decides.
constexpr std::string_view unsearched_timed = "unsearched: a wait with a time limit";
constexpr std::string_view unsearched_attempt = "unsearched: an attempt";

enum class Outcome : std::uint8_t {
  open,    // nobody knows yet: try it
  act,     // recorded as done: do it, blocking
  failed,  // recorded as a failure (or, for a read, the value was given): return it
};

// What stands behind the gate. One object per process; see session/.
class Gate {
 public:
  // Before the native acquire. Replay returns when it is this passage's turn, with the recorded kind (relock or
  // relock_timeout).
  virtual Kind arrive(Thread& thread, Object& object, Kind kind) = 0;
  // Inside the critical section: names a new object, raises its order, counts the step.
  virtual void pass(Thread& thread, Object& object, Kind kind) = 0;
  // Before the native release, and after it.
  virtual void leave(Thread& thread, Object& object, Kind kind) = 0;
  virtual void left(Thread& thread, Object& object) = 0;

  // The same for objects with readers. A shared passage has arrive_shared() and pass_shared(), then leave() with
  // unlock_shared; an exclusive one arrive_writing() and pass_writing(), then leave() and left().
  virtual void arrive_shared(Thread& thread, SharedObject& object) = 0;
  virtual void pass_shared(Thread& thread, SharedObject& object) = 0;
  virtual void arrive_writing(Thread& thread, SharedObject& object) = 0;
  virtual void pass_writing(Thread& thread, SharedObject& object) = 0;

  // The same where the world chooses a source: arrive_choosing() returns the recorded choice in its turn, or says that
  // it is open; pass_choosing() inside the critical section, then left(). `digest` is of what came.
  virtual Choice arrive_choosing(Thread& thread, ChoosingObject& object, Kind kind) = 0;
  virtual void pass_choosing(Thread& thread, ChoosingObject& object, Kind kind, std::uint64_t source,
                             std::uint64_t digest) = 0;
  // Before something is waited for that passes no object (the reply to a call). Replay holds a thread here that was
  // recorded no further.
  virtual void awaiting(Thread& thread, Kind kind, const Object& object) = 0;

  // A stamped passage: the object's bit lock is held from begin() to end(). `value` is what the object holds at end()
  // (atomics only).
  virtual Kind begin(Thread& thread, Object& object, Kind kind) = 0;
  virtual void end(Thread& thread, Object& object, Kind kind, const void* value, std::size_t size, bool is_pointer) = 0;

  // Is the outcome of this attempt known? For reads (`load`, and `modify` with `expected`) `out` receives the value
  // when `failed`.
  virtual Outcome foretell(Thread& thread, Object& object, Kind kind, const void* expected, void* out, std::size_t size,
                           bool is_pointer) = 0;
  // An attempt failed (try_lock, an expired time-out of a lock): an outcome of its own.
  virtual void fail(Thread& thread, Object& object, Kind kind) = 0;

  // A value from outside. Returns true and fills `out` (through `take`) when the recorded value is to be used;
  // otherwise the caller gets the value from the world and hands it to keep().
  using Take = void (*)(void* context, const void* bytes, std::size_t size);
  virtual bool given(Thread& thread, Kind kind, std::string_view name, Take take, void* context) = 0;
  virtual void keep(Thread& thread, Kind kind, std::string_view name, const void* bytes, std::size_t size) = 0;

  // Keeps what came from another thread or process (level data).
  virtual void keep_contents(Thread& thread, std::string_view bytes) {
    keep(thread, Kind::content, {}, bytes.data(), bytes.size());
  }

  // The same for what need not be there: true only if the recording has a `kind` next. Never waits, never diverges.
  virtual bool perhaps_given(Thread& thread, Kind kind, Take take, void* context) = 0;

  // A number that could have been another: which of several, how many, which status. Returns true and gives the
  // recorded `number` when that is to be used; otherwise the caller finds out and hands it to choose(). What is
  // `expected` is not written; it must follow from the thread's own steps.
  virtual bool chosen(Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t& number) = 0;
  virtual void choose(Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t number) = 0;

  // Every event is written: then what a step was about may be said too, for people. It is no step of its own.
  virtual bool takes_notes() const noexcept = 0;
  virtual void note(Thread& thread, std::string_view text) = 0;

  // Does this process keep what came from other recorded threads and processes too (level data)?
  virtual bool keeps_contents() const noexcept = 0;

  // A step that is fully determined by the thread's own program (sleep, join, spawn); `subject` is a thread index or 0.
  virtual void step(Thread& thread, Kind kind, std::uint64_t subject) = 0;

  // Does the real world answer (true), or only the recording (false: no native waiting, no sleeping)?
  virtual bool lives() const noexcept = 0;

  // Output passed the gate in its turn: digest it. Called between arrive() and left() of the output object, which keeps
  // `digest`, that of all it wrote so far.
  virtual void wrote(Thread& thread, std::uint64_t& digest, const void* bytes, std::size_t size) = 0;

  // The life of threads. spawn() runs in the parent and returns null when the child cannot be followed any more;
  // started() and ended() run in the child. joining() and joined() surround a native join.
  virtual Thread* spawn(Thread& parent) = 0;
  virtual void started(Thread& child) = 0;
  virtual void ended(Thread& child) = 0;
  virtual void joining(Thread& thread, std::uint32_t child) = 0;
  virtual void joined(Thread& thread, std::uint32_t child) = 0;

  // The end of the process: by exit (after all destructors) or _exit, or by a fatal signal.
  virtual void exiting(Thread& thread, int code) = 0;
  virtual void crashing(Thread& thread, int signal) = 0;

  // exec is about to replace this image (or has failed to: `begins` is false).
  virtual void replacing(Thread& thread, bool begins) = 0;
  // Does any other thread of this process pass gates?
  virtual bool other_threads() = 0;

  // Replay: what the program holds is not what it held when recorded.
  virtual void differs(Thread& thread, Kind kind, std::string_view what) = 0;

  // The program does something that cannot be replayed: the recording ends with this reason.
  virtual void refuse(std::string_view reason) = 0;

  // Keeps an event of a mailbox in its parts. False: that is not for this gate; hand its text to given() and keep().
  virtual bool mailed(Thread&, const Mailed&) { return false; }

 protected:
  ~Gate() = default;
};

// The calling thread's gate, or null when nothing stands behind it.
extern REPRISE_API __attribute__((tls_model("initial-exec"))) __thread Thread* current;

// Above 0 while this thread is inside a foreign library that reprise stands before: what that asks of the system is no
// step of the program.
extern REPRISE_API __attribute__((tls_model("initial-exec"))) __thread unsigned in_library;

// Level data: keeps `bytes` as what this thread found here, or compares them with what was recorded, if it was.
REPRISE_API void keep_or_compare(Thread& thread, std::string_view bytes);

// A thread that is replayed without the others: what it found here when it was recorded, if that was news to it.
REPRISE_API bool take_contents(Thread& thread, std::string& bytes);

// The calling thread's path, as 0.2. REQUIRES current is not null.
REPRISE_API const char* thread_path() noexcept;

// This process's name in a recording, also when nothing stands behind its gate. Set by session/.
extern REPRISE_API const char* process_name;

// What stands behind the gate of this process, or null. Set once, by session/.
extern REPRISE_API Gate* installed;

}  // namespace reprise::gate
