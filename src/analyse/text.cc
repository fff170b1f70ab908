#include "analyse/text.h"

#include <fmt/format.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): sigabbrev_np is not in std

#include <array>

namespace reprise::analyse {
namespace {

// The length of the UTF-8 sequence that starts at `at`, or 0 when there is none (over-long and surrogate forms
// included).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(at + 1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!follows(at + 1) || !follows(at + 2)) return 0;
    if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
    if (first == 0xED && byte(at + 1) >= 0xA0) return 0;
    return 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!follows(at + 1) || !follows(at + 2) || !follows(at + 3)) return 0;
    if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
    if (first == 0xF4 && byte(at + 1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

// U+0080 to U+009F steer terminals as well; U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows.
bool steers(std::string_view sequence) {
  if (sequence.size() == 2) return sequence[0] == '\xC2' && static_cast<unsigned char>(sequence[1]) < 0xA0;
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(sequence[2]);
  return (sequence[1] == '\x80' && last >= 0xAA && last <= 0xAE) ||
         (sequence[1] == '\x81' && last >= 0xA6 && last <= 0xA9);
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view sequence = text.substr(at, length == 0 ? 1 : length);
    const auto first = static_cast<unsigned char>(text[at]);
    if (text[at] == '\n') {
      out += "\\n";
    } else if (text[at] == '\t') {
      out += "\\t";
    } else if (text[at] == '\\') {
      out += "\\\\";
    } else if (length == 0 || first < 0x20 || first == 0x7F || steers(sequence)) {
      append_escaped(out, sequence);
    } else {
      out += sequence;
    }
    at += sequence.size();
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (size >= 999.95 && unit + 1 < units.size()) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string number_text(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return std::to_string(number);
}

std::string value_text(std::string_view bytes, std::size_t limit) {
  if (bytes.size() <= limit) return "\"" + escape(bytes) + "\"";
  return fmt::format("\"{}...\" ({})", escape(bytes.substr(0, limit)), counted(bytes.size(), "byte"));
}

}  // namespace reprise::analyse
