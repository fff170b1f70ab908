#include "analyse/compare.h"

#include <fmt/format.h>
#include "recording/hash.h"

#include <map>
#include <string_view>

#include "analyse/text.h"

namespace reprise::analyse {
namespace {

using recording::EndKind;
using recording::Log;
using recording::ThreadInfo;

using ByPath = std::map<std::string_view, const ThreadInfo*>;

ByPath by_path(const Log& log) {
  ByPath result;
  for (const ThreadInfo& thread : log.threads()) result.emplace(thread.path, &thread);
  return result;
}

// May `object` stand in a step's hash? An object that some thread named, a thread, or nothing.
bool is_plausible(std::uint64_t object, const Log& log) {
  if (object <= max_threads) return object == 0 || log.thread(static_cast<ThreadIndex>(object)) != nullptr;
  if (object_thread(object) == well_known) return object_ordinal(object) < 16;
  const ThreadInfo* first = log.thread(object_thread(object));
  return first != nullptr && object_ordinal(object) >= 1 && object_ordinal(object) <= first->objects;
}

void compare_thread(const ThreadInfo& recorded, const ThreadInfo& replayed, const Log& log,
                    std::vector<Difference>& differences) {
  const auto differ = [&](const char* what, std::string left, std::string right) {
    differences.push_back({recorded.path, what, std::move(left), std::move(right), {}});
  };
  const bool lost = !log.info().torn.empty();
  if (lost && replayed.steps < recorded.steps) return;
  if (recorded.steps != replayed.steps) {
    differ("steps", grouped(recorded.steps), grouped(replayed.steps));
  } else if (!same_hash(recorded, replayed, log)) {
    differ("hash", fmt::format("{:016x}", recorded.hash), fmt::format("{:016x}", replayed.hash));
  }
  if (recorded.ended != replayed.ended) {
    differ("ended", recorded.ended ? "ended" : "did not end", replayed.ended ? "ended" : "did not end");
  }
}

void compare_output(const Log& recorded, const Log& replayed, std::vector<Difference>& differences) {
  const recording::LogInfo& a = recorded.info();
  const recording::LogInfo& b = replayed.info();
  // A process that was killed between passing the gate and writing has written less than its replay.
  const bool may_be_short = a.end_kind == EndKind::running && b.output_bytes > a.output_bytes;
  if (may_be_short) {
    // nothing can be said of the rest
  } else if (a.output_bytes != b.output_bytes) {
    differences.push_back({"", "output", counted(a.output_bytes, "byte"), counted(b.output_bytes, "byte")});
  } else if (a.output_digest != b.output_digest) {
    differences.push_back(
        {"", "output", fmt::format("digest {:016x}", a.output_digest), fmt::format("digest {:016x}", b.output_digest)});
  }
}

}  // namespace

bool same_hash(const ThreadInfo& recorded, const ThreadInfo& replayed, const Log& log) {
  if (!recorded.hash_known || !replayed.hash_known || recorded.hash == replayed.hash) return true;
  if (recorded.ended || recorded.steps == 0) return false;
  for (const recording::KindInfo& kind : recording::kinds) {
    const std::uint64_t object = replayed.hash - recording::next_hash(recorded.hash, kind.kind, 0);
    if (is_plausible(object, log)) return true;
  }
  return false;
}

std::string Difference::text() const {
  const std::string where = process.empty() ? "" : fmt::format("{}: ", process);
  const std::string who = where + (thread.empty() ? "process" : fmt::format("thread {}", thread));
  return fmt::format("{}: {}: recorded {}, replayed {}", who, what, recorded, replayed);
}

std::string end_text(EndKind kind, std::int32_t code) {
  switch (kind) {
    case EndKind::exited:
      return fmt::format("exit code {}", code);
    case EndKind::signalled:
      return signal_name(code);
    case EndKind::replaced:
      return "replaced by exec";
    case EndKind::running:
      break;
  }
  return "stopped from outside";
}

std::vector<Difference> compare(const Log& recorded, const Log& replayed) {
  std::vector<Difference> differences;
  const bool lost = !recorded.info().torn.empty();
  const ByPath left = by_path(recorded);
  const ByPath right = by_path(replayed);
  for (const ThreadInfo& thread : recorded.threads()) {
    const auto other = right.find(thread.path);
    if (other == right.end()) {
      if (lost) continue;
      differences.push_back(
          {thread.path, "missing", fmt::format("{}", counted(thread.steps, "step")), "no such thread"});
    } else {
      compare_thread(thread, *other->second, recorded, differences);
    }
  }
  for (const ThreadInfo& thread : replayed.threads()) {
    if (left.contains(thread.path)) continue;
    differences.push_back({thread.path, "missing", "no such thread", fmt::format("{}", counted(thread.steps, "step"))});
  }
  if (lost) return differences;  // its output and its end are those of the whole run
  compare_output(recorded, replayed, differences);
  const recording::LogInfo& a = recorded.info();
  const recording::LogInfo& b = replayed.info();
  const bool known = a.end_kind != EndKind::running && b.end_kind != EndKind::running;
  if (known && (a.end_kind != b.end_kind || a.end_code != b.end_code)) {
    differences.push_back({"", "end", end_text(a.end_kind, a.end_code), end_text(b.end_kind, b.end_code)});
  }
  return differences;
}

std::vector<Difference> compare_tail(const Log& recorded, const Log& replayed, const Tail& tail) {
  std::vector<Difference> differences;
  for (const ThreadInfo& thread : recorded.threads()) {
    const bool came_later = tail.is_whole && thread.index >= tail.next_index;
    if (thread.index != tail.thread && !came_later) continue;
    const ThreadInfo* other = replayed.thread(thread.index);
    if (other != nullptr) {
      compare_thread(thread, *other, recorded, differences);
    } else if (thread.steps > 0) {
      differences.push_back({thread.path, "missing", counted(thread.steps, "step"), "no such thread", {}});
    }
  }
  if (tail.is_whole && recorded.info().torn.empty()) compare_output(recorded, replayed, differences);
  return differences;
}

}  // namespace reprise::analyse
