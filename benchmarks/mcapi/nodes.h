// What the paper's benchmark programs share: nodes are processes that the program forks, each with one endpoint.
//
//   int main(int argc, char** argv) { return nodes::run(argc, argv, {"bt", "3|5|...|21", 3, 21, 2, nodes_of,
//   run_node}); }
//
// Plain MCAPI: nothing here knows of reprise. Each node prints how many messages it got, and a digest that depends on
// the order in which they came. If $MCAPI_BENCH names a file, each node adds a line to it: its number, its CPU time
// between initialize and finalize, and how many messages it sent; and the program one with the CPU time of all. With
// $MCAPI_BENCH_BIND each node stays on one core, in turn.
#pragma once

#include <fcntl.h>
#include <mcapi.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace nodes {

constexpr mcapi_port_t port = 1;

// CPU time of this process. By the system call itself: a recorded clock would be given again on replay.
inline std::int64_t cpu_ns() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A line for whoever measures.
inline void note(const std::string& who, std::int64_t took_ns, std::uint64_t sent) {
  const char* path = std::getenv("MCAPI_BENCH");
  if (path == nullptr || *path == '\0') return;
  const std::string line = who + " " + std::to_string(took_ns) + " " + std::to_string(sent) + "\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  close(file);
}

// By the system calls themselves: how many cores there are may be recorded.
inline void bind(mcapi_node_t number) {
  if (std::getenv("MCAPI_BENCH_BIND") == nullptr) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  if (syscall(SYS_sched_getaffinity, 0, sizeof all, &all) <= 0) return;
  auto skipped = number % static_cast<unsigned>(CPU_COUNT(&all));
  std::size_t core = 0;
  while (!CPU_ISSET(core, &all) || skipped-- > 0) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
}

// Who looks at the memory of all nodes finds them there for a while ($MCAPI_BENCH_HOLD, in milliseconds).
inline void hold() {
  const char* given = std::getenv("MCAPI_BENCH_HOLD");
  if (given == nullptr) return;
  const long ms = std::strtol(given, nullptr, 10);
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
}

// Three of the four benchmarks have messages of 50 bytes: sender, how-manyth, and what no compressor makes shorter.
constexpr std::size_t message_bytes = 50;

struct Message {
  std::uint32_t sender;
  std::uint32_t number;
  std::uint64_t noise[6];
};
static_assert(sizeof(Message) >= message_bytes);

inline Message message_of(std::uint32_t sender, std::uint64_t number) {
  Message message{sender, static_cast<std::uint32_t>(number), {}};
  std::uint64_t state = number << 8 | sender;
  for (std::uint64_t& word : message.noise) {
    state += 0x9E3779B97F4A7C15u;
    word = (state ^ state >> 29) * 0xBF58476D1CE4E5B9u;
    word ^= word >> 32;
  }
  return message;
}

class Node {
 public:
  Node(mcapi_node_t number, mcapi_node_t of) : number_(number), endpoints_(of + 1) {
    bind(number);
    mcapi_info_t info;
    mcapi_initialize(0, number, nullptr, nullptr, &info, &status_);
    check("initialize");
    mine_ = mcapi_endpoint_create(port, &status_);
    check("endpoint_create");
    began_ns_ = cpu_ns();
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    const std::int64_t took_ns = cpu_ns() - began_ns_;
    char line[160];
    const int size =
        std::snprintf(line, sizeof line, "node %u: got %llu, digest %016llx\n", number_,
                      static_cast<unsigned long long>(received_), static_cast<unsigned long long>(digest_));
    if (write(STDOUT_FILENO, line, static_cast<std::size_t>(size)) != size) std::abort();
    note(std::to_string(number_), took_ns, sent_);
    hold();
    mcapi_finalize(&status_);
    check("finalize");
  }

  mcapi_node_t number() const { return number_; }

  void send(mcapi_node_t to, void* bytes, std::size_t size) {
    ++sent_;
    mcapi_msg_send(mine_, endpoint_of(to), bytes, size, 0, &status_);
    check("msg_send");
  }
  void receive(void* bytes, std::size_t size) {
    std::size_t got = 0;
    mcapi_msg_recv(mine_, bytes, size, &got, &status_);
    check("msg_recv");
    if (got != size) fail("a message of another size");
    ++received_;
    std::uint32_t first = 0;
    std::memcpy(&first, bytes, sizeof first);
    digest_ = (digest_ ^ first) * 0x9E3779B97F4A7C15u;
  }

  void send(mcapi_node_t to) {
    Message message = message_of(number_, sent_ + 1);
    send(to, &message, message_bytes);
  }
  void receive() {
    char message[message_bytes];
    receive(message, sizeof message);
  }

 private:
  // Asked for when it is needed first: who has nothing to receive may be gone early.
  mcapi_endpoint_t endpoint_of(mcapi_node_t node) {
    std::optional<mcapi_endpoint_t>& endpoint = endpoints_[node];
    if (!endpoint) {
      endpoint = mcapi_endpoint_get(0, node, port, MCAPI_TIMEOUT_INFINITE, &status_);
      check("endpoint_get");
    }
    return *endpoint;
  }
  void check(const char* what) const {
    if (status_ == MCAPI_SUCCESS) return;
    char text[MCAPI_MAX_STATUS_MSG_LEN];
    std::fprintf(stderr, "node %u: %s: %s\n", number_, what, mcapi_display_status(status_, text, sizeof text));
    std::exit(1);
  }
  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "node %u: %s\n", number_, what);
    std::exit(1);
  }

  mcapi_node_t number_;
  mcapi_status_t status_{MCAPI_SUCCESS};
  mcapi_endpoint_t mine_{};
  std::vector<std::optional<mcapi_endpoint_t>> endpoints_;
  std::int64_t began_ns_{0};
  std::uint64_t sent_{0};
  std::uint64_t received_{0};
  std::uint64_t digest_{0};
};

struct Benchmark {
  const char* name;
  const char* sizes;  // what the first argument is
  unsigned smallest;
  unsigned largest;
  unsigned step;
  mcapi_node_t (*nodes_of)(unsigned size);
  void (*run_node)(Node& node, unsigned size, unsigned times);
};

// NAME SIZE [TIMES]: TIMES is by how much the rounds are multiplied.
inline int run(int argc, char** argv, const Benchmark& benchmark) {
  const unsigned size = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
  const unsigned times = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1;
  if (size < benchmark.smallest || size > benchmark.largest || (size - benchmark.smallest) % benchmark.step != 0 ||
      times == 0) {
    std::fprintf(stderr, "usage: %s %s [TIMES]\n", benchmark.name, benchmark.sizes);
    return 2;
  }
  const mcapi_node_t count = benchmark.nodes_of(size);
  for (mcapi_node_t number = 1; number <= count; ++number) {
    if (fork() != 0) continue;
    {
      Node node(number, count);
      benchmark.run_node(node, size, times);
    }
    std::exit(0);
  }
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) failed |= status;
  rusage nodes{};
  getrusage(RUSAGE_CHILDREN, &nodes);
  const auto ns = [](const timeval& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000; };
  note("all", cpu_ns() + ns(nodes.ru_utime) + ns(nodes.ru_stime), 0);
  return failed == 0 ? 0 : 1;
}

}  // namespace nodes
