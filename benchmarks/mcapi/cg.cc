// CG: a complete graph of 2 to 11 nodes in 10 rounds: 10 n (n - 1) messages, 20 to 1,100.
//
//   cg NODES [TIMES]
#include "graph.h"

int main(int argc, char** argv) {
  return nodes::run(
      argc, argv,
      {"cg", "2|3|...|11", 2, 11, 1, [](unsigned size) -> mcapi_node_t { return size; },
       [](nodes::Node& node, unsigned size, unsigned times) { nodes::run_graph(node, size, 10 * times); }});
}
