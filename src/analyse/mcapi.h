// What a recording says of the MCAPI nodes in it.
//
//   for (const McapiNode& node : mcapi_nodes(log)) use(node.name());      // 0/4: domain 0, node 4
//
// Trust     Numbers come from a recording and may be anything; nothing here depends on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/log.h"

namespace reprise::analyse {

enum class McapiTechnique : std::uint8_t { receiver, sender, data };

struct McapiNode {
  ThreadIndex thread;  // that is this node
  std::uint32_t domain;
  std::uint32_t node;
  McapiTechnique technique;

  std::string name() const { return std::to_string(domain) + "/" + std::to_string(node); }
};

// The nodes of one process, in the order of its threads.
std::vector<McapiNode> mcapi_nodes(const recording::Log& log);

}  // namespace reprise::analyse
