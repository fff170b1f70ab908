#include "recording/mailed.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "recording/stream.h"

namespace reprise::recording {
namespace {

constexpr unsigned slot_bits = 6;
constexpr std::uint64_t slot_mask = MailedCache::size - 1;
constexpr std::uint64_t more_bit = MailedCache::size;
constexpr std::uint64_t number_max = max_order;

static_assert(MailedCache::size == std::size_t{1} << slot_bits);

// The high bits of FNV-1a depend on every byte.
std::size_t slot_of(std::uint64_t key) { return key >> (64 - slot_bits); }

void append_number(std::string& text, std::string_view before, std::uint64_t number) {
  char digits[20];
  text.append(before);
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void write_text(std::string& text, const gate::Mailed& mailed) {
  text = mailed.sender.empty() ? "receive" : "arrival";
  append_number(text, " ", mailed.order);
  if (!mailed.sender.empty()) text.append(" ").append(mailed.sender);
  append_number(text, " ", mailed.number);
  append_number(text, " ", mailed.all);
  if (mailed.selection != 0) append_number(text, " @", mailed.selection);
}

std::string_view word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view found = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return found;
}

// 0: it is none.
std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_good = error == std::errc() && end == text.data() + text.size() && value <= number_max;
  return is_good ? value : 0;
}

std::optional<gate::Mailed> parsed(std::string_view mailbox, std::string_view text) {
  gate::Mailed mailed{.mailbox = mailbox};
  std::string_view rest = text;
  const bool is_arrival = word(rest) == "arrival";
  mailed.order = number(word(rest));
  if (is_arrival) {
    const std::string_view process = word(rest);
    const std::string_view thread = word(rest);
    if (process.empty() || thread.empty()) return std::nullopt;
    mailed.sender = {process.data(), static_cast<std::size_t>(thread.data() + thread.size() - process.data())};
  }
  mailed.number = number(word(rest));
  mailed.all = number(word(rest));
  if (rest.starts_with('@')) mailed.selection = number(rest.substr(1));
  if (mailed.order == 0 || mailed.number == 0 || mailed.all == 0 || text_of(mailed) != text) return std::nullopt;
  mailed.key = gate::mailed_key(mailbox, mailed.sender);
  return mailed;
}

}  // namespace

std::string text_of(const gate::Mailed& mailed) {
  std::string text;
  write_text(text, mailed);
  return text;
}

void MailedCache::learn(std::string_view mailbox, std::string_view text) {
  if (!text.starts_with("arrival ") && !text.starts_with("receive ")) return;
  const auto mailed = parsed(mailbox, text);
  if (!mailed) return;
  Entry& entry = entries_[slot_of(mailed->key)];
  entry.is_used = true;
  entry.mailbox = mailed->mailbox;
  entry.sender = mailed->sender;
  entry.last = *mailed;
  entry.last.mailbox = entry.mailbox;
  entry.last.sender = entry.sender;
}

std::uint8_t* MailedCache::put(std::uint8_t* at, const gate::Mailed& mailed) {
  const std::size_t slot = slot_of(mailed.key);
  Entry& entry = entries_[slot];
  gate::Mailed& last = entry.last;
  const bool is_it = entry.is_used && last.key == mailed.key && last.sender.size() == mailed.sender.size() &&
                     last.mailbox.size() == mailed.mailbox.size();
  // All but the last number must have risen; where no selective wait sees it, that is and was 0.
  const bool is_selected = mailed.selection != 0;
  const bool follows = mailed.order > last.order && mailed.number > last.number && mailed.all > last.all &&
                       is_selected == (last.selection != 0) && is_selected == (mailed.selection > last.selection);
  if (!is_it || !follows || std::max({mailed.order, mailed.number, mailed.all, mailed.selection}) > number_max)
    return nullptr;
  const std::uint64_t number = mailed.number - last.number - 1;
  const std::uint64_t all = mailed.all - last.all - 1;
  const bool has_more = (number | all | mailed.selection) != 0;
  at = base::put_varint(at, (mailed.order - last.order - 1) << (slot_bits + 1) | (has_more ? more_bit : 0) | slot);
  if (has_more) {
    at = base::put_varint(at, number);
    at = base::put_varint(at, all);
    at = base::put_varint(at, mailed.selection - last.selection);
  }
  last.order = mailed.order;
  last.number = mailed.number;
  last.all = mailed.all;
  last.selection = mailed.selection;
  return at;
}

bool MailedCache::take(base::Cursor& cursor, bool skims) {
  const std::uint64_t first = cursor.varint();
  Entry& entry = entries_[first & slot_mask];
  if (!entry.is_used && !skims) return false;
  gate::Mailed& last = entry.last;
  const bool has_more = (first & more_bit) != 0;
  // Neither sum may pass the limit, whatever the bytes claim.
  const auto raise = [&cursor](std::uint64_t& value, std::uint64_t by) {
    const bool is_good = cursor.good() && by < number_max && value < number_max - by;
    value = is_good ? value + by + 1 : value;
    return is_good;
  };
  bool is_good = raise(last.order, first >> (slot_bits + 1));
  is_good = raise(last.number, has_more ? cursor.varint() : 0) && is_good;
  is_good = raise(last.all, has_more ? cursor.varint() : 0) && is_good;
  const std::uint64_t selected = has_more ? cursor.varint() : 0;
  const bool fits = (selected != 0) == (last.selection != 0) || skims;
  if (selected != 0) is_good = raise(last.selection, selected - 1) && is_good;
  if (!is_good || !fits || !cursor.good()) return false;
  name_ = entry.mailbox;
  write_text(text_, last);
  return true;
}

}  // namespace reprise::recording
