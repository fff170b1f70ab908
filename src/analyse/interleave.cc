#include "analyse/interleave.h"

#include <algorithm>

namespace reprise::analyse {

using recording::Class;
using recording::Event;

std::optional<std::uint64_t> Interleaving::Keys::key_of(const Event& event) {
  switch (recording::info(event.kind).treated) {
    case Class::ordered:
    case Class::writing:
    case Class::choosing:
      last_[event.object] = event.order;
      return event.order * 4;
    case Class::read:
      last_[event.object] = event.order;
      return event.order * 4 + 1;
    case Class::release: {
      const auto last = last_.find(event.object);
      if (last == last_.end()) return std::nullopt;
      return last->second * 4 + 2;
    }
    default:
      return std::nullopt;
  }
}

Result<Interleaving> Interleaving::of(const recording::Log& log) {
  Interleaving order;
  if (auto collected = order.collect(log); !collected) return tl::unexpected(collected.error());
  std::unordered_map<ThreadIndex, std::size_t> places;
  for (const recording::ThreadInfo& thread : log.threads()) {
    const std::size_t at = order.streams_.size();
    places.emplace(thread.index, at);
    const auto parent = places.find(thread.parent);
    order.streams_.push_back({thread.index, log.stream(thread.index), {}, {}, {}, false, 0, at});
    if (parent != places.end()) order.streams_.back().parent = parent->second;
    if (auto advanced = order.advance(order.streams_.back()); !advanced) return tl::unexpected(advanced.error());
    if (order.streams_.back().head) order.alive_.insert(thread.index);
  }
  for (std::size_t at = 0; at < order.streams_.size(); ++at) {
    const std::size_t parent = order.streams_[at].parent;
    if (parent != at) ++order.streams_[parent].living;
  }
  for (std::size_t at = order.streams_.size(); at-- > 0;) {
    if (!order.streams_[at].head && order.streams_[at].living == 0) order.ended(at);
  }
  return order;
}

// A thread without events to come, its children's included, holds its parent back no longer.
void Interleaving::ended(std::size_t at) {
  while (streams_[at].parent != at) {
    at = streams_[at].parent;
    if (--streams_[at].living > 0 || streams_[at].head) return;
  }
}

Result<void> Interleaving::collect(const recording::Log& log) {
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader reader = log.stream(thread.index);
    Keys keys;
    while (true) {
      auto event = reader.next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) break;
      if (const auto key = keys.key_of(**event)) meetings_[(*event)->object].keys.push_back(*key);
      if ((*event)->kind == Kind::spawn) unborn_.insert(static_cast<ThreadIndex>((*event)->number));
    }
  }
  for (auto& [object, meetings] : meetings_) std::sort(meetings.keys.begin(), meetings.keys.end());
  return {};
}

Result<void> Interleaving::advance(Stream& stream) {
  const std::uint64_t covered = stream.reader.step();
  auto event = stream.reader.next();
  if (!event) return tl::unexpected(event.error());
  stream.head = *event;
  stream.key = stream.head ? stream.keys.key_of(*stream.head) : std::nullopt;
  stream.has_gap = stream.head && stream.head->step > covered + 1;
  if (!stream.head) alive_.erase(stream.thread);
  return {};
}

bool Interleaving::is_ready(const Stream& stream) const {
  if (!stream.head || unborn_.contains(stream.thread)) return false;
  if (stream.head->kind == Kind::join && alive_.contains(static_cast<ThreadIndex>(stream.head->number))) return false;
  if (!stream.key) return true;
  const Meetings& meetings = meetings_.at(stream.head->object);
  return meetings.next < meetings.keys.size() && meetings.keys[meetings.next] >= *stream.key;
}

bool Interleaving::is_deferred(const Stream& stream) const {
  if (stream.head->kind == Kind::exit || stream.head->kind == Kind::crash) return true;
  return stream.has_gap && stream.living > 0;
}

// The same thread as long as it can go on: that reads best.
std::size_t Interleaving::choose() {
  std::size_t deferred = streams_.size();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::size_t at = (current_ + i) % streams_.size();
    if (!is_ready(streams_[at])) continue;
    if (!is_deferred(streams_[at])) return at;
    // Of those that should come late, the end of the process comes last.
    if (deferred == streams_.size() || streams_[deferred].head->kind == Kind::exit) deferred = at;
  }
  if (deferred != streams_.size()) return deferred;
  for (std::size_t at = 0; at < streams_.size(); ++at) {
    if (!streams_[at].head) continue;
    ++forced_;
    return at;
  }
  return streams_.size();
}

Result<std::optional<Interleaving::Placed>> Interleaving::next() {
  if (!consumed_) {
    Stream& current = streams_[current_];
    if (auto advanced = advance(current); !advanced) return tl::unexpected(advanced.error());
    if (!current.head && current.living == 0) ended(current_);
    consumed_ = true;
  }
  const std::size_t chosen = choose();
  if (chosen == streams_.size()) return std::optional<Placed>{};
  current_ = chosen;
  consumed_ = false;
  const Stream& stream = streams_[chosen];
  if (stream.key) {
    Meetings& meetings = meetings_.at(stream.head->object);
    if (meetings.next < meetings.keys.size()) ++meetings.next;
  }
  if (stream.head->kind == Kind::spawn) unborn_.erase(static_cast<ThreadIndex>(stream.head->number));
  return std::optional<Placed>{Placed{stream.thread, *stream.head}};
}

}  // namespace reprise::analyse
