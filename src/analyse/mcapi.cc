#include "analyse/mcapi.h"

namespace reprise::analyse {
namespace {

constexpr std::uint32_t node_bits = 12;  // of a node's number; the domain stands above

}  // namespace

std::vector<McapiNode> mcapi_nodes(const recording::Log& log) {
  std::vector<McapiNode> nodes;
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    while (auto event = stream.next()) {
      if (!*event) break;
      if ((*event)->kind != Kind::mcapi_node) continue;
      const auto id = static_cast<std::uint32_t>((*event)->number / 4);
      nodes.push_back({thread.index, id >> node_bits, id & ((1u << node_bits) - 1),
                       static_cast<McapiTechnique>((*event)->number % 4)});
    }
  }
  return nodes;
}

}  // namespace reprise::analyse
