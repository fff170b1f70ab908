#include "analyse/sequence/causal.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace reprise::analyse::sequence {

Linear CausalOrder::sorted() {
  for (auto& [thread, links] : threads_) {
    std::stable_sort(links.begin(), links.end(),
                     [](const Link& a, const Link& b) { return std::tie(a.all, a.place) < std::tie(b.all, b.place); });
  }
  Linear order = sorted(true);
  return order.stuck.empty() ? order : sorted(false);
}

Linear CausalOrder::sorted(bool in_send_order) {
  Precedence graph(size_);
  for (const auto& [thread, links] : threads_) {
    std::optional<std::size_t> before;
    for (const Link& link : links) {
      if (before && *before != link.node) graph.before(*before, link.node);
      if (link.holds_up || in_send_order) before = link.node;
    }
  }
  for (const auto& [object, orders] : objects_) {
    std::optional<std::size_t> before;
    for (const auto& [order, node] : orders) {
      if (before) graph.before(*before, node);
      before = node;
    }
  }
  return graph.sorted();
}

}  // namespace reprise::analyse::sequence
