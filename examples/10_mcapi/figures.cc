// The programs of figures 2, 3, 4, 8 and 28 of "Deterministic replay for message-passing based concurrent programs".
//
//   10_mcapi FIGURE [threads|processes] [assert]
//
// Plain MCAPI: nothing here knows of reprise. Each node prints what it got, as one line. If there is a file named
// `slow` that holds a node's number, that node rests before it sends: so the order of arrivals can be changed from
// outside. It may hold several words: 3.2 is before node 3's second message, 4:1 before node 4's first receive; the
// how-manyth word it is, that many times 20 ms.
#include <mcapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

bool asserts = false;

void check(mcapi_status_t status) {
  if (status == MCAPI_SUCCESS || status == MCAPI_PENDING) return;
  char text[MCAPI_MAX_STATUS_MSG_LEN];
  std::fprintf(stderr, "%s\n", mcapi_display_status(status, text, sizeof text));
  std::abort();
}

class Node {
 public:
  explicit Node(mcapi_node_t number) : number_(number) {
    mcapi_info_t info;
    mcapi_initialize(0, number, nullptr, nullptr, &info, &status_);
    check(status_);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    line_ += '\n';
    if (write(STDOUT_FILENO, line_.data(), line_.size()) < 0) std::abort();
    mcapi_finalize(&status_);
    check(status_);
  }
  mcapi_endpoint_t create(mcapi_port_t port) {
    const mcapi_endpoint_t endpoint = mcapi_endpoint_create(port, &status_);
    check(status_);
    return endpoint;
  }
  mcapi_endpoint_t get(mcapi_node_t node, mcapi_port_t port) {
    const mcapi_endpoint_t endpoint = mcapi_endpoint_get(0, node, port, MCAPI_TIMEOUT_INFINITE, &status_);
    check(status_);
    return endpoint;
  }
  void send(mcapi_endpoint_t from, mcapi_endpoint_t to, int value) {
    rest_if_slow('.', ++sent_);
    mcapi_msg_send(from, to, &value, sizeof value, 0, &status_);
    check(status_);
  }
  int receive(mcapi_endpoint_t at) {
    rest_if_slow(':', ++received_);
    int value = 0;
    std::size_t size = 0;
    mcapi_msg_recv(at, &value, sizeof value, &size, &status_);
    check(status_);
    return value;
  }
  void receive_i(mcapi_endpoint_t at, int& value, mcapi_request_t& request) {
    mcapi_msg_recv_i(at, &value, sizeof value, &request, &status_);
    check(status_);
  }
  void wait(mcapi_request_t& request) {
    std::size_t size = 0;
    mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status_);
    check(status_);
  }
  bool test(mcapi_request_t& request) {
    std::size_t size = 0;
    const bool done = mcapi_test(&request, &size, &status_) == MCAPI_TRUE;
    check(status_);
    return done;
  }
  std::size_t wait_any(std::vector<mcapi_request_t>& requests) {
    std::size_t size = 0;
    const std::size_t index = mcapi_wait_any(requests.size(), requests.data(), &size, MCAPI_TIMEOUT_INFINITE, &status_);
    check(status_);
    return index;
  }
  void say(const std::string& what, long value) { line_ += " " + what + "=" + std::to_string(value); }

 private:
  void rest_if_slow(char what, int ordinal) const {
    const std::string node = std::to_string(number_);
    std::ifstream file("slow");
    std::string word;
    for (int place = 1; file >> word; ++place) {
      const bool is_first_send = what == '.' && ordinal == 1 && word == node;
      if (is_first_send || word == node + what + std::to_string(ordinal))
        std::this_thread::sleep_for(std::chrono::milliseconds(20 * place));
    }
  }

  mcapi_node_t number_;
  int sent_ = 0;
  int received_ = 0;
  mcapi_status_t status_ = 0;
  std::string line_ = "node " + std::to_string(number_) + ":";
};

// Figure 2: every node sends to every other, and receives in whatever order the messages come.
void figure2(mcapi_node_t self, mcapi_node_t nodes) {
  Node node(self);
  const mcapi_endpoint_t mine = node.create(1);
  for (mcapi_node_t other = 1; other <= nodes; ++other) {
    if (other != self) node.send(mine, node.get(other, 1), static_cast<int>(self));
  }
  for (mcapi_node_t i = 1; i < nodes; ++i) node.say("got", node.receive(mine));
}

// Figure 3: which of two endpoints gets its message first decides what wait_any returns.
void figure3(mcapi_node_t self, mcapi_node_t) {
  Node node(self);
  if (self != 1) {
    return node.send(node.create(1), node.get(1, self - 1), static_cast<int>(self));
  }
  std::vector<int> values(2);
  std::vector<mcapi_request_t> requests(2);
  for (std::size_t i = 0; i < 2; ++i) node.receive_i(node.create(i + 1), values[i], requests[i]);
  const std::size_t first = node.wait_any(requests);
  node.wait(requests[1 - first]);
  node.say("first", static_cast<long>(first));
}

// Figure 4: how often does test fail?
void figure4(mcapi_node_t self, mcapi_node_t) {
  Node node(self);
  if (self != 1) {
    return node.send(node.create(1), node.get(1, 1), 1);
  }
  int value = 0;
  mcapi_request_t request = 0;
  node.receive_i(node.create(1), value, request);
  long failed = 0;
  while (!node.test(request)) ++failed;
  node.say("failed", failed);
}

void figure8_sender(Node& node, int value) {
  const mcapi_endpoint_t mine = node.create(1);
  const mcapi_endpoint_t two = node.get(2, 1);
  const mcapi_endpoint_t four = node.get(4, 1);
  const mcapi_endpoint_t five = node.get(5, 1);
  node.send(mine, two, value);
  node.send(mine, four, value);
  node.send(mine, five, value);
}

void figure8_middle(Node& node) {
  const mcapi_endpoint_t mine = node.create(1);
  const mcapi_endpoint_t four = node.get(4, 1);
  const mcapi_endpoint_t five = node.get(5, 1);
  int a = 0;
  int b = 0;
  std::vector<mcapi_request_t> requests(2);
  node.receive_i(mine, a, requests[0]);
  node.receive_i(mine, b, requests[1]);
  node.wait(requests[node.wait_any(requests) == 0 ? 1 : 0]);
  node.say("A", a);
  node.say("B", b);
  if (asserts && a <= b) std::abort();
  node.send(mine, four, 2 * a + b);
  node.send(mine, five, 2 * a + b);
}

// Figure 8: five nodes; all races at once. Its assertion A > B fails when node 1's message comes first.
void figure8(mcapi_node_t self, mcapi_node_t) {
  Node node(self);
  if (self == 1) return figure8_sender(node, 1);
  if (self == 3) return figure8_sender(node, 10);
  if (self == 2) return figure8_middle(node);
  const mcapi_endpoint_t mine = node.create(1);
  if (self == 5) {
    for (const char* name : {"G", "H", "I"}) node.say(name, node.receive(mine));
    return;
  }
  int d = 0;
  int e = 0;
  mcapi_request_t first = 0;
  mcapi_request_t second = 0;
  node.receive_i(mine, d, first);
  node.receive_i(mine, e, second);
  const int f = node.receive(mine);
  long failed = 0;
  while (!node.test(first)) ++failed;
  node.wait(second);
  node.say("D", d);
  node.say("E", e);
  node.say("F", f);
  node.say("failed", failed);
}

// Figure 28: two senders, two receivers.
void figure28(mcapi_node_t self, mcapi_node_t) {
  Node node(self);
  const mcapi_endpoint_t mine = node.create(1);
  if (self == 2 || self == 4) {
    const int first = node.receive(mine);
    node.say("first", first);
    node.say("second", node.receive(mine));
    return;
  }
  const mcapi_endpoint_t two = node.get(2, 1);
  const mcapi_endpoint_t four = node.get(4, 1);
  node.send(mine, two, self == 1 ? 1 : 10);
  node.send(mine, four, self == 1 ? 1 : 10);
}

struct Figure {
  const char* name;
  mcapi_node_t nodes;
  void (*node)(mcapi_node_t self, mcapi_node_t nodes);
};
constexpr Figure figures[] = {
    {"2", 4, figure2}, {"3", 3, figure3}, {"4", 2, figure4}, {"8", 5, figure8}, {"28", 4, figure28},
};

int run_threads(const Figure& figure) {
  std::vector<std::thread> threads;
  for (mcapi_node_t i = 1; i <= figure.nodes; ++i) threads.emplace_back(figure.node, i, figure.nodes);
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int run_processes(const Figure& figure) {
  for (mcapi_node_t i = 1; i <= figure.nodes; ++i) {
    if (fork() == 0) {
      figure.node(i, figure.nodes);
      std::exit(0);
    }
  }
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) failed |= status;
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Figure& figure : figures) {
    if (argc < 2 || std::strcmp(argv[1], figure.name) != 0) continue;
    asserts = argc > 3 && std::strcmp(argv[3], "assert") == 0;
    const bool threads = argc > 2 && std::strcmp(argv[2], "threads") == 0;
    return threads ? run_threads(figure) : run_processes(figure);
  }
  std::fprintf(stderr, "usage: 10_mcapi 2|3|4|8|28 [threads|processes] [assert]\n");
  return 2;
}
