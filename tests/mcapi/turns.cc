// Four nodes, as threads. Node 1 gives turns to the others, in a round that repeats, and gets a message for each turn;
// then they send as they like.
//
//   turns
//
// Prints who sent the messages that node 1 got, as one line.
#include <string>
#include <thread>

#include "forked.h"

namespace {

using forked::check;
using forked::receive;
using forked::send;
using forked::status;

constexpr mcapi_port_t port = 1;
constexpr mcapi_node_t round[] = {2, 3, 2, 4};  // who comes next follows from the last two, not from the last one
constexpr int rounds = 16;
constexpr int freely = 12;
constexpr mcapi_node_t nodes = 4;

mcapi_endpoint_t get(mcapi_node_t node) {
  const mcapi_endpoint_t found = mcapi_endpoint_get(0, node, port, MCAPI_TIMEOUT_INFINITE, &status);
  check("get");
  return found;
}

void give_turns(mcapi_endpoint_t mine) {
  mcapi_endpoint_t others[nodes + 1] = {};
  for (mcapi_node_t node = 2; node <= nodes; ++node) others[node] = get(node);
  std::string got = "node 1 got";
  for (int i = 0; i < rounds; ++i) {
    for (const mcapi_node_t node : round) {
      send(mine, others[node], node);
      got += ' ' + std::to_string(receive(mine));
    }
  }
  for (mcapi_node_t node = 2; node <= nodes; ++node) send(mine, others[node], 0);
  for (int i = 0; i < freely * (static_cast<int>(nodes) - 1); ++i) got += ' ' + std::to_string(receive(mine));
  std::puts(got.c_str());
}

void take_turns(mcapi_node_t self, mcapi_endpoint_t mine) {
  const mcapi_endpoint_t first = get(1);
  while (receive(mine) != 0) send(mine, first, self);
  for (int i = 0; i < freely; ++i) send(mine, first, self);
}

void run_node(mcapi_node_t self) {
  mcapi_info_t info;
  mcapi_initialize(0, self, nullptr, nullptr, &info, &status);
  check("initialize");
  const mcapi_endpoint_t mine = mcapi_endpoint_create(port, &status);
  check("create");
  self == 1 ? give_turns(mine) : take_turns(self, mine);
  mcapi_finalize(&status);
  check("finalize");
}

}  // namespace

int main() {
  std::thread others[nodes - 1];
  for (mcapi_node_t node = 2; node <= nodes; ++node) others[node - 2] = std::thread(run_node, node);
  run_node(1);
  for (std::thread& other : others) other.join();
}
