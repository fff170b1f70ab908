// A node that dies leaves no lock, buffer or queue held.
#include <sys/prctl.h>

#include <chrono>
#include <csignal>

#include "nodes.h"

using namespace test;

namespace {

void initialize(mcapi_node_t id) {
  mcapi_info_t info{};
  mcapi_initialize(0, id, nullptr, nullptr, &info, &status);
  EXPECT_IS(status, MCAPI_SUCCESS);
}

// A process that is a node, to be killed.
pid_t start(mcapi_node_t id, const Role& role) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  initialize(id);
  role();
  for (;;) pause();
}

void kill_and_reap(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE(sends_to_the_dead_fail) {
  const pid_t child = start(2, [] { create(1); });
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  const mcapi_endpoint_t theirs = get(2, 1);
  int value = 1;
  mcapi_request_t request = 0;
  STATUS_OF(mcapi_msg_send(mine, theirs, &value, 4, 0, &status), MCAPI_SUCCESS);
  kill_and_reap(child);
  STATUS_OF(mcapi_msg_send(mine, theirs, &value, 4, 0, &status), MCAPI_ERR_TRANSMISSION);
  STATUS_OF(mcapi_msg_send_i(mine, theirs, &value, 4, 0, &request, &status), MCAPI_ERR_TRANSMISSION);
  // It may come again.
  const pid_t next = start(2, [] {
    const mcapi_endpoint_t own = create(1);
    const int value = receive(own);
    send(own, get(1, 1), value + 1);
  });
  mcapi_endpoint_t again = get(2, 1);
  send(mine, again, 5);
  EXPECT_IS(receive(mine), 6);
  kill_and_reap(next);
}

TEST_CASE(a_blocked_sender_learns_of_the_death) {
  const pid_t child = start(2, [] { create(1); });
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  const mcapi_endpoint_t theirs = get(2, 1);
  for (int i = 0; i < MCAPI_MAX_QUEUE_ELEMENTS; ++i) send(mine, theirs, i);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill_and_reap(child);
  });
  int value = 0;
  STATUS_OF(mcapi_msg_send(mine, theirs, &value, 4, 0, &status), MCAPI_ERR_TRANSMISSION);
  killer.join();
}

TEST_CASE(channels_learn_of_the_death) {
  const pid_t child = start(2, [] {
    mcapi_request_t request = 0;
    mcapi_pktchan_send_hndl_t out = 0;
    mcapi_pktchan_send_open_i(&out, create(1), &request, &status);
    finish(request);
    mcapi_pktchan_send(out, const_cast<char*>("x"), 2, &status);
    mcapi_sclchan_recv_open_i(&out, create(2), &request, &status);
    finish(request);
  });
  initialize(1);
  mcapi_request_t request = 0;
  mcapi_pktchan_recv_hndl_t in = 0;
  mcapi_sclchan_send_hndl_t out = 0;
  const mcapi_endpoint_t mine = create(1);
  const mcapi_endpoint_t other = create(2);
  mcapi_pktchan_connect_i(get(2, 1), mine, &request, &status);
  mcapi_pktchan_recv_open_i(&in, mine, &request, &status);
  finish(request);
  mcapi_sclchan_connect_i(other, get(2, 2), &request, &status);
  mcapi_sclchan_send_open_i(&out, other, &request, &status);
  finish(request);
  void* buffer = nullptr;
  std::size_t size = 0;
  STATUS_OF(mcapi_pktchan_recv(in, &buffer, &size, &status), MCAPI_SUCCESS);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill_and_reap(child);
  });
  STATUS_OF(mcapi_pktchan_recv(in, &buffer, &size, &status), MCAPI_ERR_TRANSMISSION);
  killer.join();
  STATUS_OF(mcapi_sclchan_send_uint8(out, 1, &status), MCAPI_ERR_TRANSMISSION);
  STATUS_OF(mcapi_pktchan_recv_close_i(in, &request, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_endpoint_delete(mine, &status), MCAPI_SUCCESS);
}

TEST_CASE(a_receive_waits_on_unless_told_otherwise) {
  setenv("MCAPI_PEER_DEATH", "error", 1);
  const pid_t child = start(2, [] { create(1); });
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  get(2, 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill_and_reap(child);
  });
  int value = 0;
  std::size_t size = 0;
  STATUS_OF(mcapi_msg_recv(mine, &value, 4, &size, &status), MCAPI_ERR_TRANSMISSION);
  killer.join();
}

// Receives that were posted learn of it from test, wait and wait_any; the requests are over then.
TEST_CASE(a_posted_receive_learns_that_nobody_is_left) {
  setenv("MCAPI_PEER_DEATH", "error", 1);
  const pid_t child = start(2, [] { create(1); });
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  get(2, 1);
  constexpr std::size_t count = 3;
  mcapi_request_t requests[count] = {};
  int values[count] = {};
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i)
    STATUS_OF(mcapi_msg_recv_i(mine, &values[i], 4, &requests[i], &status), MCAPI_PENDING);
  EXPECT_IS(mcapi_test(&requests[0], &size, &status), MCAPI_FALSE);
  EXPECT_IS(status, MCAPI_PENDING);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill_and_reap(child);
  });
  EXPECT_IS(mcapi_wait(&requests[0], &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
  EXPECT_IS(status, MCAPI_ERR_TRANSMISSION);
  killer.join();
  EXPECT_IS(mcapi_test(&requests[1], &size, &status), MCAPI_FALSE);
  EXPECT_IS(status, MCAPI_ERR_TRANSMISSION);
  EXPECT_IS(mcapi_wait_any(1, &requests[2], &size, MCAPI_TIMEOUT_INFINITE, &status), 0u);
  EXPECT_IS(status, MCAPI_ERR_TRANSMISSION);
  STATUS_OF(mcapi_wait(&requests[0], &size, 0, &status), MCAPI_ERR_REQUEST_INVALID);
}

TEST_CASE(a_thread_that_ends_is_not_a_death) {
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::thread first([] { initialize(2); });
    first.join();  // the node's thread has ended, its process lives
    for (;;) pause();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread([&] {
    initialize(3);
    send(create(1), mine, 4);
  }).join();
  EXPECT_IS(receive(mine), 4);
  kill_and_reap(child);
}

// Nodes that send to each other as fast as they can are killed at random instants. Whoever is left goes on, and no
// block is lost.
TEST_CASE(kill_at_random_instants) {
  if (!as_processes) return;
  const int rounds = std::getenv("REPRISE_FULL") != nullptr ? 100 : 25;
  initialize(1);
  const mcapi_endpoint_t mine = create(1);
  unsigned seed = static_cast<unsigned>(getpid());
  for (int round = 0; round < rounds; ++round) {
    const Role storm = [] {
      const mcapi_endpoint_t own = create(1);
      const mcapi_endpoint_t to = get(1, 1);
      std::vector<char> bytes(3000, 's');
      for (unsigned i = 0;; ++i) {
        mcapi_msg_send(own, to, bytes.data(), i * 37 % bytes.size(), i % 8, &status);
        mcapi_msg_send(own, own, bytes.data(), i * 91 % bytes.size(), i % 8, &status);
        std::size_t size = 0;
        mcapi_msg_recv(own, bytes.data(), bytes.size(), &size, &status);
      }
    };
    const pid_t one = start(2, storm);
    const pid_t two = start(3, storm);
    std::vector<char> bytes(3000);
    std::size_t size = 0;
    const int before = 20 + static_cast<int>(rand_r(&seed) % 500);
    for (int i = 0; i < before; ++i) mcapi_msg_recv(mine, bytes.data(), bytes.size(), &size, &status);
    kill_and_reap(one);
    for (int i = 0; i < 1500; ++i)
      mcapi_msg_recv(mine, bytes.data(), bytes.size(), &size, &status);  // the other goes on
    EXPECT_IS(status, MCAPI_SUCCESS);
    kill_and_reap(two);
    while (mcapi_msg_available(mine, &status) > 0) mcapi_msg_recv(mine, bytes.data(), bytes.size(), &size, &status);
  }
  // All room is there again: what fits into an empty run fits now.
  const mcapi_endpoint_t after = create(2);
  std::vector<char> large(MCAPI_MAX_MESSAGE_SIZE);
  int sent = 0;
  mcapi_uint_t ms = 0;
  mcapi_endpoint_set_attribute(after, MCAPI_ENDP_ATTR_TIMEOUT, &ms, sizeof ms, &status);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  mcapi_endpoint_get(0, 9, 1, 120, &status);  // long enough to look who has died
  for (;; ++sent) {
    mcapi_msg_send(after, after, large.data(), large.size(), 0, &status);
    if (status != MCAPI_SUCCESS) break;
  }
  EXPECT_IS(sent >= 122, true);
}

int main(int argc, char** argv) { return main_of_tests(argc, argv); }
