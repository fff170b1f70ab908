#include "analyse/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "analyse/compare.h"
#include "analyse/events.h"
#include "analyse/names.h"
#include "analyse/text.h"

namespace reprise::analyse {
namespace {

using recording::Event;
using recording::Log;
using recording::ThreadInfo;

constexpr std::size_t context_lines = 3;

// One side: a log with its names, and the stream of the thread at hand.
class Side {
 public:
  explicit Side(const Log& log) : log_(log), names_(log) {
    for (const ThreadInfo& thread : log.threads()) threads_.emplace(thread.path, thread.index);
  }

  const std::map<std::string, ThreadIndex>& threads() const { return threads_; }

  bool start(const std::string& path) {
    const auto found = threads_.find(path);
    if (found == threads_.end()) return false;
    stream_.emplace(log_.stream(found->second));
    return true;
  }

  // The next event in words, which hold all that is compared; labels are no steps.
  Result<std::optional<std::string>> next(std::uint64_t& step) {
    for (;;) {
      auto event = stream_->next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) return std::optional<std::string>{};
      if (!recording::is_step(recording::info((*event)->kind).treated)) continue;
      step = (*event)->step;
      return std::optional<std::string>{event_text(names_, **event)};
    }
  }

 private:
  const Log& log_;
  Names names_;
  std::map<std::string, ThreadIndex> threads_;
  std::optional<recording::StreamReader> stream_;
};

std::string at_step(std::uint64_t step, const std::optional<std::string>& text) {
  return text ? fmt::format("step {}: {}", grouped(step), *text) : "nothing more was written";
}

Result<std::optional<ThreadDifference>> diff_thread(Side& left, Side& right, const std::string& path) {
  ThreadDifference difference;
  difference.thread = path;
  difference.left = difference.right = "no such thread";
  const bool on_left = left.start(path);
  const bool on_right = right.start(path);
  if (!on_left || !on_right) {
    (on_left ? difference.left : difference.right) = "the thread is there";
    return std::optional{difference};
  }
  std::deque<std::string> before;
  for (;;) {
    std::uint64_t left_step = UINT64_MAX;
    std::uint64_t right_step = UINT64_MAX;
    auto a = left.next(left_step);
    if (!a) return tl::unexpected(a.error());
    auto b = right.next(right_step);
    if (!b) return tl::unexpected(b.error());
    if (!*a && !*b) return std::optional<ThreadDifference>{};
    if (left_step == right_step && *a == *b) {
      before.push_back(at_step(left_step, *a));
      if (before.size() > context_lines) before.pop_front();
      continue;
    }
    difference.step = std::min(left_step, right_step);
    difference.left = at_step(left_step, *a);
    difference.right = at_step(right_step, *b);
    difference.before.assign(before.begin(), before.end());
    return std::optional{difference};
  }
}

}  // namespace

Result<LogDifferences> diff(const Log& left, const Log& right) {
  Side a(left);
  Side b(right);
  std::set<std::string> paths;
  for (const auto& [path, index] : a.threads()) paths.insert(path);
  for (const auto& [path, index] : b.threads()) paths.insert(path);
  LogDifferences result;
  for (const std::string& path : paths) {
    auto difference = diff_thread(a, b, path);
    if (!difference) return tl::unexpected(difference.error());
    if (*difference) result.threads.push_back(std::move(**difference));
  }
  std::ranges::stable_sort(result.threads, {}, &ThreadDifference::step);
  result.end_left = end_text(left.info().end_kind, left.info().end_code);
  result.end_right = end_text(right.info().end_kind, right.info().end_code);
  result.output_differs =
      left.info().output_digest != right.info().output_digest || left.info().output_bytes != right.info().output_bytes;
  return result;
}

}  // namespace reprise::analyse
