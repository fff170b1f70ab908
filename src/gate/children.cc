#include "gate/children.h"

#include <mutex>
#include <new>
#include <vector>

namespace reprise::gate {
namespace {

struct Child {
  ChildName name;
  int process;
};

std::mutex children_mutex;
std::vector<Child>* children = nullptr;  // guarded by children_mutex; never destroyed

}  // namespace

void note_child(const ChildName& name, int process) {
  const std::lock_guard lock(children_mutex);
  if (children == nullptr) children = new std::vector<Child>;
  children->push_back({name, process});
}

// Whoever held the mutex when the process forked does not exist in the child, where there is but one thread.
void forget_children() {
  new (&children_mutex) std::mutex;
  children = nullptr;
}

std::optional<ChildName> child_numbered(int process) {
  const std::lock_guard lock(children_mutex);
  if (children == nullptr) return std::nullopt;
  for (auto child = children->rbegin(); child != children->rend(); ++child) {
    if (child->process == process) return child->name;
  }
  return std::nullopt;
}

std::optional<int> child_named(const ChildName& name) {
  const std::lock_guard lock(children_mutex);
  if (children == nullptr) return std::nullopt;
  for (const Child& child : *children) {
    if (child.name.thread == name.thread && child.name.ordinal == name.ordinal) return child.process;
  }
  return std::nullopt;
}

}  // namespace reprise::gate
