#include "drive/control/meetings.h"

#include <algorithm>

#include "recording/searched.h"

namespace reprise::drive {

void Meetings::pass(const std::string& object, const recording::Event& event, const std::string& thread,
                    std::size_t node) {
  const bool locks = event.kind == Kind::lock || event.kind == Kind::relock || event.kind == Kind::relock_timeout;
  objects_[object].push_back({event.order, recording::is_load(event.kind), thread, node, std::nullopt, locks});
}

void Meetings::unlock(const std::string& object, const std::string& thread, std::size_t node) {
  std::vector<One>& list = objects_[object];
  const auto last = std::find_if(list.rbegin(), list.rend(), [&](const One& one) { return one.thread == thread; });
  if (last != list.rend() && !last->release) last->release = node;
}

void Meetings::woken(std::size_t node, const std::string& condition, std::uint64_t order) {
  woken_.push_back({node, condition, order});
}

// A change comes after the one before it and after those who saw what that had left; who sees comes after the change.
Meetings::Nodes Meetings::links() const {
  Nodes links;
  for (const auto& [object, list] : objects_) {
    std::map<std::uint64_t, const One*> changes;
    std::map<std::uint64_t, std::vector<const One*>> loads;
    for (const One& one : list) {
      if (one.is_load) {
        loads[one.order].push_back(&one);
      } else {
        changes[one.order] = &one;
      }
    }
    const One* last = nullptr;
    for (const auto& [order, change] : changes) {
      if (last != nullptr) links.emplace_back(last->release.value_or(last->node), change->node);
      for (auto seen = loads.lower_bound(last == nullptr ? 0 : last->order); seen != loads.end(); ++seen) {
        if (seen->first >= order) break;
        for (const One* load : seen->second) links.emplace_back(load->node, change->node);
      }
      last = change;
    }
    for (const auto& [order, seen] : loads) {
      const auto change = changes.find(order);
      if (change == changes.end()) continue;
      for (const One* load : seen) links.emplace_back(change->second->node, load->node);
    }
  }
  for (const Woken& woken : woken_) {
    const auto condition = objects_.find(woken.condition);
    if (condition == objects_.end()) continue;
    for (const One& one : condition->second) {
      if (one.order == woken.order) links.emplace_back(one.node, woken.node);
    }
  }
  return links;
}

bool Meetings::is_contested(const std::string& object, std::size_t node) const {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return false;
  const auto self =
      std::find_if(found->second.begin(), found->second.end(), [&](const One& one) { return one.node == node; });
  if (self == found->second.end()) return false;
  if (const auto standing = standing_.find(object); standing != standing_.end()) {
    if (standing->second.size() > 1 || !standing->second.contains(self->thread)) return true;
  }
  return std::any_of(found->second.begin(), found->second.end(), [&](const One& one) {
    const bool is_later = one.order > self->order || (one.order == self->order && !self->is_load && one.is_load);
    return is_later && one.thread != self->thread && !(one.is_load && self->is_load);
  });
}

std::map<std::string, std::string> Meetings::holders() const {
  std::map<std::string, std::string> holders;
  for (const auto& [object, list] : objects_) {
    const auto last = std::max_element(list.begin(), list.end(),
                                       [](const One& one, const One& other) { return one.order < other.order; });
    if (last != list.end() && last->locks && !last->release) holders[object] = last->thread;
  }
  return holders;
}

}  // namespace reprise::drive
