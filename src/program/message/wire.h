// What goes over a connection: frames of a fixed header and bytes; the first one, the greeting, says who it is.
//
//   Inflow in;
//   while (!in.has_frame()) if (in.fill(file, false) != Inflow::Filled::some) return;
//   use(in.header(), in.payload());  in.pop();
//
// Trust     Bytes from a socket may be anything: has_frame() checks magic, version, type and length before any of them
// is
//           believed, and nothing is allocated for bytes that have not come.
// Cost      One system call per buffer, not per frame. 64 KiB per connection, or one frame if it is longer.
#pragma once

#include <reprise/message.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::messaging {

constexpr std::size_t header_bytes = 24;
constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
constexpr std::size_t greeting_bytes_max = 1024;

// An inquiry asks who listens there; a welcome answers it.
enum class FrameType : std::uint8_t {
  greeting = 1,
  plain = 2,
  call = 3,
  reply = 4,
  refusal = 5,
  inquiry = 6,
  welcome = 7
};

// Little-endian: u16 magic, u8 version, u8 zero, u32 length, u64 number, u32 thread, u24 call, u8 type. The type stands
// last, right before the bytes: both together are what level data keeps.
struct Header {
  std::uint32_t length{0};
  FrameType type{FrameType::plain};
  std::uint64_t number{0};  // the how-manyth message of the connection, from 1
  std::uint32_t thread{0};  // the sender's thread; 0: not recorded
  std::uint32_t call{0};    // calls and replies: which, from 1, modulo 2^24
};
constexpr std::uint32_t call_limit = 1u << 24;

void put(const Header& header, std::uint8_t (&bytes)[header_bytes]);
// Nothing: these are not the first bytes of a frame.
std::optional<Header> parse_header(const std::uint8_t* bytes);

// Who connects, and to whom.
struct Greeting {
  std::string run;
  std::string to;  // the party that is meant
  message_sender from;
};
std::string text_of(const Greeting& greeting);
std::optional<Greeting> parse_greeting(std::string_view text);

// Who listens at a place. It is asked before anything is recorded of the connection.
struct Welcome {
  std::string party;
  std::uint32_t incarnation{1};
  std::string process;
  std::string host;
  bool is_same_run{false};
};
std::string text_of(const Welcome& welcome);
std::optional<Welcome> parse_welcome(std::string_view text);

// host:port or [host]:port, with a port above 0.
std::optional<at> parse_place(std::string_view text);
std::string text_of(const at& place);

// Words separated by single spaces.
std::optional<std::string_view> next_word(std::string_view& text);
std::optional<std::uint64_t> next_number(std::string_view& text);

// [A-Za-z0-9._-]{1,64}, not starting with '.' or '-'.
bool is_valid_party(std::string_view name);

// The bytes of one connection as they come.
class Inflow {
 public:
  enum class Filled : std::uint8_t { some, nothing_yet, ended };

  // Takes what is there; with `waits`, waits for the first byte. `room_max`: keep up to so many bytes.
  Filled fill(int file, bool waits, std::size_t room_max = buffer_bytes);

  // Is a whole frame here? The bytes are not those of frames: is_broken() from then on.
  bool has_frame();
  bool is_broken() const { return broken_; }
  const Header& header() const { return *header_; }
  std::string_view payload() const { return {data_.get() + begin_ + header_bytes, header_->length}; }
  // Type and bytes: what level data keeps.
  std::string_view contents() const {
    return {data_.get() + begin_ + header_bytes - 1, header_->length + std::size_t{1}};
  }
  void pop();
  std::size_t held() const { return end_ - begin_; }
  // Frames longer than this are not believed.
  void limit(std::size_t bytes) { length_max_ = bytes; }

 private:
  void make_room(std::size_t room_max);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_{0};
  std::size_t begin_{0};
  std::size_t end_{0};
  std::size_t length_max_{message_bytes_max};
  std::optional<Header> header_;  // of the frame at the front, once it was parsed
  bool broken_{false};
};

}  // namespace reprise::messaging
