// Statuses of channels that come from limits (the endpoint's time-out, the number of requests) and from what is under
// way.
#include "nodes.h"

using namespace test;

namespace {

struct Channels {
  mcapi_pktchan_send_hndl_t packets_out{0};
  mcapi_pktchan_recv_hndl_t packets_in{0};
  mcapi_sclchan_send_hndl_t scalars_out{0};
  mcapi_sclchan_recv_hndl_t scalars_in{0};
};

mcapi_endpoint_t create_with_timeout(mcapi_port_t port, mcapi_uint_t ms) {
  const mcapi_endpoint_t made = create(port);
  STATUS_OF(mcapi_endpoint_set_attribute(made, MCAPI_ENDP_ATTR_TIMEOUT, &ms, sizeof ms, &status), MCAPI_SUCCESS);
  return made;
}

// A packet and a scalar channel from this node to itself.
Channels open_channels(mcapi_uint_t timeout_ms) {
  mcapi_endpoint_t ends[4];
  for (mcapi_port_t port = 0; port < 4; ++port) ends[port] = create_with_timeout(port + 1, timeout_ms);
  Channels made;
  mcapi_request_t requests[6] = {};
  mcapi_pktchan_connect_i(ends[0], ends[1], &requests[0], &status);
  mcapi_sclchan_connect_i(ends[2], ends[3], &requests[1], &status);
  mcapi_pktchan_send_open_i(&made.packets_out, ends[0], &requests[2], &status);
  mcapi_pktchan_recv_open_i(&made.packets_in, ends[1], &requests[3], &status);
  mcapi_sclchan_send_open_i(&made.scalars_out, ends[2], &requests[4], &status);
  mcapi_sclchan_recv_open_i(&made.scalars_in, ends[3], &requests[5], &status);
  for (mcapi_request_t request : requests) finish(request);
  return made;
}

}  // namespace

TEST_CASE(channel_calls_time_out) {
  run({[] {
    const Channels channels = open_channels(20);
    void* packet = nullptr;
    std::size_t size = 0;
    STATUS_OF(mcapi_pktchan_recv(channels.packets_in, &packet, &size, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_recv_uint64(channels.scalars_in, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_recv_uint32(channels.scalars_in, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_recv_uint16(channels.scalars_in, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_recv_uint8(channels.scalars_in, &status), MCAPI_TIMEOUT);
    char byte = 'x';
    mcapi_request_t request = 0;
    for (int i = 0; i < MCAPI_MAX_QUEUE_ELEMENTS; ++i) {
      STATUS_OF(mcapi_pktchan_send(channels.packets_out, &byte, 1, &status), MCAPI_SUCCESS);
      STATUS_OF(mcapi_sclchan_send_uint16(channels.scalars_out, 7, &status), MCAPI_SUCCESS);
    }
    STATUS_OF(mcapi_pktchan_send(channels.packets_out, &byte, 1, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_pktchan_send_i(channels.packets_out, &byte, 1, &request, &status), MCAPI_ERR_MEM_LIMIT);
    STATUS_OF(mcapi_sclchan_send_uint64(channels.scalars_out, 7, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_send_uint32(channels.scalars_out, 7, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_send_uint16(channels.scalars_out, 7, &status), MCAPI_TIMEOUT);
    STATUS_OF(mcapi_sclchan_send_uint8(channels.scalars_out, 7, &status), MCAPI_TIMEOUT);
    // The first of them has 16 bits, and stays for a receive of that width.
    STATUS_OF(mcapi_sclchan_recv_uint64(channels.scalars_in, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_sclchan_recv_uint32(channels.scalars_in, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_sclchan_recv_uint8(channels.scalars_in, &status), MCAPI_ERR_GENERAL);
    EXPECT_IS(mcapi_sclchan_recv_uint16(channels.scalars_in, &status), 7);
    STATUS_OF(mcapi_sclchan_send_uint8(channels.scalars_out, 7, &status), MCAPI_SUCCESS);
    // There is room again when something was taken.
    STATUS_OF(mcapi_pktchan_recv(channels.packets_in, &packet, &size, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_release(packet, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_send(channels.packets_out, &byte, 1, &status), MCAPI_SUCCESS);
  }});
}

TEST_CASE(channel_calls_run_out_of_requests) {
  run({[] {
    const Channels channels = open_channels(20);
    const mcapi_endpoint_t other = create(9);
    int value = 0;
    mcapi_request_t request = 0;
    mcapi_request_t one = 0;
    for (status = MCAPI_PENDING; status == MCAPI_PENDING;) {
      mcapi_msg_recv_i(other, &value, sizeof value, &request, &status);
      if (status == MCAPI_PENDING) one = request;
    }
    EXPECT_IS(status, MCAPI_ERR_REQUEST_LIMIT);
    char byte = 'x';
    void* packet = nullptr;
    STATUS_OF(mcapi_pktchan_send_i(channels.packets_out, &byte, 1, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_recv_i(channels.packets_in, &packet, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_send_close_i(channels.packets_out, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_pktchan_recv_close_i(channels.packets_in, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_sclchan_send_close_i(channels.scalars_out, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    STATUS_OF(mcapi_sclchan_recv_close_i(channels.scalars_in, &request, &status), MCAPI_ERR_REQUEST_LIMIT);
    // The channels are as they were: with one request more, a close goes through.
    STATUS_OF(mcapi_cancel(&one, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_send_close_i(channels.packets_out, &request, &status), MCAPI_SUCCESS);
  }});
}

TEST_CASE(opens_under_way) {
  run({[] {
    mcapi_request_t request = 0;
    Channels handles;
    const mcapi_endpoint_t in = create(1);
    const mcapi_endpoint_t out = create(2);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handles.packets_in, in, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handles.packets_in, in, &request, &status), MCAPI_ERR_CHAN_OPENPENDING);
    STATUS_OF(mcapi_sclchan_send_open_i(&handles.scalars_out, out, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_sclchan_send_open_i(&handles.scalars_out, out, &request, &status), MCAPI_ERR_CHAN_OPENPENDING);
  }});
}

TEST_CASE(closes_under_way) {
  run({[] {
    const Channels channels = open_channels(20);
    mcapi_request_t request = 0;
    Channels handles;
    mcapi_endpoint_t second = mcapi_endpoint_get(0, 1, 2, 0, &status);
    mcapi_endpoint_t third = mcapi_endpoint_get(0, 1, 3, 0, &status);
    STATUS_OF(mcapi_pktchan_recv_close_i(channels.packets_in, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handles.packets_in, second, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
    STATUS_OF(mcapi_sclchan_send_close_i(channels.scalars_out, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_open_i(&handles.scalars_out, third, &request, &status), MCAPI_ERR_CHAN_CLOSEPENDING);
  }});
}

TEST_CASE(a_scalar_channel_is_closed_once) {
  run({[] {
    const Channels channels = open_channels(20);
    mcapi_request_t request = 0;
    STATUS_OF(mcapi_sclchan_recv_close_i(channels.scalars_in, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_recv_close_i(channels.scalars_in, &request, &status), MCAPI_ERR_CHAN_NOTOPEN);
  }});
}

TEST_CASE(scalars_without_their_other_end) {
  run({[] {
    mcapi_request_t request = 0;
    Channels channels = open_channels(20);
    STATUS_OF(mcapi_sclchan_send_uint8(channels.scalars_out, 7, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_close_i(channels.scalars_out, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_recv_uint16(channels.scalars_in, &status), MCAPI_ERR_GENERAL);
    EXPECT_IS(mcapi_sclchan_recv_uint8(channels.scalars_in, &status), 7);
    STATUS_OF(mcapi_sclchan_recv_uint64(channels.scalars_in, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_recv_uint32(channels.scalars_in, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_recv_uint16(channels.scalars_in, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_recv_uint8(channels.scalars_in, &status), MCAPI_ERR_TRANSMISSION);
  }});
  run({[] {
    mcapi_request_t request = 0;
    const Channels channels = open_channels(20);
    STATUS_OF(mcapi_sclchan_recv_close_i(channels.scalars_in, &request, &status), MCAPI_SUCCESS);
    STATUS_OF(mcapi_sclchan_send_uint64(channels.scalars_out, 7, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_send_uint32(channels.scalars_out, 7, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_send_uint16(channels.scalars_out, 7, &status), MCAPI_ERR_TRANSMISSION);
    STATUS_OF(mcapi_sclchan_send_uint8(channels.scalars_out, 7, &status), MCAPI_ERR_TRANSMISSION);
  }});
}

TEST_CASE(messages_and_channels_do_not_mix) {
  run({[] {
    mcapi_request_t request = 0;
    std::size_t size = 0;
    int value = 7;
    Channels handles;
    const mcapi_endpoint_t channel = create(1);
    const mcapi_endpoint_t plain = create(2);
    STATUS_OF(mcapi_pktchan_recv_open_i(&handles.packets_in, channel, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_msg_send(plain, channel, &value, 4, 0, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_msg_send_i(plain, channel, &value, 4, 0, &request, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_msg_recv(channel, &value, 4, &size, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_msg_recv_i(channel, &value, 4, &request, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_sclchan_connect_i(plain, channel, &request, &status), MCAPI_ERR_GENERAL);
    STATUS_OF(mcapi_pktchan_connect_i(channel, plain, &request, &status), MCAPI_ERR_GENERAL);
  }});
}

TEST_CASE(endpoints_that_go_while_an_open_is_pending) {
  run({[] {
    const auto deleted = [](mcapi_endpoint_t endpoint, mcapi_request_t request) {
      std::size_t size = 0;
      EXPECT_IS(status, MCAPI_PENDING);
      STATUS_OF(mcapi_endpoint_delete(endpoint, &status), MCAPI_SUCCESS);
      EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
      EXPECT_IS(status, MCAPI_ERR_ENDP_DELETED);
    };
    mcapi_request_t request = 0;
    Channels handles;
    const mcapi_endpoint_t one = create(1);
    mcapi_pktchan_send_open_i(&handles.packets_out, one, &request, &status);
    deleted(one, request);
    const mcapi_endpoint_t two = create(2);
    mcapi_sclchan_recv_open_i(&handles.scalars_in, two, &request, &status);
    deleted(two, request);
    const mcapi_endpoint_t three = create(3);
    mcapi_sclchan_send_open_i(&handles.scalars_out, three, &request, &status);
    deleted(three, request);
  }});
}

TEST_CASE(what_failed_is_told_by_every_way_to_ask) {
  run({[] {
    const mcapi_endpoint_t mine = create(9);
    for (const char way : {'t', 'w', 'a'}) {
      const auto ask = [way](mcapi_request_t request, mcapi_status_t wanted) {
        std::size_t size = 0;
        if (way == 't') EXPECT_IS(mcapi_test(&request, &size, &status), MCAPI_FALSE);
        if (way == 'w') EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
        if (way == 'a') EXPECT_IS(mcapi_wait_any(1, &request, &size, MCAPI_TIMEOUT_INFINITE, &status), 0);
        EXPECT_IS(status, wanted);
      };
      mcapi_request_t request = 0;
      mcapi_request_t closing = 0;
      char small = 0;
      STATUS_OF(mcapi_msg_recv_i(mine, &small, sizeof small, &request, &status), MCAPI_PENDING);
      send(mine, mine, 77);
      ask(request, MCAPI_ERR_MSG_TRUNCATED);
      Channels handles;
      const mcapi_endpoint_t gone = create(10);
      STATUS_OF(mcapi_pktchan_recv_open_i(&handles.packets_in, gone, &request, &status), MCAPI_PENDING);
      STATUS_OF(mcapi_endpoint_delete(gone, &status), MCAPI_SUCCESS);
      ask(request, MCAPI_ERR_ENDP_DELETED);
      const mcapi_endpoint_t from = create(11);
      const mcapi_endpoint_t to = create(12);
      mcapi_request_t opening[3] = {};
      void* packet = nullptr;
      mcapi_pktchan_connect_i(from, to, &opening[0], &status);
      mcapi_pktchan_send_open_i(&handles.packets_out, from, &opening[1], &status);
      mcapi_pktchan_recv_open_i(&handles.packets_in, to, &opening[2], &status);
      for (mcapi_request_t each : opening) finish(each);
      STATUS_OF(mcapi_pktchan_recv_i(handles.packets_in, &packet, &request, &status), MCAPI_PENDING);
      STATUS_OF(mcapi_pktchan_send_close_i(handles.packets_out, &closing, &status), MCAPI_SUCCESS);
      ask(request, MCAPI_ERR_TRANSMISSION);
      STATUS_OF(mcapi_pktchan_recv_close_i(handles.packets_in, &closing, &status), MCAPI_SUCCESS);
      STATUS_OF(mcapi_endpoint_delete(from, &status), MCAPI_SUCCESS);
      STATUS_OF(mcapi_endpoint_delete(to, &status), MCAPI_SUCCESS);
    }
  }});
}

TEST_CASE(receives_that_were_posted_end_with_their_own_status) {
  run({[] {
    const Channels channels = open_channels(20);
    mcapi_request_t request = 0;
    mcapi_request_t closing = 0;
    void* packet = nullptr;
    std::size_t size = 0;
    STATUS_OF(mcapi_pktchan_recv_i(channels.packets_in, &packet, &request, &status), MCAPI_PENDING);
    STATUS_OF(mcapi_pktchan_send_close_i(channels.packets_out, &closing, &status), MCAPI_SUCCESS);
    EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_ERR_TRANSMISSION);
    const mcapi_endpoint_t mine = create(9);
    char small = 0;
    STATUS_OF(mcapi_msg_recv_i(mine, &small, sizeof small, &request, &status), MCAPI_PENDING);
    send(mine, mine, 77);
    EXPECT_IS(mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status), MCAPI_FALSE);
    EXPECT_IS(status, MCAPI_ERR_MSG_TRUNCATED);
  }});
}

int main(int argc, char** argv) { return main_of_tests(argc, argv); }
