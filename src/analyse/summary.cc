#include "analyse/summary.h"

#include <algorithm>
#include <unordered_map>

namespace reprise::analyse {
namespace {

using recording::Class;
using recording::Event;
using recording::Log;
using recording::ThreadInfo;

struct Counted {
  std::uint64_t passages{0};
  std::uint64_t changes{0};
  std::uint64_t threads{0};
  ThreadIndex last_thread{no_thread};  // threads are read one after the other
};

using Objects = std::unordered_map<ObjectId, Counted>;

void count(Summary& summary, Objects& objects, ThreadIndex thread, const Event& event) {
  ++summary.events;
  const Class treated = recording::info(event.kind).treated;
  if (treated == Class::value) ++summary.values;
  if (event.object == 0) return;
  Counted& object = objects[event.object];
  if (!recording::raises_order(treated)) return;
  object.passages = std::max(object.passages, event.order);
  ++object.changes;
  if (object.last_thread != thread) ++object.threads;
  object.last_thread = thread;
}

std::vector<ObjectSummary> most_contended(const Objects& objects, const Names& names) {
  std::vector<ObjectSummary> contended;
  for (const auto& [id, object] : objects) {
    if (object.threads < 2) continue;
    contended.push_back({id, "", names.family(id), object.passages, object.changes, object.threads});
  }
  std::sort(contended.begin(), contended.end(), [](const ObjectSummary& a, const ObjectSummary& b) {
    return a.changes != b.changes ? a.changes > b.changes : a.object < b.object;
  });
  if (contended.size() > contended_max) contended.resize(contended_max);
  for (ObjectSummary& object : contended) object.name = names.object(object.object);
  return contended;
}

}  // namespace

Result<Summary> summarise(const Log& log) {
  Summary summary;
  summary.info = log.info();
  const Names names(log);
  Objects objects;
  for (const ThreadInfo& thread : log.threads()) {
    const std::uint64_t events_before = summary.events;
    recording::StreamReader stream = log.stream(thread.index);
    for (;;) {
      auto event = stream.next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) break;
      count(summary, objects, thread.index, **event);
    }
    summary.steps += thread.steps;
    summary.threads.push_back(
        {thread.index, thread.path, thread.steps, summary.events - events_before, thread.objects, thread.ended});
  }
  summary.objects = objects.size();
  summary.contended = most_contended(objects, names);
  summary.blocked = explain_blocked(log, names);
  return summary;
}

}  // namespace reprise::analyse
