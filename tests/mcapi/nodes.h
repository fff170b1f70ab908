// Runs the nodes of a test as threads of one process or as processes of their own, and gathers what they find.
//
//   TEST_CASE(messages_arrive) { run({sender, receiver}); }      // node 1 runs sender, node 2 receiver
//   int main(int argc, char** argv) { return main_of_tests(argc, argv); }
//
// Each test runs in a process of its own with an MCAPI run of its own, and is killed after 20 s.
#pragma once

#include <mcapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "observed.h"

namespace test {

inline std::atomic<int> failures{0};

inline void expect(bool good, const char* what, const char* file, int line, long got, long wanted) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: %s: got %ld, expected %ld\n", file, line, what, got, wanted);
}
#define EXPECT_IS(got, wanted)                                                                         \
  do {                                                                                                 \
    auto got_ = (got);                                                                                 \
    const auto wanted_ = static_cast<decltype(got_)>(wanted);                                          \
    test::expect(got_ == wanted_, #got " == " #wanted, __FILE__, __LINE__, (long)got_, (long)wanted_); \
  } while (false)

// A status that each call below writes into.
inline thread_local mcapi_status_t status = 0;
#define STATUS_OF(call, wanted)      \
  do {                               \
    test::status = 0;                \
    (void)(call);                    \
    EXPECT_IS(test::status, wanted); \
  } while (false)

using Role = std::function<void()>;

inline void node(mcapi_node_t id, const Role& role) {
  mcapi_info_t info{};
  mcapi_initialize(0, id, nullptr, nullptr, &info, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
  role();
  mcapi_finalize(&status);
  EXPECT_IS(status, MCAPI_SUCCESS);
}

// Node i + 1 runs roles[i].
inline void run(const std::vector<Role>& roles) {
  if (!as_processes) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < roles.size(); ++i) threads.emplace_back([&, i] { node(i + 1, roles[i]); });
    for (std::thread& thread : threads) thread.join();
    return;
  }
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      failures = 0;
      node(i + 1, roles[i]);
      std::_Exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int ended = 0;
    waitpid(child, &ended, 0);
    EXPECT_IS(ended, 0);
  }
}

struct Case {
  const char* name;
  void (*body)();
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
struct Registration {
  Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};
#define TEST_CASE(name)                                             \
  static void name();                                               \
  static const test::Registration registration_##name(#name, name); \
  static void name()

// ---- short forms ----

inline mcapi_endpoint_t create(mcapi_port_t port) {
  const mcapi_endpoint_t endpoint = mcapi_endpoint_create(port, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
  return endpoint;
}
inline mcapi_endpoint_t get(mcapi_node_t node_id, mcapi_port_t port) {
  const mcapi_endpoint_t endpoint = mcapi_endpoint_get(0, node_id, port, MCAPI_TIMEOUT_INFINITE, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
  return endpoint;
}
inline void send(mcapi_endpoint_t from, mcapi_endpoint_t to, int value, mcapi_priority_t priority = 0) {
  mcapi_msg_send(from, to, &value, sizeof value, priority, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
}
inline int receive(mcapi_endpoint_t at) {
  int value = -1;
  std::size_t size = 0;
  mcapi_msg_recv(at, &value, sizeof value, &size, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
  EXPECT_IS(size, sizeof value);
  return value;
}
// Waits for a request that must succeed; returns its size.
inline std::size_t finish(mcapi_request_t request) {
  std::size_t size = 0;
  EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_TRUE);
  EXPECT_IS(status, MCAPI_SUCCESS);
  return size;
}

inline bool run_case(const Case& each) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    setenv("MCAPI_RUN", ("test-" + std::to_string(getpid())).c_str(), 1);
    setenv("MCAPI_REPORT", "off", 0);
    each.body();
    std::_Exit(failures == 0 ? 0 : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  if (ended != 0)
    std::fprintf(stderr, "FAILED %s (%s), status %x\n", each.name, as_processes ? "processes" : "threads", ended);
  return ended == 0;
}

inline int main_of_tests(int argc, char** argv) {
  int failed = 0;
  int done = 0;
  for (const bool processes : {false, true}) {
    as_processes = processes;
    for (const Case& each : cases()) {
      if (argc > 1 && std::strstr(each.name, argv[1]) == nullptr) continue;
      ++done;
      if (!run_case(each)) ++failed;
    }
  }
  std::printf("%d passed, %d failed\n", done - failed, failed);
  return failed == 0 && done > 0 ? 0 : 1;
}

}  // namespace test
