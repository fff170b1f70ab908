// TN: ten nodes, each with each, in k rounds: 90 k messages, 90 to 900.
//
//   tn K [TIMES]
#include "graph.h"

namespace {
constexpr mcapi_node_t ten = 10;
}

int main(int argc, char** argv) {
  return nodes::run(
      argc, argv,
      {"tn", "1|2|...|10", 1, 10, 1, [](unsigned) { return ten; },
       [](nodes::Node& node, unsigned rounds, unsigned times) { nodes::run_graph(node, ten, rounds * times); }});
}
