#include <reprise/detail/noted.h>

#include <mutex>
#include <set>
#include <string>

#include "recording/mailed.h"

namespace reprise::detail {
namespace {

thread_local Counted own_counted;

// Threads that are active; never destroyed.
std::mutex active_mutex;
std::set<std::uint32_t>* const active = new std::set<std::uint32_t>;

void note_thread(const char* what, std::uint32_t other) {
  note(Kind::mailbox, {}, std::string(what) + ' ' + std::to_string(other) + ' ' + std::to_string(own_counted.all));
}

struct Comparison {
  std::string_view now;
  bool is_equal{false};
};

void compare(void* context, const void* recorded, std::size_t size) {
  auto& self = *static_cast<Comparison*>(context);
  self.is_equal = self.now == std::string_view(static_cast<const char*>(recorded), size);
}

}  // namespace

Counted& counted() noexcept { return own_counted; }

void count_active() noexcept {
  if (own_counted.is_active || gate::current == nullptr) return;
  own_counted.is_active = true;
  const std::lock_guard lock(active_mutex);
  active->insert(gate::current->index);
}

void note_spawn(std::uint32_t child) {
  if (own_counted.is_active) note_thread("spawn", child);
}

// What the other thread did is known: it has ended.
void note_joined(std::uint32_t child) {
  {
    const std::lock_guard lock(active_mutex);
    if (!active->contains(child)) return;
  }
  note_thread("joined", child);
}

void note(Kind kind, std::string_view name, std::string_view text) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  count_active();
  Comparison comparison{text};
  if (!thread->gate->given(*thread, kind, name, compare, &comparison)) {
    thread->gate->keep(*thread, kind, name, text.data(), text.size());
  } else if (!comparison.is_equal) {
    thread->gate->differs(*thread, kind, "it is not the recorded event of this name");
  }
}

void note(const gate::Mailed& mailed) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  count_active();
  if (!thread->gate->mailed(*thread, mailed)) note(Kind::mailbox, mailed.mailbox, recording::text_of(mailed));
}

}  // namespace reprise::detail
