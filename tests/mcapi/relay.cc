// Three nodes, as processes, with channels: 1 sends packets to 2, which sends what it makes of them on to 3 as scalars.
//
//   relay
//
// Node 3 connects both channels. It also gets a message from each of the others, in whatever order they come; if there
// is a file named `slow` that holds a node's number, that node rests before it sends its own. Each node prints what it
// got, as one line.
#include <mcapi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "forked.h"

namespace {

using forked::check;
using forked::status;

constexpr unsigned packets = 8;
mcapi_request_t request = 0;
std::size_t size = 0;

void finish(const char* what) {
  check(what);
  mcapi_wait(&request, &size, MCAPI_TIMEOUT_INFINITE, &status);
  check(what);
}

mcapi_endpoint_t get(mcapi_node_t node, mcapi_port_t port) {
  const mcapi_endpoint_t found = mcapi_endpoint_get(0, node, port, MCAPI_TIMEOUT_INFINITE, &status);
  check("get");
  return found;
}

void greet(mcapi_node_t self, mcapi_endpoint_t from) {
  std::ifstream file("slow");
  unsigned slow = 0;
  if (file >> slow && slow == self) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mcapi_msg_send(from, get(3, 1), &self, sizeof self, 0, &status);
  check("greet");
}

std::string run_source() {
  const mcapi_endpoint_t out = mcapi_endpoint_create(2, &status);
  const mcapi_endpoint_t other = mcapi_endpoint_create(1, &status);
  mcapi_pktchan_send_hndl_t channel = 0;
  mcapi_pktchan_send_open_i(&channel, out, &request, &status);
  finish("open");
  for (unsigned i = 0; i < packets; ++i) {
    char text[16];
    std::snprintf(text, sizeof text, "packet %u", i);
    if (i % 2 == 0) {
      mcapi_pktchan_send(channel, text, std::strlen(text), &status);
      check("send");
    } else {
      mcapi_pktchan_send_i(channel, text, std::strlen(text), &request, &status);
      finish("send_i");
    }
  }
  greet(1, other);
  mcapi_pktchan_send_close_i(channel, &request, &status);
  finish("close");
  return " sent";
}

// One packet, by one of the two ways to receive it.
std::string take_packet(mcapi_pktchan_recv_hndl_t channel, bool blocking) {
  void* buffer = nullptr;
  if (blocking) {
    mcapi_pktchan_recv(channel, &buffer, &size, &status);
    check("recv");
  } else {
    mcapi_pktchan_recv_i(channel, &buffer, &request, &status);
    finish("recv_i");
  }
  std::string text(static_cast<const char*>(buffer), size);
  mcapi_pktchan_release(buffer, &status);
  check("release");
  return text;
}

std::string run_middle() {
  const mcapi_endpoint_t in = mcapi_endpoint_create(2, &status);
  const mcapi_endpoint_t out = mcapi_endpoint_create(3, &status);
  const mcapi_endpoint_t other = mcapi_endpoint_create(1, &status);
  mcapi_pktchan_recv_hndl_t source = 0;
  mcapi_sclchan_send_hndl_t sink = 0;
  mcapi_pktchan_recv_open_i(&source, in, &request, &status);
  finish("open");
  mcapi_sclchan_send_open_i(&sink, out, &request, &status);
  finish("open");
  std::string line = " available=" + std::to_string(mcapi_pktchan_available(source, &status));
  for (unsigned i = 0; i < packets; ++i) {
    const std::string text = take_packet(source, i % 3 == 0);
    line += " " + text.substr(7);
    mcapi_sclchan_send_uint32(sink, static_cast<mcapi_uint32_t>(text.back()), &status);
    check("send_uint32");
  }
  greet(2, other);
  mcapi_pktchan_recv_close_i(source, &request, &status);
  finish("close");
  mcapi_sclchan_send_close_i(sink, &request, &status);
  finish("close");
  return line;
}

std::string run_sink() {
  const mcapi_endpoint_t in = mcapi_endpoint_create(3, &status);
  const mcapi_endpoint_t inbox = mcapi_endpoint_create(1, &status);
  mcapi_pktchan_connect_i(get(1, 2), get(2, 2), &request, &status);
  finish("connect");
  mcapi_sclchan_connect_i(get(2, 3), in, &request, &status);
  finish("connect");
  mcapi_sclchan_recv_hndl_t channel = 0;
  mcapi_sclchan_recv_open_i(&channel, in, &request, &status);
  finish("open");
  std::string line;
  for (unsigned i = 0; i < packets; ++i) {
    line += " " + std::to_string(mcapi_sclchan_recv_uint32(channel, &status));
    check("recv_uint32");
  }
  for (int i = 0; i < 2; ++i) {
    mcapi_node_t from = 0;
    mcapi_msg_recv(inbox, &from, sizeof from, &size, &status);
    check("msg_recv");
    line += " from " + std::to_string(from);
  }
  mcapi_sclchan_recv_close_i(channel, &request, &status);
  finish("close");
  return line;
}

void run_node(mcapi_node_t self) {
  mcapi_info_t info;
  mcapi_initialize(0, self, nullptr, nullptr, &info, &status);
  check("initialize");
  std::string line = "node " + std::to_string(self) + ":";
  line += self == 1 ? run_source() : self == 2 ? run_middle() : run_sink();
  line += '\n';
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
  mcapi_finalize(&status);
  check("finalize");
}

}  // namespace

int main() { return forked::run(3, run_node); }
