#include "program/message/wire.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/bytes.h"

namespace reprise::messaging {
namespace {

constexpr std::uint8_t magic_low = 'R';
constexpr std::uint8_t magic_high = 'P';
constexpr std::uint8_t wire_version = 1;
constexpr std::string_view greeting_word = "reprise";

}  // namespace

void put(const Header& header, std::uint8_t (&bytes)[header_bytes]) {
  bytes[0] = magic_low;
  bytes[1] = magic_high;
  bytes[2] = wire_version;
  bytes[3] = 0;
  std::uint8_t* at = base::put_u32(bytes + 4, header.length);
  at = base::put_u64(at, header.number);
  at = base::put_u32(at, header.thread);
  base::put_u32(at, header.call | static_cast<std::uint32_t>(header.type) << 24);
}

std::optional<Header> parse_header(const std::uint8_t* bytes) {
  if (bytes[0] != magic_low || bytes[1] != magic_high || bytes[2] != wire_version || bytes[3] != 0) return std::nullopt;
  base::Cursor cursor(bytes + 4, bytes + header_bytes);
  Header header;
  header.length = cursor.u32();
  header.number = cursor.u64();
  header.thread = cursor.u32();
  const std::uint32_t last = cursor.u32();
  header.call = last % call_limit;
  header.type = static_cast<FrameType>(last >> 24);
  if (header.type < FrameType::greeting || header.type > FrameType::welcome) return std::nullopt;
  return header;
}

std::optional<std::string_view> next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (end == 0) return std::nullopt;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::optional<std::uint64_t> next_number(std::string_view& text) {
  const auto word = next_word(text);
  std::uint64_t number = 0;
  if (!word) return std::nullopt;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), number);
  if (error != std::errc() || end != word->data() + word->size()) return std::nullopt;
  return number;
}

bool is_valid_party(std::string_view name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  if (name.empty() || name.size() > 64 || name[0] == '.' || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), fine);
}

std::string text_of(const Greeting& greeting) {
  const message_sender& from = greeting.from;
  std::string text(greeting_word);
  for (const std::string& word : {greeting.run, greeting.to, from.party, std::to_string(from.incarnation), from.process,
                                  from.host, std::to_string(from.connection)}) {
    text += ' ';
    text += word;
  }
  return text;
}

std::optional<Greeting> parse_greeting(std::string_view text) {
  if (text.size() > greeting_bytes_max || next_word(text) != greeting_word) return std::nullopt;
  const auto run = next_word(text);
  const auto to = next_word(text);
  const auto party = next_word(text);
  const auto incarnation = next_number(text);
  const auto process = next_word(text);
  const auto host = next_word(text);
  const auto connection = next_number(text);
  if (!run || !to || !party || !incarnation || !process || !host || !connection || !text.empty()) return std::nullopt;
  if (!is_valid_party(*party)) return std::nullopt;
  return Greeting{std::string(*run), std::string(*to),
                  message_sender{std::string(*party), static_cast<std::uint32_t>(*incarnation), std::string(*process),
                                 std::string(*host), *connection}};
}

std::string text_of(const Welcome& welcome) {
  return welcome.party + ' ' + std::to_string(welcome.incarnation) + ' ' + welcome.process + ' ' + welcome.host + ' ' +
         (welcome.is_same_run ? '1' : '0');
}

std::optional<Welcome> parse_welcome(std::string_view text) {
  if (text.size() > greeting_bytes_max) return std::nullopt;
  const auto party = next_word(text);
  const auto incarnation = next_number(text);
  const auto process = next_word(text);
  const auto host = next_word(text);
  const auto is_same_run = next_number(text);
  if (!party || !is_valid_party(*party) || !incarnation || *incarnation > UINT32_MAX || !process || !host ||
      !is_same_run || !text.empty())
    return std::nullopt;
  return Welcome{std::string(*party), static_cast<std::uint32_t>(*incarnation), std::string(*process),
                 std::string(*host), *is_same_run == 1};
}

std::optional<at> parse_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  std::string_view digits = text.substr(colon + 1);
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  constexpr std::size_t host_bytes_max = 255;
  const bool is_host = host.size() <= host_bytes_max && host.find_first_of("[] \t\r\n") == std::string_view::npos &&
                       host.find('\0') == std::string_view::npos &&
                       (is_bracketed || host.find(':') == std::string_view::npos);
  const auto port = next_number(digits);
  if (!is_host || !port || *port == 0 || *port > UINT16_MAX || !digits.empty()) return std::nullopt;
  return at{static_cast<std::uint16_t>(*port), std::string(host)};
}

std::string text_of(const at& place) {
  const bool is_bracketed = place.host.find(':') != std::string::npos;
  return (is_bracketed ? '[' + place.host + ']' : place.host) + ':' + std::to_string(place.port);
}

// A frame that is longer than the buffer gets room as its bytes come: twice what is there.
void Inflow::make_room(std::size_t room_max) {
  std::size_t wanted = std::max(buffer_bytes, std::min(room_max, held() * 2));
  if (header_) wanted = std::max(wanted, std::min(header_bytes + header_->length, held() * 2 + buffer_bytes));
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ == end_ && capacity_ > buffer_bytes && wanted == buffer_bytes) data_.reset();
  if (data_ == nullptr || capacity_ < wanted) {
    std::unique_ptr<char[]> larger(new char[wanted]);
    if (held() > 0) std::memcpy(larger.get(), data_.get() + begin_, held());
    data_ = std::move(larger);
    capacity_ = wanted;
  } else if (begin_ > 0 && end_ == capacity_) {
    std::memmove(data_.get(), data_.get() + begin_, held());
  } else {
    return;
  }
  end_ -= begin_;
  begin_ = 0;
}

Inflow::Filled Inflow::fill(int file, bool waits, std::size_t room_max) {
  make_room(room_max);
  if (end_ == capacity_) return Filled::nothing_yet;
  for (;;) {
    const ssize_t size = recv(file, data_.get() + end_, capacity_ - end_, waits ? 0 : MSG_DONTWAIT);
    if (size > 0) {
      end_ += static_cast<std::size_t>(size);
      return Filled::some;
    }
    if (size < 0 && errno == EINTR) continue;
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Filled::nothing_yet : Filled::ended;
  }
}

bool Inflow::has_frame() {
  if (broken_) return false;
  if (!header_) {
    if (held() < header_bytes) return false;
    header_ = parse_header(reinterpret_cast<const std::uint8_t*>(data_.get() + begin_));
    if (!header_ || header_->length > length_max_) {
      header_.reset();
      broken_ = true;
      return false;
    }
  }
  return held() >= header_bytes + header_->length;
}

void Inflow::pop() {
  begin_ += header_bytes + header_->length;
  header_.reset();
}

}  // namespace reprise::messaging
