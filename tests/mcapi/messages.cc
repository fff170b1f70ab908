// Messages and requests: every status and every rule, on threads and on processes.
#include <chrono>

#include "nodes.h"

using namespace test;

namespace {

void rest_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

TEST_CASE(send_and_receive_statuses) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 5;
    std::size_t size = 0;
    mcapi_request_t request = 0;
    std::vector<char> large(MCAPI_MAX_MESSAGE_SIZE + 1);
    STATUS_OF(mcapi_msg_send(0xFFFFFFF0u, mine, &value, 4, 0, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_send(mine, 0xFFFFFFF0u, &value, 4, 0, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_send(mine, mine, large.data(), large.size(), 0, &status), MCAPI_ERR_MSG_SIZE);
    STATUS_OF(mcapi_msg_send(mine, mine, &value, 4, MCAPI_MIN_PRORITY + 1, &status), MCAPI_ERR_PRIORITY);
    STATUS_OF(mcapi_msg_send(mine, mine, nullptr, 4, 0, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_send_i(0xFFFFFFF0u, mine, &value, 4, 0, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_send_i(mine, 0xFFFFFFF0u, &value, 4, 0, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_send_i(mine, mine, large.data(), large.size(), 0, &request, &status), MCAPI_ERR_MSG_SIZE);
    STATUS_OF(mcapi_msg_send_i(mine, mine, &value, 4, 9, &request, &status), MCAPI_ERR_PRIORITY);
    STATUS_OF(mcapi_msg_send_i(mine, mine, nullptr, 4, 0, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_send_i(mine, mine, &value, 4, 0, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_recv(0xFFFFFFF0u, &value, 4, &size, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_recv(mine, nullptr, 4, &size, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_recv(mine, &value, 4, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_recv_i(0xFFFFFFF0u, &value, 4, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_msg_recv_i(mine, nullptr, 4, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_recv_i(mine, &value, 4, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_msg_available(0xFFFFFFF0u, &status), MCAPI_ERR_ENDP_INVALID);
    // Nothing at all may be sent, and arrives.
    STATUS_OF(mcapi_msg_send(mine, mine, nullptr, 0, 0, &status), MCAPI_SUCCESS);
    size = 9;
    STATUS_OF(mcapi_msg_recv(mine, nullptr, 0, &size, &status), MCAPI_SUCCESS);
    EXPECT_IS(size, 0);
    // The largest message.
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31);
    STATUS_OF(mcapi_msg_send(mine, mine, large.data(), MCAPI_MAX_MESSAGE_SIZE, 0, &status), MCAPI_SUCCESS);
    std::vector<char> back(MCAPI_MAX_MESSAGE_SIZE);
    STATUS_OF(mcapi_msg_recv(mine, back.data(), back.size(), &size, &status), MCAPI_SUCCESS);
    EXPECT_IS(size, back.size());
    EXPECT_IS(std::memcmp(back.data(), large.data(), back.size()), 0);
  }});
}

TEST_CASE(every_size_arrives_whole) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    for (std::size_t size : {1u, 223u, 224u, 225u, 471u, 472u, 473u, 1000u, 5000u, 65535u}) {
      std::string text(size, 'x');
      for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + size);
      mcapi_msg_send(mine, mine, text.data(), size, 0, &status);
      std::string back(size, '\0');
      std::size_t got = 0;
      mcapi_msg_recv(mine, back.data(), size, &got, &status);
      EXPECT_IS(got, size);
      EXPECT_IS(back == text, true);
    }
  }});
}

TEST_CASE(a_truncated_message_is_consumed) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    char buffer[4] = "zzz";
    std::size_t size = 0;
    STATUS_OF(mcapi_msg_send(mine, mine, const_cast<char*>("abcdef"), 6, 0, &status), MCAPI_SUCCESS);
    send(mine, mine, 3);
    STATUS_OF(mcapi_msg_recv(mine, buffer, 2, &size, &status), MCAPI_ERR_MSG_TRUNCATED);
    EXPECT_IS(size, 2);
    EXPECT_IS(std::memcmp(buffer, "abz", 3), 0);
    EXPECT_IS(receive(mine), 3);
    // By a request.
    mcapi_request_t request = 0;
    STATUS_OF(mcapi_msg_recv_i(mine, buffer, 2, &request, &status), MCAPI_PENDING);
    send(mine, mine, 4);
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_ERR_MSG_TRUNCATED);
    EXPECT_IS(mcapi_wait(&request, &size, 0, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_ERR_MSG_TRUNCATED);
  }});
}

TEST_CASE(a_truncated_message_may_be_kept) {
  setenv("MCAPI_TRUNCATED", "keep", 1);
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    char buffer[4];
    std::size_t size = 0;
    send(mine, mine, 3);
    STATUS_OF(mcapi_msg_recv(mine, buffer, 2, &size, &status), MCAPI_ERR_MSG_TRUNCATED);
    EXPECT_IS(receive(mine), 3);
  }});
}

TEST_CASE(order_is_first_in_first_out_per_priority) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    send(mine, mine, 70, 7);
    send(mine, mine, 30, 3);
    send(mine, mine, 31, 3);
    send(mine, mine, 0, 0);
    send(mine, mine, 71, 7);
    EXPECT_IS(mcapi_msg_available(mine, &status), 5);
    for (const int expected : {0, 30, 31, 70, 71}) EXPECT_IS(receive(mine), expected);
    EXPECT_IS(mcapi_msg_available(mine, &status), 0);
  }});
}

TEST_CASE(messages_of_one_sender_do_not_overtake) {
  constexpr int count = 5000;
  const Role sender = [] {
    const mcapi_endpoint_t mine = create(1);
    const mcapi_endpoint_t to = get(3, 1);
    for (int i = 0; i < count; ++i) send(mine, to, static_cast<int>(mcapi_node_id_get(&status)) * count + i);
    create(2);
    receive(get(mcapi_node_id_get(&status), 2));
  };
  run({sender, sender, [] {
         const mcapi_endpoint_t mine = create(1);
         int next[3] = {0, 0, 0};
         for (int i = 0; i < 2 * count; ++i) {
           const int value = receive(mine);
           EXPECT_IS(value % count, next[value / count - 1 < 2 ? value / count - 1 : 0]++);
         }
         send(mine, get(1, 2), 0);
         send(mine, get(2, 2), 0);
       }});
}

TEST_CASE(a_full_queue) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 0;
    mcapi_request_t request = 0;
    for (int i = 0; i < MCAPI_MAX_QUEUE_ELEMENTS; ++i) send(mine, mine, i);
    STATUS_OF(mcapi_msg_send_i(mine, mine, &value, 4, 0, &request, &status), MCAPI_ERR_MEM_LIMIT);
    mcapi_uint_t ms = 20;
    mcapi_endpoint_set_attribute(mine, MCAPI_ENDP_ATTR_TIMEOUT, &ms, sizeof ms, &status);
    STATUS_OF(mcapi_msg_send(mine, mine, &value, 4, 0, &status), MCAPI_TIMEOUT);
    ms = MCAPI_TIMEOUT_INFINITE;
    mcapi_endpoint_set_attribute(mine, MCAPI_ENDP_ATTR_TIMEOUT, &ms, sizeof ms, &status);
    std::thread blocked([&] { send(mine, mine, 4242); });  // blocks until there is room
    rest_ms(20);
    EXPECT_IS(mcapi_msg_available(mine, &status), MCAPI_MAX_QUEUE_ELEMENTS);
    for (int i = 0; i < MCAPI_MAX_QUEUE_ELEMENTS; ++i) EXPECT_IS(receive(mine), i);
    blocked.join();
    EXPECT_IS(receive(mine), 4242);
    // The pool itself runs out: 64 KiB each.
    std::vector<char> large(MCAPI_MAX_MESSAGE_SIZE);
    int sent = 0;
    for (;; ++sent) {
      mcapi_msg_send_i(mine, mine, large.data(), large.size(), 0, &request, &status);
      if (status != MCAPI_SUCCESS) break;
      finish(request);
    }
    EXPECT_IS(status, MCAPI_ERR_MEM_LIMIT);
    EXPECT_IS(sent > 100, true);
    std::size_t size = 0;
    for (int i = 0; i < sent; ++i) mcapi_msg_recv(mine, large.data(), large.size(), &size, &status);
    send(mine, mine, 1);  // and comes back
  }});
}

// ---- requests ----

TEST_CASE(request_statuses) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 0;
    std::size_t size = 0;
    mcapi_request_t request = 0x12345678;
    STATUS_OF(mcapi_test(&request, &size, &status), MCAPI_ERR_REQUEST_INVALID);
    STATUS_OF(mcapi_test(nullptr, &size, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_test(&request, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_wait(&request, &size, 0, &status), MCAPI_ERR_REQUEST_INVALID);
    STATUS_OF(mcapi_wait(nullptr, &size, 0, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_wait(&request, nullptr, 0, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_cancel(&request, &status), MCAPI_ERR_REQUEST_INVALID);
    STATUS_OF(mcapi_cancel(nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_wait_any(0, &request, &size, 0, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_wait_any(1, nullptr, &size, 0, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_wait_any(1, &request, nullptr, 0, &status), MCAPI_ERR_PARAMETER);
    EXPECT_IS(mcapi_wait_any(1, &request, &size, 0, &status), 0);
    EXPECT_IS(status, MCAPI_ERR_REQUEST_INVALID);
    // A send is complete at once; test leaves it alive, wait ends it.
    STATUS_OF(mcapi_msg_send_i(mine, mine, &value, 4, 0, &request, &status), MCAPI_SUCCESS);
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_TRUE);
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_TRUE);
    EXPECT_IS(size, 4);
    STATUS_OF(mcapi_cancel(&request, &status), MCAPI_ERR_REQUEST_INVALID);  // it is finished
    EXPECT_IS(finish(request), 4);
    STATUS_OF(mcapi_test(&request, &size, &status), MCAPI_ERR_REQUEST_INVALID);
    receive(mine);
    // A receive that is pending: test, a wait that times out, and then the message.
    STATUS_OF(mcapi_msg_recv_i(mine, &value, 4, &request, &status), MCAPI_PENDING);
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_PENDING);
    EXPECT_IS(mcapi_wait(&request, &size, 0, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_TIMEOUT);
    EXPECT_IS(mcapi_wait(&request, &size, 20, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_TIMEOUT);
    send(mine, mine, 77);
    EXPECT_IS(finish(request), 4);
    EXPECT_IS(value, 77);
  }});
}

TEST_CASE(receives_complete_in_the_order_they_were_posted) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int a = 0;
    int b = 0;
    mcapi_request_t first = 0;
    mcapi_request_t second = 0;
    mcapi_msg_recv_i(mine, &a, 4, &first, &status);
    mcapi_msg_recv_i(mine, &b, 4, &second, &status);
    send(mine, mine, 1);
    send(mine, mine, 2);
    send(mine, mine, 3);
    EXPECT_IS(receive(mine), 3);  // a blocking receive does not overtake
    finish(second);
    finish(first);
    EXPECT_IS(a, 1);
    EXPECT_IS(b, 2);
    // What a cancelled receive would have got goes to the next one.
    mcapi_msg_recv_i(mine, &a, 4, &first, &status);
    STATUS_OF(mcapi_cancel(&first, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_cancel(&first, &status), MCAPI_ERR_REQUEST_INVALID);
    std::size_t size = 0;
    STATUS_OF(mcapi_test(&first, &size, &status), MCAPI_ERR_REQUEST_INVALID);
    send(mine, mine, 9);
    EXPECT_IS(receive(mine), 9);
  }});
}

TEST_CASE(wait_any_finds_one) {
  run({[] {
    const mcapi_endpoint_t one = create(1);
    const mcapi_endpoint_t two = create(2);
    int values[2] = {0, 0};
    std::size_t size = 0;
    mcapi_request_t requests[2];
    mcapi_msg_recv_i(one, &values[0], 4, &requests[0], &status);
    mcapi_msg_recv_i(two, &values[1], 4, &requests[1], &status);
    EXPECT_IS(mcapi_wait_any(2, requests, &size, 10, &status), MCAPI_RETURN_VALUE_INVALID);
    EXPECT_IS(status, MCAPI_TIMEOUT);
    std::thread other([&] {
      rest_ms(20);
      send(one, two, 5);
    });
    EXPECT_IS(mcapi_wait_any(2, requests, &size, MCAPI_TIMEOUT_INFINITE, &status), 1);
    EXPECT_IS(status, MCAPI_SUCCESS);
    EXPECT_IS(size, 4);
    EXPECT_IS(values[1], 5);
    other.join();
    EXPECT_IS(mcapi_wait_any(2, requests, &size, 0, &status), 1);  // released
    EXPECT_IS(status, MCAPI_ERR_REQUEST_INVALID);
    mcapi_request_t* pointers[1] = {&requests[0]};
    send(two, one, 6);
    EXPECT_IS(mcapi_wait_any_pointers(1, pointers, &size, 0, &status), 0);
    EXPECT_IS(status, MCAPI_SUCCESS);
    EXPECT_IS(values[0], 6);
  }});
}

TEST_CASE(cancel_wakes_and_only_one_may_wait) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 0;
    mcapi_request_t request = 0;
    mcapi_msg_recv_i(mine, &value, 4, &request, &status);
    std::thread waiting([&] {
      std::size_t size = 0;
      EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
      EXPECT_IS(status, MCAPI_ERR_REQUEST_CANCELLED);
    });
    rest_ms(50);
    std::size_t size = 0;
    STATUS_OF(mcapi_wait(&request, &size, 10, &status), MCAPI_ERR_WAIT_PENDING);
    STATUS_OF(mcapi_wait_any(1, &request, &size, 10, &status), MCAPI_ERR_WAIT_PENDING);
    STATUS_OF(mcapi_cancel(&request, &status), MCAPI_SUCCESS);
    waiting.join();
    STATUS_OF(mcapi_wait(&request, &size, 0, &status), MCAPI_ERR_REQUEST_INVALID);
    mcapi_msg_recv_i(mine, &value, 4, &request, &status);
    std::thread waiting_any([&] {
      std::size_t ignored = 0;
      EXPECT_IS(mcapi_wait_any(1, &request, &ignored, MCAPI_TIMEOUT_INFINITE, &status), 0);
      EXPECT_IS(status, MCAPI_ERR_REQUEST_CANCELLED);
    });
    rest_ms(50);
    STATUS_OF(mcapi_cancel(&request, &status), MCAPI_SUCCESS);
    waiting_any.join();
  }});
}

TEST_CASE(requests_run_out) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 0;
    void* packet = nullptr;
    mcapi_request_t request = 0;
    mcapi_request_t first = 0;
    mcapi_endpoint_t found = 0;
    std::size_t size = 0;
    mcapi_msg_recv_i(mine, &value, 4, &first, &status);
    for (int i = 1; i < MCAPI_MAX_REQUESTS; ++i) mcapi_endpoint_get_i(0, 2, 1, &found, &request, &status);
    EXPECT_IS(status, MCAPI_PENDING);
    STATUS_OF(mcapi_msg_recv_i(mine, &value, 4, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_msg_send_i(mine, mine, &value, 4, 0, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_endpoint_get_i(0, 1, 1, &found, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_connect_i(mine, create(2), &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_sclchan_connect_i(mine, create(3), &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_recv_open_i(&found, mine, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_send_open_i(&found, mine, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_sclchan_recv_open_i(&found, mine, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_sclchan_send_open_i(&found, mine, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    send(mine, mine, 1);
    mcapi_wait(&first, &size, 0, &status);
    STATUS_OF(mcapi_msg_recv_i(mine, &value, 4, &request, &status), MCAPI_PENDING);
    static_cast<void>(packet);
  }});
}

TEST_CASE(a_request_belongs_to_its_node) {
  static mcapi_request_t shared = 0;
  run({[] {
         int value = 0;
         mcapi_msg_recv_i(create(1), &value, 4, &shared, &status);
         EXPECT_IS(receive(create(2)), 1);
       },
       [] {
         const mcapi_endpoint_t done = get(1, 2);
         std::size_t size = 0;
         mcapi_request_t theirs = as_processes ? 0x10000 : shared;
         STATUS_OF(mcapi_test(&theirs, &size, &status), MCAPI_ERR_REQUEST_INVALID);
         send(create(1), done, 1);
       }});
}

TEST_CASE(switches_for_programs_that_expect_otherwise) {
  setenv("MCAPI_PENDING", "success", 1);
  setenv("MCAPI_TEST", "release", 1);
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    int value = 0;
    std::size_t size = 0;
    mcapi_request_t request = 0;
    STATUS_OF(mcapi_msg_recv_i(mine, &value, 4, &request, &status), MCAPI_SUCCESS);
    send(mine, mine, 1);
    EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_TRUE);
    STATUS_OF(mcapi_test(&request, &size, &status), MCAPI_ERR_REQUEST_INVALID);
  }});
}

TEST_CASE(finalize_drops_what_is_pending_and_wakes_who_waits) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    send(mine, mine, 1);
    std::thread waiting([&] {
      const mcapi_endpoint_t other = create(2);
      int value = 0;
      std::size_t size = 0;
      mcapi_msg_recv(other, &value, 4, &size, &status);
      EXPECT_IS(status, MCAPI_ERR_NODE_NOTINIT);
    });
    rest_ms(30);
    mcapi_finalize(&status);
    waiting.join();
    mcapi_info_t info{};
    mcapi_initialize(0, 1, nullptr, nullptr, &info, &status);
    EXPECT_IS(mcapi_msg_available(create(1), &status), 0);
  }});
}

TEST_CASE(a_reference_may_be_sent_as_data) {
  run({[] {
         const mcapi_endpoint_t asking = create(7);
         send(create(1), get(2, 1), static_cast<int>(asking));
         EXPECT_IS(receive(asking), 8);
       },
       [] {
         const mcapi_endpoint_t mine = create(1);
         send(mine, static_cast<mcapi_endpoint_t>(receive(mine)), 8);
       }});
}

TEST_CASE(an_endpoint_that_is_deleted_takes_its_messages_along) {
  run({[] {
    const mcapi_endpoint_t mine = create(1);
    const mcapi_endpoint_t old = create(2);
    send(mine, old, 5);
    EXPECT_IS(mcapi_msg_available(old, &status), 1);
    EXPECT_IS(mcapi_msg_available(old, &status), 1);  // it takes nothing
    STATUS_OF(mcapi_endpoint_delete(old, &status), MCAPI_SUCCESS);
    const mcapi_endpoint_t again = create(2);
    EXPECT_IS(mcapi_msg_available(again, &status), 0);
    send(mine, again, 6);
    EXPECT_IS(receive(again), 6);
  }});
}

TEST_CASE(a_port_is_of_its_node_and_a_node_of_its_domain) {
  const pid_t elsewhere = fork();
  if (elsewhere == 0) {
    mcapi_info_t info{};
    mcapi_initialize(1, 1, nullptr, nullptr, &info, &status);  // node 1 again, in another domain
    EXPECT_IS(receive(create(1)), 1);
    mcapi_finalize(&status);
    std::_Exit(failures == 0 ? 0 : 1);
  }
  run({[] {
         const mcapi_endpoint_t mine = create(1);
         const mcapi_endpoint_t far = mcapi_endpoint_get(1, 1, 1, MCAPI_TIMEOUT_INFINITE, &status);
         EXPECT_IS(far != mine, true);
         EXPECT_IS(get(2, 1) != mine, true);
         send(mine, far, 1);
         send(mine, get(2, 1), 2);
       },
       [] { EXPECT_IS(receive(create(1)), 2); }});
  int ended = 0;
  waitpid(elsewhere, &ended, 0);
  EXPECT_IS(ended, 0);
}

int main(int argc, char** argv) { return main_of_tests(argc, argv); }
