// Bully: 3 to 12 nodes elect a leader by Garcia-Molina's algorithm, with messages of 4 bytes.
//
//   bully NODES [TIMES]
//
// A round is two elections, each begun by node 1: whoever hears of an election for the first time asks all nodes above
// it, everybody who is asked answers, and the highest tells all others that it leads. That is n (n - 1) + n - 1
// messages. The paper gives the number of messages for the smallest network (35) and for the largest (314); what a
// straight line between them needs beyond the two elections are signs of life that the others send the leader.
#include "nodes.h"

namespace {

enum class Kind : std::uint32_t { election, answer, leader, alive };

struct Message {
  std::uint32_t sender : 8;
  std::uint32_t kind : 8;
  std::uint32_t election : 16;  // which one; how-manyth is told modulo 2^16
};
static_assert(sizeof(Message) == 4);

unsigned messages_all(unsigned size) { return 35 + 31 * (size - 3); }
unsigned messages_of_election(unsigned size) { return size * (size - 1) + size - 1; }

// How many signs of life node `node` sends in this election of the round.
unsigned signs_of(mcapi_node_t node, unsigned size, unsigned election) {
  const unsigned rest = messages_all(size) - 2 * messages_of_election(size);
  const unsigned here = election % 2 == 0 ? rest / 2 : rest - rest / 2;
  return here / (size - 1) + (node <= here % (size - 1) ? 1 : 0);
}

// One node in one election after another. A message of the next election that comes early is kept until then.
class Elector {
 public:
  Elector(nodes::Node& node, unsigned size) : node_(node), size_(size) {}

  void elect(unsigned election) {
    election_ = election;
    asked_ = false;
    missing_ = expected();
    if (node_.number() == 1) ask();
    std::vector<Message> early;
    early.swap(early_);
    for (const Message& message : early) take(message);
    while (missing_ > 0) {
      Message message{};
      node_.receive(&message, sizeof message);
      take(message);
    }
  }

 private:
  bool is_highest() const { return node_.number() == size_; }

  // Questions from below, answers from above, and one word from the leader; the leader hears signs of life.
  unsigned expected() const {
    const unsigned questions = node_.number() - 1;
    if (!is_highest()) return questions + (size_ - node_.number()) + 1;
    unsigned signs = 0;
    for (mcapi_node_t other = 1; other < size_; ++other) signs += signs_of(other, size_, election_);
    return questions + signs;
  }
  void tell(mcapi_node_t to, Kind kind) {
    Message message{node_.number(), static_cast<std::uint32_t>(kind), election_ & 0xFFFF};
    node_.send(to, &message, sizeof message);
  }
  void ask() {
    asked_ = true;
    for (mcapi_node_t above = node_.number() + 1; above <= size_; ++above) tell(above, Kind::election);
    if (!is_highest()) return;
    for (mcapi_node_t other = 1; other < size_; ++other) tell(other, Kind::leader);
  }
  void take(const Message& message) {
    if (message.election != (election_ & 0xFFFF)) return early_.push_back(message);
    --missing_;
    switch (static_cast<Kind>(message.kind)) {
      case Kind::election:
        tell(message.sender, Kind::answer);
        if (!asked_) ask();
        break;
      case Kind::leader:
        for (unsigned i = 0; i < signs_of(node_.number(), size_, election_); ++i) tell(message.sender, Kind::alive);
        break;
      default:
        break;
    }
  }

  nodes::Node& node_;
  mcapi_node_t size_;
  unsigned election_{0};
  bool asked_{false};
  unsigned missing_{0};
  std::vector<Message> early_;
};

void run_node(nodes::Node& node, unsigned size, unsigned times) {
  Elector elector(node, size);
  for (unsigned election = 0; election < 2 * times; ++election) elector.elect(election);
}

}  // namespace

int main(int argc, char** argv) {
  return nodes::run(argc, argv,
                    {"bully", "3|4|...|12", 3, 12, 1, [](unsigned size) -> mcapi_node_t { return size; }, run_node});
}
