#include "analyse/divergence.h"

#include <fmt/format.h>

#include "analyse/events.h"
#include "analyse/text.h"

namespace reprise::analyse {
namespace {

constexpr std::size_t context_events = 3;

std::string side(const Names& names, std::uint32_t kind, ObjectId object, std::uint64_t order, const char* otherwise) {
  if (kind == 0) return otherwise;
  const auto what = static_cast<Kind>(kind);
  std::string text(recording::name(what));
  if (what == Kind::join || what == Kind::spawn || what == Kind::detach) {
    text += fmt::format(" thread {}", names.thread(static_cast<ThreadIndex>(object)));
  } else if (object != 0) {
    text += " " + names.object(object);
  }
  if (order != 0) text += fmt::format(" order {}", grouped(order));
  return text;
}

}  // namespace

Divergence describe_divergence(const recording::LiveDivergence& live, const recording::Log& recorded,
                               const Names& names, const recording::Log* replayed) {
  Divergence divergence;
  divergence.thread = names.thread(live.thread);
  divergence.bracketed = live.bracketed != 0;
  divergence.step_after = live.step_after;
  divergence.step = live.step;
  divergence.expected =
      side(names, live.expected_kind, live.expected_object, live.expected_order, "a step that was not written");
  divergence.actual = side(names, live.actual_kind, live.actual_object, live.actual_order, "no further step");
  divergence.detail = escape(live.detail);
  const std::uint64_t before = live.step > 0 ? live.step - 1 : 0;
  divergence.recorded_context = context_before(recorded, names, live.thread, before, context_events);
  if (replayed != nullptr && replayed->info().full) {
    divergence.program_context = context_before(*replayed, names, live.thread, before, context_events);
  }
  return divergence;
}

}  // namespace reprise::analyse
