// Trait: a lock-free stack: pointers pushed and popped by compare_exchange, with new and delete.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

namespace {

struct Node {
  int value;
  Node* below;
};

reprise::atomic<Node*> top{nullptr, "top"};

void push(int value) {
  Node* node = new Node{value, top.load()};
  while (!top.compare_exchange_weak(node->below, node)) {
  }
}

}  // namespace

int main() {
  // Popped nodes are kept until the end: the stack itself does not guard against reuse.
  std::string seen[2];
  Node* popped[2] = {nullptr, nullptr};
  int numbers[64] = {};
  reprise::atomic<int*> next{numbers};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      push(100 * who + i);
      Node* node = top.exchange(nullptr);  // take all
      for (; node != nullptr; seen[who] += ' ') {
        seen[who] += std::to_string(node->value);
        Node* below = node->below;
        node->below = popped[who];
        popped[who] = node;
        node = below;
      }
      push(1000 + 100 * who + i);
      *next.fetch_add(1) = who + 1;
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  for (Node* chain : {top.load(), popped[0], popped[1]}) {
    while (chain != nullptr) delete std::exchange(chain, chain->below);
  }
  std::string order;
  for (const int* number = numbers; number != next.load(); ++number) order += static_cast<char>('0' + *number);
  reprise::out << seen[0] << "| " << seen[1] << "| " << order << '\n';
}
