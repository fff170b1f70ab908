// All nodes send to all others, and receive in whatever order the messages come: CG and TN.
#pragma once

#include "nodes.h"

namespace nodes {

inline void run_graph(Node& node, mcapi_node_t count, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    for (mcapi_node_t other = 1; other <= count; ++other) {
      if (other != node.number()) node.send(other);
    }
    for (mcapi_node_t i = 1; i < count; ++i) node.receive();
  }
}

}  // namespace nodes
