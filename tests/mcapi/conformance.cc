// Every function and every status of MCAPI 2.015 that our table says it returns, on threads and on processes.
#include <sys/resource.h>

#include <chrono>
#include <csignal>

#include "nodes.h"

using namespace test;

// ---- nodes ----

TEST_CASE(initialize_statuses) {
  mcapi_info_t info{};
  STATUS_OF(mcapi_initialize(0, 1, nullptr, nullptr, nullptr, &status), MCAPI_ERR_PARAMETER);
  STATUS_OF(mcapi_initialize(MCAPI_MAX_DOMAIN + 1, 1, nullptr, nullptr, &info, &status), MCAPI_ERR_DOMAIN_INVALID);
  STATUS_OF(mcapi_initialize(0, MCAPI_MAX_NODE + 1, nullptr, nullptr, &info, &status), MCAPI_ERR_NODE_INVALID);
  STATUS_OF(mcapi_finalize(&status), MCAPI_ERR_NODE_NOTINIT);
  run({[&] {
    STATUS_OF(mcapi_initialize(0, 1, nullptr, nullptr, &info, &status), MCAPI_ERR_NODE_INITIALIZED);
    EXPECT_IS(mcapi_node_id_get(&status), 1);
    EXPECT_IS(mcapi_domain_id_get(&status), 0);
    std::thread other([&] {  // the same node again, by another thread
      STATUS_OF(mcapi_initialize(0, 1, nullptr, nullptr, &info, &status), MCAPI_ERR_NODE_INITIALIZED);
    });
    other.join();
  }});
}

TEST_CASE(no_room_is_a_status_and_no_crash) {
  mcapi_info_t info{};
  mcapi_param_t parameters{4096};
  const rlimit limit{1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_IGN);
  STATUS_OF(mcapi_initialize(0, 1, nullptr, &parameters, &info, &status), MCAPI_ERR_NODE_INITFAILED);
}

TEST_CASE(node_may_come_again) {
  run({[] {}});
  run({[] { EXPECT_IS(mcapi_node_id_get(&status), 1); }});
}

TEST_CASE(without_a_node_everything_is_refused) {
  mcapi_request_t request = 0;
  std::size_t size = 0;
  void* packet = nullptr;
  int value = 0;
  mcapi_endpoint_t endpoint = 0;
  STATUS_OF(mcapi_domain_id_get(&status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_node_id_get(&status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_node_get_attribute(0, 1, 0, &value, 4, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_create(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_get(0, 1, 1, 0, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_get_i(0, 1, 1, &endpoint, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_delete(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_get_attribute(1, 0, &value, 4, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_endpoint_set_attribute(1, 0, &value, 4, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_msg_send(1, 1, &value, 4, 0, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_msg_send_i(1, 1, &value, 4, 0, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_msg_recv(1, &value, 4, &size, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_msg_recv_i(1, &value, 4, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_msg_available(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_connect_i(1, 2, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_recv_open_i(&endpoint, 1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_send_open_i(&endpoint, 1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_send(1, &value, 4, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_send_i(1, &value, 4, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_recv(1, &packet, &size, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_recv_i(1, &packet, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_available(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_release(&value, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_release_test(&value, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_recv_close_i(1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_pktchan_send_close_i(1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_connect_i(1, 2, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_open_i(&endpoint, 1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_open_i(&endpoint, 1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_uint64(1, 1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_uint32(1, 1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_uint16(1, 1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_uint8(1, 1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_uint64(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_uint32(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_uint16(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_uint8(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_available(1, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_recv_close_i(1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_sclchan_send_close_i(1, &request, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_test(&request, &size, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_wait(&request, &size, 0, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_wait_any(1, &request, &size, 0, &status), MCAPI_ERR_NODE_NOTINIT);
  STATUS_OF(mcapi_cancel(&request, &status), MCAPI_ERR_NODE_NOTINIT);
}

TEST_CASE(a_thread_belongs_to_its_creator) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    std::thread child([&] {
      EXPECT_IS(mcapi_node_id_get(&status), 1);
      std::thread grandchild([&] { EXPECT_IS(mcapi_node_id_get(&status), 1); });
      grandchild.join();
      send(mine, mine, 7);
      mcapi_info_t info{};
      mcapi_initialize(0, 9, nullptr, nullptr, &info, &status);  // now it is a node of its own
      EXPECT_IS(status, MCAPI_SUCCESS);
      EXPECT_IS(mcapi_node_id_get(&status), 9);
      mcapi_finalize(&status);
      STATUS_OF(mcapi_finalize(&status), MCAPI_ERR_NODE_NOTINIT);  // and not its creator's any more
    });
    child.join();
    EXPECT_IS(receive(mine), 7);
  }});
}

TEST_CASE(node_attributes) {
  mcapi_node_attributes_t attributes{};
  mcapi_uint_t kind = 42;
  STATUS_OF(mcapi_node_init_attributes(nullptr, &status), MCAPI_ERR_PARAMETER);
  STATUS_OF(mcapi_node_init_attributes(&attributes, &status), MCAPI_SUCCESS);
  STATUS_OF(mcapi_node_set_attribute(nullptr, 0, &kind, 4, &status), MCAPI_ERR_PARAMETER);
  STATUS_OF(mcapi_node_set_attribute(&attributes, 0, nullptr, 4, &status), MCAPI_ERR_PARAMETER);
  STATUS_OF(mcapi_node_set_attribute(&attributes, 1, &kind, 4, &status), MCAPI_ERR_ATTR_NOTSUPPORTED);
  STATUS_OF(mcapi_node_set_attribute(&attributes, 64, &kind, 4, &status), MCAPI_ERR_ATTR_NUM);
  STATUS_OF(mcapi_node_set_attribute(&attributes, 0, &kind, 2, &status), MCAPI_ERR_ATTR_SIZE);
  STATUS_OF(mcapi_node_set_attribute(&attributes, 0, &kind, 4, &status), MCAPI_SUCCESS);
  mcapi_info_t info{};
  STATUS_OF(mcapi_initialize(3, 4, &attributes, nullptr, &info, &status), MCAPI_SUCCESS);
  EXPECT_IS(info.mcapi_version, MCAPI_VERSION);
  mcapi_uint_t got = 0;
  STATUS_OF(mcapi_node_get_attribute(3, 4, 0, &got, 4, &status), MCAPI_SUCCESS);
  EXPECT_IS(got, 42);
  STATUS_OF(mcapi_node_get_attribute(99, 4, 0, &got, 4, &status), MCAPI_ERR_DOMAIN_INVALID);
  STATUS_OF(mcapi_node_get_attribute(3, 5, 0, &got, 4, &status), MCAPI_ERR_NODE_INVALID);
  STATUS_OF(mcapi_node_get_attribute(3, 4, 1, &got, 4, &status), MCAPI_ERR_ATTR_NOTSUPPORTED);
  STATUS_OF(mcapi_node_get_attribute(3, 4, 64, &got, 4, &status), MCAPI_ERR_ATTR_NUM);
  STATUS_OF(mcapi_node_get_attribute(3, 4, 0, &got, 8, &status), MCAPI_ERR_ATTR_SIZE);
  STATUS_OF(mcapi_node_get_attribute(3, 4, 0, nullptr, 4, &status), MCAPI_ERR_PARAMETER);
  EXPECT_IS(mcapi_domain_id_get(&status), 3);
  mcapi_finalize(&status);
}

// ---- endpoints ----

TEST_CASE(endpoint_statuses) {
  run({[] {
    const mcapi_endpoint_t one = create(1);
    STATUS_OF(mcapi_endpoint_create(1, &status), MCAPI_ERR_ENDP_EXISTS);
    STATUS_OF(mcapi_endpoint_create(MCAPI_MAX_PORT + 1, &status), MCAPI_ERR_PORT_INVALID);
    const mcapi_endpoint_t any = create(MCAPI_PORT_ANY);
    const mcapi_endpoint_t other = create(MCAPI_PORT_ANY);
    EXPECT_IS(any != other, true);
    STATUS_OF(mcapi_endpoint_get(99, 1, 1, 0, &status), MCAPI_ERR_DOMAIN_INVALID);
    STATUS_OF(mcapi_endpoint_get(0, 9999, 1, 0, &status), MCAPI_ERR_NODE_INVALID);
    STATUS_OF(mcapi_endpoint_get(0, 1, 99999, 0, &status), MCAPI_ERR_PORT_INVALID);
    STATUS_OF(mcapi_endpoint_get(0, 1, 2, 30, &status), MCAPI_TIMEOUT);
    EXPECT_IS(get(1, 1), one);
    mcapi_request_t request = 0;
    mcapi_endpoint_t found = 0;
    STATUS_OF(mcapi_endpoint_get_i(99, 1, 1, &found, &request, &status), MCAPI_ERR_DOMAIN_INVALID);
    STATUS_OF(mcapi_endpoint_get_i(0, 9999, 1, &found, &request, &status), MCAPI_ERR_NODE_INVALID);
    STATUS_OF(mcapi_endpoint_get_i(0, 1, 99999, &found, &request, &status), MCAPI_ERR_PORT_INVALID);
    STATUS_OF(mcapi_endpoint_get_i(0, 1, 1, nullptr, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_endpoint_get_i(0, 1, 1, &found, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_endpoint_get_i(0, 1, 5, &found, &request, &status), MCAPI_PENDING);
    std::size_t size = 0;
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_PENDING);
    const mcapi_endpoint_t five = create(5);
    finish(request);
    EXPECT_IS(found, five);
    STATUS_OF(mcapi_endpoint_delete(five, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_endpoint_delete(five, &status), MCAPI_ERR_ENDP_INVALID);
    create(5);  // the port is free again
  }});
}

TEST_CASE(endpoint_get_waits_for_its_creation) {
  run({[] { send(create(1), get(2, 1), 5); },
       [] {
         std::this_thread::sleep_for(std::chrono::milliseconds(30));
         EXPECT_IS(receive(create(1)), 5);
       }});
}

TEST_CASE(only_the_owner_deletes_and_sets) {
  run({[] {
         create(1);
         EXPECT_IS(receive(create(2)), 1);
       },
       [] {
         const mcapi_endpoint_t theirs = get(1, 1);
         const mcapi_endpoint_t mine = create(1);
         mcapi_uint_t value = 5;
         int buffer = 0;
         std::size_t size = 0;
         mcapi_request_t request = 0;
         STATUS_OF(mcapi_endpoint_delete(theirs, &status), MCAPI_ERR_ENDP_NOTOWNER);
         STATUS_OF(mcapi_endpoint_set_attribute(theirs, MCAPI_ENDP_ATTR_TIMEOUT, &value, 4, &status),
                   MCAPI_ERR_ENDP_REMOTE);
         STATUS_OF(mcapi_endpoint_get_attribute(theirs, MCAPI_ENDP_ATTR_TIMEOUT, &value, 4, &status), MCAPI_SUCCESS);
         EXPECT_IS(value, MCAPI_TIMEOUT_INFINITE);
         STATUS_OF(mcapi_msg_recv(theirs, &buffer, 4, &size, &status), MCAPI_ERR_ENDP_INVALID);
         STATUS_OF(mcapi_msg_recv_i(theirs, &buffer, 4, &request, &status), MCAPI_ERR_ENDP_INVALID);
         STATUS_OF(mcapi_msg_available(theirs, &status), MCAPI_ERR_ENDP_INVALID);
         STATUS_OF(mcapi_msg_send(theirs, mine, &buffer, 4, 0, &status), MCAPI_ERR_ENDP_INVALID);
         STATUS_OF(mcapi_pktchan_send_open_i(&request, theirs, &request, &status), MCAPI_ERR_ENDP_INVALID);
         send(mine, get(1, 2), 1);
       }});
}

TEST_CASE(endpoint_attributes) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    mcapi_uint_t value = 0;
    const auto read = [&](mcapi_uint_t number) {
      mcapi_endpoint_get_attribute(mine, number, &value, sizeof value, &status);
      EXPECT_IS(status, MCAPI_SUCCESS);
      return value;
    };
    EXPECT_IS(read(MCAPI_ENDP_ATTR_MAX_PAYLOAD_SIZE), MCAPI_MAX_MESSAGE_SIZE);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_BUFFER_TYPE), MCAPI_ENDP_ATTR_FIFO_BUFFER);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_MEMORY_TYPE), MCAPI_ENDP_ATTR_LOCAL_MEMORY);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_NUM_PRIORITIES), 8);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_PRIORITY), 0);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_NUM_SEND_BUFFERS), MCAPI_MAX_QUEUE_ELEMENTS);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_NUM_RECV_BUFFERS), MCAPI_MAX_QUEUE_ELEMENTS);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_STATUS), 0);
    send(mine, mine, 1);
    EXPECT_IS(read(MCAPI_ENDP_ATTR_NUM_RECV_BUFFERS), MCAPI_MAX_QUEUE_ELEMENTS - 1);
    const auto set = [&](mcapi_uint_t number, mcapi_uint_t to) {
      mcapi_endpoint_set_attribute(mine, number, &to, sizeof to, &status);
      return status;
    };
    EXPECT_IS(set(MCAPI_ENDP_ATTR_STATUS, 1), MCAPI_ERR_ATTR_READONLY);
    EXPECT_IS(set(MCAPI_ENDP_ATTR_PRIORITY, 8), MCAPI_ERR_ATTR_VALUE);
    EXPECT_IS(set(MCAPI_ENDP_ATTR_MEMORY_TYPE, MCAPI_ENDP_ATTR_REMOTE_MEMORY), MCAPI_ERR_ATTR_NOTSUPPORTED);
    EXPECT_IS(set(MCAPI_ENDP_ATTR_MEMORY_TYPE, MCAPI_ENDP_ATTR_SHARED_MEMORY), MCAPI_SUCCESS);
    EXPECT_IS(set(99, 1), MCAPI_ERR_ATTR_NUM);
    EXPECT_IS(set(MCAPI_ENDP_ATTR_TIMEOUT, 20), MCAPI_SUCCESS);
    STATUS_OF(mcapi_endpoint_set_attribute(mine, 8, &value, 2, &status), MCAPI_ERR_ATTR_SIZE);
    STATUS_OF(mcapi_endpoint_set_attribute(mine, 8, nullptr, 4, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_endpoint_set_attribute(0xFFFFFFF0u, 8, &value, 4, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_endpoint_get_attribute(mine, 8, &value, 2, &status), MCAPI_ERR_ATTR_SIZE);
    STATUS_OF(mcapi_endpoint_get_attribute(mine, 99, &value, 4, &status), MCAPI_ERR_ATTR_NUM);
    STATUS_OF(mcapi_endpoint_get_attribute(mine, 8, nullptr, 4, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_endpoint_get_attribute(0xFFFFFFF0u, 8, &value, 4, &status), MCAPI_ERR_ENDP_INVALID);
    EXPECT_IS(receive(mine), 1);
    int buffer = 0;
    std::size_t size = 0;
    STATUS_OF(mcapi_msg_recv(mine, &buffer, sizeof buffer, &size, &status), MCAPI_TIMEOUT);
  }});
}

TEST_CASE(display_status) {
  char text[MCAPI_MAX_STATUS_MSG_LEN];
  EXPECT_IS(std::strcmp(mcapi_display_status(MCAPI_ERR_MEM_LIMIT, text, sizeof text), "MCAPI_ERR_MEM_LIMIT"), 0);
  EXPECT_IS(std::strcmp(mcapi_display_status(MCAPI_SUCCESS, text, 6), "MCAPI"), 0);
  for (mcapi_status_t each = MCAPI_SUCCESS; each < MCAPI_STATUSCODE_END; ++each)
    EXPECT_IS(std::strlen(mcapi_display_status(each, text, sizeof text)) < sizeof text - 1, true);
}

int main(int argc, char** argv) { return main_of_tests(argc, argv); }
