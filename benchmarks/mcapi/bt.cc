// BT: a binary tree of 3 to 21 nodes; messages travel from the leaves to the root.
//
//   bt NODES [TIMES]
//
// The paper gives the number of messages for the smallest tree (20) and for the largest (155); a straight line between
// them is 20 for the two below the root and 15 for each other pair of children.
#include "nodes.h"

namespace {

constexpr mcapi_node_t root = 1;

bool is_first_child(mcapi_node_t node) { return node % 2 == 0; }

// What both children of `parent` send it in one round.
unsigned messages_to(mcapi_node_t parent) { return parent == root ? 20 : 15; }

unsigned messages_from(mcapi_node_t child) {
  const unsigned both = messages_to(child / 2);
  return is_first_child(child) ? (both + 1) / 2 : both / 2;
}

void run_node(nodes::Node& node, unsigned size, unsigned times) {
  const mcapi_node_t self = node.number();
  const bool is_leaf = 2 * self > size;
  for (unsigned round = 0; round < times; ++round) {
    if (!is_leaf) {
      for (unsigned i = 0; i < messages_to(self); ++i) node.receive();
    }
    if (self == root) continue;
    for (unsigned i = 0; i < messages_from(self); ++i) node.send(self / 2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return nodes::run(argc, argv,
                    {"bt", "3|5|...|21", 3, 21, 2, [](unsigned size) -> mcapi_node_t { return size; }, run_node});
}
