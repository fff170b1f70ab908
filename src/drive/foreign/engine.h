// What the interposing library for a foreign MCAPI does with messages, whatever that library's header says.
//
// This file and interposer.cc are no part of the tool's own build: `reprise mcapi-profile` compiles them against the
// header of the library that is to be recorded.
//
// A message carries the name of its sender (process, thread, how-manyth to this endpoint) in a trailer. Where the
// trailer does not fit, the sender notes size and digest in a file of the run, and the receiver takes the first note
// that fits: equal messages may be taken for each other, but for one of the same run, size and bytes.
//
// Threads   What a thread has met is its own. The rest is guarded by one mutex.
#pragma once

#include <fcntl.h>
#include <reprise/detail/gate.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace foreign {

using reprise::Kind;
namespace gate = reprise::gate;
using Key = std::uint64_t;  // a handle or a request of the library, as bits

template <typename T>
Key key_of(const T& handle) {
  static_assert(sizeof handle <= sizeof(Key));
  Key key = 0;
  std::memcpy(&key, &handle, sizeof handle);
  return key;
}
template <typename T>
T value_of(Key key) {
  T value{};
  std::memcpy(&value, &key, sizeof value);
  return value;
}

// One call that could have come out another way.
class Passage {
 public:
  Passage(Kind kind, std::uint64_t expected) : thread_(gate::current), kind_(kind), expected_(expected) {
    known_ = thread_->gate->chosen(*thread_, kind, expected, number_);
  }
  bool is_known() const { return known_; }
  std::uint64_t number() const { return number_; }
  void keep(std::uint64_t number) const {
    if (!known_) thread_->gate->choose(*thread_, kind_, expected_, number);
  }

 private:
  gate::Thread* thread_;
  Kind kind_;
  std::uint64_t expected_;
  std::uint64_t number_{0};
  bool known_{false};
};

// A status and what the function returned are odd, messages even.
constexpr std::uint64_t number_of(std::uint64_t status, bool result) { return status << 2 | (result ? 2 : 0) | 1; }
constexpr bool is_status(std::uint64_t number) { return (number & 1) != 0; }
constexpr std::uint64_t status_of(std::uint64_t number) { return number >> 2; }
constexpr bool result_of(std::uint64_t number) { return (number & 2) != 0; }

// ---- contents ----

inline void keep_bytes(const void* bytes, std::size_t size) {
  gate::current->gate->keep_contents(*gate::current, {static_cast<const char*>(bytes), size});
}
inline std::string given_bytes() {
  std::string bytes;
  const auto take = [](void* context, const void* recorded, std::size_t size) {
    static_cast<std::string*>(context)->assign(static_cast<const char*>(recorded), size);
  };
  gate::current->gate->given(*gate::current, Kind::content, {}, take, &bytes);
  return bytes;
}

// ---- names of messages ----

struct Id {
  std::uint32_t process{0};
  std::uint32_t thread{0};
  std::uint64_t number{0};
  bool operator==(const Id& other) const {
    return process == other.process && thread == other.thread && number == other.number;
  }
};

struct Trailer {
  static constexpr std::uint64_t mark = 0x4D43415049726570u;
  std::uint64_t magic{mark};
  Id id;
};

inline std::uint64_t digest(const void* bytes, std::size_t size) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3u;
  return hash;
}

struct Sender {
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t last;
};
struct Met {
  std::vector<Sender> senders;
  std::uint64_t last{0};
};
struct Names {
  std::map<Key, Met> met;
  std::map<Key, std::uint64_t> sent;
};
inline thread_local Names names;

inline Id next_id(Key to) {
  const char* process = gate::process_name;
  const auto hash = static_cast<std::uint32_t>(digest(process, std::strlen(process)));
  return {hash, gate::current->index, ++names.sent[to]};
}

// Sender and by how much the message is off that sender's next, as one even number.
constexpr unsigned sender_bits = 16;
inline std::uint64_t pack(std::uint64_t sender, std::int64_t off) {
  if (off == 0) return sender << 3;
  const std::uint64_t zigzag = (static_cast<std::uint64_t>(off) << 1) ^ static_cast<std::uint64_t>(off >> 63);
  return (zigzag << sender_bits | sender) << 3 | 4;
}
inline std::uint64_t expected_message(Key endpoint) { return names.met[endpoint].last << 3; }

inline void tell_message(Key endpoint, const Id& id, const Passage& passage) {
  Met& met = names.met[endpoint];
  std::uint64_t index = 0;
  while (index < met.senders.size() &&
         (met.senders[index].process != id.process || met.senders[index].thread != id.thread))
    ++index;
  const bool is_new = index == met.senders.size();
  const std::uint64_t last = is_new ? 0 : met.senders[index].last;
  const auto off = static_cast<std::int64_t>(id.number - last - 1);
  passage.keep(pack(index, off));
  if (is_new) {
    met.senders.push_back({id.process, id.thread, 0});
    gate::current->gate->keep(*gate::current, Kind::mcapi_sender, {}, &id, 8);
  }
  met.senders[index].last = id.number;
  met.last = index;
}

inline Id told_message(Key endpoint, std::uint64_t number) {
  Met& met = names.met[endpoint];
  const bool is_off = (number & 4) != 0;
  const std::uint64_t packed = number >> 3;
  const std::uint64_t index = is_off ? packed & ((1u << sender_bits) - 1) : packed;
  if (index >= met.senders.size()) {
    Id name;
    const auto take = [](void* context, const void* bytes, std::size_t size) {
      if (size == 8) std::memcpy(context, bytes, size);
    };
    gate::current->gate->given(*gate::current, Kind::mcapi_sender, {}, take, &name);
    met.senders.push_back({name.process, name.thread, 0});
  }
  Sender& sender = met.senders[index < met.senders.size() ? index : met.senders.size() - 1];
  const std::uint64_t zigzag = is_off ? packed >> sender_bits : 0;
  sender.last +=
      1 + static_cast<std::uint64_t>(static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1));
  met.last = index;
  return {sender.process, sender.thread, sender.last};
}

// ---- messages without a trailer ----

struct Note {
  Key to;
  std::uint64_t digest;
  std::uint64_t size;
  Id id;
  std::uint64_t taken;
};

// The notes of this run, in a file that all its processes have open.
class Notes {
 public:
  void add(const Note& note) {
    const Hold hold(*this);
    if (file_ >= 0) (void)!pwrite(file_, &note, sizeof note, lseek(file_, 0, SEEK_END));
  }
  // The first that fits; false: nobody said that it sent this.
  bool take(Key to, const void* bytes, std::size_t size, Id& id) {
    const Hold hold(*this);
    const std::uint64_t wanted = digest(bytes, size);
    Note note;
    for (off_t at = 0; file_ >= 0 && pread(file_, &note, sizeof note, at) == sizeof note; at += sizeof note) {
      if (note.taken != 0 || note.to != to || note.size != size || note.digest != wanted) continue;
      id = note.id;
      note.taken = 1;
      (void)!pwrite(file_, &note, sizeof note, at);
      return true;
    }
    return false;
  }
  // What was noted last was not sent.
  void withdraw(const Id& id, Key to) {
    const Hold hold(*this);
    Note note;
    for (off_t at = 0; file_ >= 0 && pread(file_, &note, sizeof note, at) == sizeof note; at += sizeof note) {
      if (note.taken != 0 || note.to != to || !(note.id == id)) continue;
      note.taken = 1;
      (void)!pwrite(file_, &note, sizeof note, at);
    }
  }

 private:
  // A lock of the file, which the kernel drops when its holder dies.
  class Hold {
   public:
    explicit Hold(Notes& notes) : notes_(notes) {
      notes_.mutex_.lock();
      notes_.open();
      if (notes_.file_ >= 0) flock(notes_.file_, LOCK_EX);
    }
    ~Hold() {
      if (notes_.file_ >= 0) flock(notes_.file_, LOCK_UN);
      notes_.mutex_.unlock();
    }

   private:
    Notes& notes_;
  };

  // A forked child opens it anew: a lock belongs to the opened file.
  void open() {
    if (owner_ == getpid()) return;
    const char* folder = std::getenv("REPRISE_RUN");
    if (file_ >= 0) close(file_);
    file_ = -1;
    if (folder != nullptr) {
      mkdir(folder, 0700);  // the first to need it makes it
      file_ = ::open((std::string(folder) + "/mcapi-notes").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    owner_ = getpid();
  }

  std::mutex mutex_;
  int file_{-1};
  pid_t owner_{0};
};
inline Notes notes;

// ---- what arrived ----

struct Arrived {
  Id id;
  std::string bytes;
};
inline std::mutex mutex;
inline std::map<Key, std::list<Arrived>> stash;  // replay: before it is needed; guarded by `mutex`

// Takes the trailer off.
inline Arrived arrived(Key at, const char* bytes, std::size_t size) {
  Trailer trailer;
  Arrived result;
  if (size >= sizeof trailer) {
    std::memcpy(&trailer, bytes + size - sizeof trailer, sizeof trailer);
    if (trailer.magic == Trailer::mark) {
      result.id = trailer.id;
      result.bytes.assign(bytes, size - sizeof trailer);
      return result;
    }
  }
  notes.take(at, bytes, size, result.id);
  result.bytes.assign(bytes, size);
  return result;
}

// What is handed to the library in place of the program's message.
struct Outgoing {
  Id id;
  std::string bytes;
  bool noted{false};

  Outgoing(Key to, const void* payload, std::size_t size, std::size_t size_max) : id(next_id(to)) {
    bytes.assign(static_cast<const char*>(payload), size);
    Trailer trailer;
    trailer.id = id;
    noted = size + sizeof trailer > size_max;
    if (noted) {
      notes.add({to, digest(payload, size), size, id, 0});
    } else {
      bytes.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
    }
  }
  // It was not sent: the next one has its number.
  void withdraw(Key to) const {
    --names.sent[to];
    if (noted) notes.withdraw(id, to);
  }
};

}  // namespace foreign
