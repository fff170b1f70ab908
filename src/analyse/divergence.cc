#include "analyse/divergence.h"

#include <fmt/format.h>

#include "analyse/events.h"
#include "analyse/names.h"
#include "analyse/text.h"

namespace reprise::analyse {
namespace {

constexpr std::size_t context_events = 3;

std::string side(const Names& names, std::uint32_t kind, ObjectId object, std::uint64_t order, const char* otherwise) {
  if (kind == 0) return otherwise;
  std::string text = intent_text(names, static_cast<Kind>(kind), object);
  if (order != 0) text += fmt::format(" order {}", grouped(order));
  return text;
}

}  // namespace

Divergence describe_divergence(const recording::LiveDivergence& live, const recording::Log& recorded,
                               const recording::Log* replayed) {
  const Names names(recorded);
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
