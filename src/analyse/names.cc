#include "analyse/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyse/text.h"

namespace reprise::analyse {
namespace {

constexpr std::array family_names{"object", "condition", "mutex", "atomic", "output", "guard", "semaphore", "latch"};

}  // namespace

std::string_view name(Family family) { return family_names[static_cast<std::size_t>(family)]; }

Family family_of(Kind kind) {
  switch (kind) {
    case Kind::lock:
    case Kind::unlock:
    case Kind::relock:
    case Kind::relock_timeout:
    case Kind::try_failed:
    case Kind::lock_shared:
    case Kind::unlock_shared:
    case Kind::write_lock:
      return Family::mutex;
    case Kind::wait:
    case Kind::notify_one:
    case Kind::notify_all:
    case Kind::wake:
    case Kind::wake_timeout:
      return Family::condition;
    case Kind::load:
    case Kind::store:
    case Kind::modify:
    case Kind::compare_failed:
      return Family::atomic;
    case Kind::output:
      return Family::output;
    case Kind::guard:
      return Family::guard;
    case Kind::acquire:
    case Kind::release:
      return Family::semaphore;
    case Kind::arrive:
    case Kind::await:
      return Family::latch;
    default:
      return Family::object;
  }
}

Names::Names(const recording::Log& log) {
  for (const recording::ThreadInfo& thread : log.threads()) paths_[thread.index] = thread.path;
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      if ((*event)->object == 0) continue;
      Known& known = objects_[(*event)->object];
      known.family = std::max(known.family, family_of((*event)->kind));
      if ((*event)->kind == Kind::label && known.label.empty()) known.label = escape((*event)->value);
    }
  }
  for (const auto& [object, known] : objects_) {
    if (!known.label.empty()) ++label_uses_[known.label];
  }
}

std::string Names::thread(ThreadIndex index) const {
  const auto found = paths_.find(index);
  return found != paths_.end() ? found->second : fmt::format("?{}", index);
}

std::string Names::place(ObjectId object) const {
  return fmt::format("@{}#{}", thread(object_thread(object)), object_ordinal(object));
}

std::string Names::object(ObjectId object) const {
  const auto found = objects_.find(object);
  if (found != objects_.end() && !found->second.label.empty()) {
    const std::string& label = found->second.label;
    return label_uses_.at(label) == 1 ? label : label + place(object);
  }
  if (object == output_object) return "output";
  if (object_thread(object) == well_known) return fmt::format("{}@{:x}", name(family(object)), object_ordinal(object));
  return std::string(name(family(object))) + place(object);
}

Family Names::family(ObjectId object) const {
  const auto found = objects_.find(object);
  return found != objects_.end() ? found->second.family : Family::object;
}

std::vector<ObjectId> Names::find(std::string_view shown) const {
  std::vector<ObjectId> result;
  for (const auto& [id, known] : objects_) {
    if (known.label == shown || object(id) == shown) result.push_back(id);
  }
  return result;
}

}  // namespace reprise::analyse
