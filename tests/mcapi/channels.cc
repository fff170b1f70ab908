// Packet and scalar channels: every status and every rule, on threads and on processes.
#include <chrono>

#include "nodes.h"

using namespace test;

namespace {

// Both ends of a packet channel between the caller's ports 1 (send) and 2 (receive).
struct Pipe {
  mcapi_endpoint_t from{create(1)};
  mcapi_endpoint_t to{create(2)};
  mcapi_pktchan_send_hndl_t out{0};
  mcapi_pktchan_recv_hndl_t in{0};

  void open_packets() {
    mcapi_request_t request = 0;
    mcapi_request_t first = 0;
    mcapi_request_t second = 0;
    mcapi_pktchan_connect_i(from, to, &request, &status);
    EXPECT_IS(status, MCAPI_SUCCESS);
    finish(request);
    STATUS_OF(mcapi_pktchan_send_open_i(&out, from, &first, &status), MCAPI_PENDING);
    std::size_t size = 0;
    EXPECT_IS(mcapi_test(&first, &size, &status), MCAPI_FALSE);
    STATUS_OF(mcapi_pktchan_recv_open_i(&in, to, &second, &status), MCAPI_PENDING);
    finish(first);
    finish(second);
  }
  void open_scalars() {
    mcapi_request_t request = 0;
    mcapi_request_t first = 0;
    mcapi_request_t second = 0;
    mcapi_sclchan_recv_open_i(&in, to, &second, &status);  // an open may come before the connection
    EXPECT_IS(status, MCAPI_PENDING);
    mcapi_sclchan_connect_i(from, to, &request, &status);
    EXPECT_IS(status, MCAPI_SUCCESS);
    finish(request);
    mcapi_sclchan_send_open_i(&out, from, &first, &status);
    EXPECT_IS(status, MCAPI_PENDING);
    finish(first);
    finish(second);
  }
  void close_packets() {
    mcapi_request_t request = 0;
    STATUS_OF(mcapi_pktchan_send_close_i(out, &request, &status), MCAPI_SUCCESS);
    finish(request);
    STATUS_OF(mcapi_pktchan_recv_close_i(in, &request, &status), MCAPI_SUCCESS);
    finish(request);
  }
};

}  // namespace

TEST_CASE(connect_statuses) {
  run({[] {
    const mcapi_endpoint_t one = create(1);
    const mcapi_endpoint_t two = create(2);
    const mcapi_endpoint_t three = create(3);
    mcapi_request_t request = 0;
    int value = 1;
    const auto both = [&](mcapi_endpoint_t from, mcapi_endpoint_t to, mcapi_status_t wanted) {
      STATUS_OF(mcapi_pktchan_connect_i(from, to, &request, &status), wanted);
      STATUS_OF(mcapi_sclchan_connect_i(from, to, &request, &status), wanted);
    };
    both(one, one, MCAPI_ERR_ENDP_INVALID);
    both(one, 0xFFFFFFF0u, MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_pktchan_connect_i(one, two, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_sclchan_connect_i(one, two, nullptr, &status), MCAPI_ERR_PARAMETER);
    mcapi_uint_t priority = 3;
    mcapi_endpoint_set_attribute(three, MCAPI_ENDP_ATTR_PRIORITY, &priority, sizeof priority, &status);
    both(one, three, MCAPI_ERR_ATTR_INCOMPATIBLE);
    STATUS_OF(mcapi_pktchan_connect_i(one, two, &request, &status), MCAPI_SUCCESS);
    finish(request);
    both(one, two, MCAPI_ERR_CHAN_CONNECTED);
    both(three, two, MCAPI_ERR_CHAN_CONNECTED);
    STATUS_OF(mcapi_endpoint_delete(one, &status), MCAPI_ERR_CHAN_CONNECTED);
    STATUS_OF(mcapi_endpoint_set_attribute(one, MCAPI_ENDP_ATTR_PRIORITY, &priority, 4, &status),
              MCAPI_ERR_CHAN_CONNECTED);
    STATUS_OF(mcapi_msg_send(three, two, &value, 4, 0, &status), MCAPI_ERR_GENERAL);
    mcapi_uint_t flags = 0;
    mcapi_endpoint_get_attribute(two, MCAPI_ENDP_ATTR_STATUS, &flags, sizeof flags, &status);
    EXPECT_IS(flags,
              MCAPI_ENDP_ATTR_STATUS_CONNECTED | MCAPI_ENDP_ATTR_STATUS_PKTCHAN | MCAPI_ENDP_ATTR_STATUS_RECEIVE);
  }});
}

TEST_CASE(open_statuses) {
  run({[] {
    const mcapi_endpoint_t one = create(1);
    const mcapi_endpoint_t two = create(2);
    mcapi_request_t request = 0;
    mcapi_pktchan_recv_hndl_t handle = 0;
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, 0xFFFFFFF0u, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, 0xFFFFFFF0u, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, 0xFFFFFFF0u, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, 0xFFFFFFF0u, &request, &status), MCAPI_ERR_ENDP_INVALID);
    STATUS_OF(mcapi_pktchan_recv_open_i(nullptr, one, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, one, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_sclchan_recv_open_i(nullptr, one, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, one, nullptr, &status), MCAPI_ERR_PARAMETER);
    mcapi_pktchan_connect_i(one, two, &request, &status);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, one, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, two, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, one, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, two, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, one, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, one, &request, &status), MCAPI_ERR_CHAN_OPENPENDING);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, two, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, two, &request, &status), MCAPI_ERR_CHAN_OPEN);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, one, &request, &status), MCAPI_ERR_CHAN_OPEN);
    STATUS_OF(mcapi_pktchan_send_close_i(one, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, one, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
    STATUS_OF(mcapi_pktchan_connect_i(one, two, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
    STATUS_OF(mcapi_sclchan_connect_i(one, two, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
    // The same of a scalar channel.
    const mcapi_endpoint_t three = create(3);
    const mcapi_endpoint_t four = create(4);
    mcapi_sclchan_connect_i(three, four, &request, &status);
    STATUS_OF(mcapi_pktchan_send_open_i(&handle, three, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, four, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, three, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, four, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, four, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, four, &request, &status), MCAPI_ERR_CHAN_OPENPENDING);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, three, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, three, &request, &status), MCAPI_ERR_CHAN_OPEN);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, four, &request, &status), MCAPI_ERR_CHAN_OPEN);
    STATUS_OF(mcapi_sclchan_recv_close_i(four, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_recv_open_i(&handle, four, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
    // An endpoint that goes while its open is pending.
    const mcapi_endpoint_t five = create(5);
    std::size_t size = 0;
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, five, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_endpoint_delete(five, &status), MCAPI_SUCCESS);
    EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_ERR_ENDP_DELETED);
    // An open that is taken back.
    const mcapi_endpoint_t six = create(6);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handle, six, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_cancel(&request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_open_i(&handle, six, &request, &status), MCAPI_PENDING);
  }});
}

TEST_CASE(packets) {
  run({[] {
    Pipe pipe;
    pipe.open_packets();
    mcapi_request_t request = 0;
    void* buffer = nullptr;
    std::size_t size = 0;
    std::vector<char> large(MCAPI_MAX_PACKET_SIZE + 1, 'p');
    STATUS_OF(mcapi_pktchan_send(pipe.in, large.data(), 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_send(0xFFFFFFF0u, large.data(), 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_send(pipe.out, nullptr, 1, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_send(pipe.out, large.data(), large.size(), &status), MCAPI_ERR_PKT_SIZE);
    STATUS_OF(mcapi_pktchan_send_i(0xFFFFFFF0u, large.data(), 1, &request, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_send_i(pipe.out, nullptr, 1, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_send_i(pipe.out, large.data(), large.size(), &request, &status), MCAPI_ERR_PKT_SIZE);
    STATUS_OF(mcapi_pktchan_send_i(pipe.out, large.data(), 1, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_recv(pipe.out, &buffer, &size, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_recv(pipe.in, nullptr, &size, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_recv_i(pipe.out, &buffer, &request, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_recv_i(pipe.in, nullptr, &request, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_available(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_send(pipe.out, const_cast<char*>("one"), 4, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_send_i(pipe.out, const_cast<char*>("second"), 7, &request, &status), MCAPI_SUCCESS);
    EXPECT_IS(finish(request), 7);
    EXPECT_IS(mcapi_pktchan_available(pipe.in, &status), 2);
    void* first = nullptr;
    STATUS_OF(mcapi_pktchan_recv(pipe.in, &first, &size, &status), MCAPI_SUCCESS);
    EXPECT_IS(size, 4);
    STATUS_OF(mcapi_pktchan_recv_i(pipe.in, &buffer, &request, &status), MCAPI_PENDING);
    EXPECT_IS(finish(request), 7);
    EXPECT_IS(std::strcmp(static_cast<char*>(first), "one"), 0);
    EXPECT_IS(std::strcmp(static_cast<char*>(buffer), "second"), 0);
    EXPECT_IS(mcapi_pktchan_release_test(buffer, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_PENDING);
    STATUS_OF(mcapi_pktchan_release(buffer, &status), MCAPI_SUCCESS);
    EXPECT_IS(mcapi_pktchan_release_test(buffer, &status), MCAPI_TRUE);
    STATUS_OF(mcapi_pktchan_release_test(nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_release(buffer, &status), MCAPI_ERR_BUF_INVALID);
    STATUS_OF(mcapi_pktchan_release(&size, &status), MCAPI_ERR_BUF_INVALID);
    STATUS_OF(mcapi_pktchan_release(first, &status), MCAPI_SUCCESS);
    // A full channel.
    int sent = 0;
    for (; sent < 2000; ++sent) {
      mcapi_pktchan_send_i(pipe.out, large.data(), 1, &request, &status);
      if (status != MCAPI_SUCCESS) break;
      finish(request);
    }
    EXPECT_IS(status, MCAPI_ERR_MEM_LIMIT);
    EXPECT_IS(sent, MCAPI_MAX_QUEUE_ELEMENTS);
  }});
}

TEST_CASE(closing_packets) {
  run({[] {
    Pipe pipe;
    mcapi_request_t request = 0;
    void* buffer = nullptr;
    std::size_t size = 0;
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.from, &request, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.to, &request, &status), MCAPI_ERR_CHAN_INVALID);
    pipe.open_packets();
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_sclchan_send_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_sclchan_recv_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.out, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.in, nullptr, &status), MCAPI_ERR_PARAMETER);
    // The sender closes: what it sent can still be read, then nothing can come any more.
    mcapi_pktchan_send(pipe.out, const_cast<char*>("x"), 2, &status);
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.out, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_NOTOPEN);
    STATUS_OF(mcapi_pktchan_recv(pipe.in, &buffer, &size, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_recv(pipe.in, &buffer, &size, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_endpoint_delete(pipe.from, &status), MCAPI_ERR_CHAN_CONNECTED);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.in, &request, &status), MCAPI_SUCCESS);
    // Both are closed: they may be connected anew, and the other way round.
    std::swap(pipe.from, pipe.to);
    pipe.open_packets();
    // The receiver closes: what was not read is dropped, and sends fail.
    mcapi_pktchan_send(pipe.out, const_cast<char*>("x"), 2, &status);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.in, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_NOTOPEN);
    STATUS_OF(mcapi_pktchan_send(pipe.out, const_cast<char*>("x"), 2, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_pktchan_send_i(pipe.out, const_cast<char*>("x"), 2, &request, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.out, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_endpoint_delete(pipe.from, &status), MCAPI_SUCCESS);
  }});
}

TEST_CASE(scalars) {
  run({[] {
    Pipe pipe;
    pipe.open_scalars();
    mcapi_request_t request = 0;
    STATUS_OF(mcapi_sclchan_send_uint64(pipe.in, 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_send_uint32(pipe.in, 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_send_uint16(pipe.in, 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_send_uint8(pipe.in, 1, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_recv_uint64(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_recv_uint32(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_recv_uint16(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_recv_uint8(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_available(pipe.out, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_send_uint64(pipe.out, 0x123456789ABCDEF0u, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_uint32(pipe.out, 0x89ABCDEFu, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_uint16(pipe.out, 0xFEDC, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_uint8(pipe.out, 0xAB, &status), MCAPI_SUCCESS);
    EXPECT_IS(mcapi_sclchan_available(pipe.in, &status), 4);
    STATUS_OF(mcapi_sclchan_recv_uint8(pipe.in, &status), MCAPI_ERR_GENERAL);  // another width: it stays
    EXPECT_IS(mcapi_sclchan_recv_uint64(pipe.in, &status), 0x123456789ABCDEF0u);
    EXPECT_IS(mcapi_sclchan_recv_uint32(pipe.in, &status), 0x89ABCDEFu);
    EXPECT_IS(mcapi_sclchan_recv_uint16(pipe.in, &status), 0xFEDC);
    EXPECT_IS(mcapi_sclchan_recv_uint8(pipe.in, &status), 0xAB);
    EXPECT_IS(status, MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_close_i(pipe.out, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_sclchan_recv_close_i(pipe.in, nullptr, &status), MCAPI_ERR_PARAMETER);
    STATUS_OF(mcapi_sclchan_send_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_sclchan_recv_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_DIRECTION);
    STATUS_OF(mcapi_pktchan_send_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_pktchan_recv_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_TYPE);
    STATUS_OF(mcapi_sclchan_send_close_i(pipe.out, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_close_i(pipe.out, &request, &status), MCAPI_ERR_CHAN_NOTOPEN);
    STATUS_OF(mcapi_sclchan_recv_uint8(pipe.in, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_recv_close_i(pipe.in, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_recv_close_i(pipe.in, &request, &status), MCAPI_ERR_CHAN_INVALID);
    STATUS_OF(mcapi_sclchan_send_close_i(0xFFFFFFF0u, &request, &status), MCAPI_ERR_CHAN_INVALID);
  }});
}

TEST_CASE(a_channel_between_nodes_connected_by_a_third) {
  constexpr int count = 3000;
  run({[] {
         mcapi_request_t request = 0;
         mcapi_pktchan_send_hndl_t out = 0;
         mcapi_pktchan_send_open_i(&out, create(1), &request, &status);
         finish(request);
         for (int i = 0; i < count; ++i) mcapi_pktchan_send(out, &i, sizeof i, &status);  // blocks when it is full
         mcapi_pktchan_send_close_i(out, &request, &status);
         EXPECT_IS(receive(create(2)), 1);
       },
       [] {
         mcapi_request_t request = 0;
         mcapi_pktchan_recv_hndl_t in = 0;
         mcapi_pktchan_recv_open_i(&in, create(1), &request, &status);
         finish(request);
         for (int i = 0; i < count; ++i) {
           void* buffer = nullptr;
           std::size_t size = 0;
           STATUS_OF(mcapi_pktchan_recv(in, &buffer, &size, &status), MCAPI_SUCCESS);
           EXPECT_IS(*static_cast<int*>(buffer), i);
           mcapi_pktchan_release(buffer, &status);
         }
         mcapi_pktchan_recv_close_i(in, &request, &status);
         send(create(2), get(1, 2), 1);
       },
       [] {
         mcapi_request_t request = 0;
         mcapi_pktchan_connect_i(get(1, 1), get(2, 1), &request, &status);
         finish(request);
         EXPECT_IS(mcapi_endpoint_get(0, 1, 2, 5000, &status) != 0, true);
       }});
}

int main(int argc, char** argv) { return main_of_tests(argc, argv); }
