#include <reprise/detail/noted.h>

#include <string>

namespace reprise::detail {
namespace {

thread_local Counted own_counted;

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

void note(Kind kind, std::string_view name, std::string_view text) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  Comparison comparison{text};
  if (!thread->gate->given(*thread, kind, name, compare, &comparison)) {
    thread->gate->keep(*thread, kind, name, text.data(), text.size());
  } else if (!comparison.is_equal) {
    thread->gate->differs(*thread, kind, "it is not the recorded event of this name");
  }
}

}  // namespace reprise::detail
