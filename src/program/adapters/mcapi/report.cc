#include "program/adapters/mcapi/report.h"

#include <dlfcn.h>

#include <cstdio>

#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

const char* name_of(Asked asked) {
  switch (asked) {
    case Asked::send:
      return "send";
    case Asked::receive:
      return "msg_recv_i";
    case Asked::packet:
      return "pktchan_recv_i";
    case Asked::endpoint:
      return "endpoint_get_i";
    case Asked::connect:
      return "connect_i";
    case Asked::open:
      return "open_i";
    case Asked::close:
      return "close_i";
  }
  return "?";
}

std::string place_of(const void* caller) {
  Dl_info info{};
  if (caller == nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return "an unknown place";
  char text[400];
  const auto offset = static_cast<const char*>(caller) - static_cast<const char*>(info.dli_fbase);
  std::snprintf(text, sizeof text, "%s(+0x%lx)", info.dli_fname, static_cast<unsigned long>(offset));
  return text;
}

}  // namespace

void report(const Node& node) {
  std::string text;
  const auto say = [&](const std::string& what) {
    text += "mcapi: node " + std::to_string(node.id >> 12) + "/" + std::to_string(node.id & 0xFFF) + ": " + what + "\n";
  };
  for (const Request& request : node.requests) {
    if (!request.used) continue;
    say(std::string(name_of(request.asked)) + " of " + place_of(request.caller) +
        (request.done ? " is complete and was never waited for" : " is still pending"));
  }
  Segment& shared = segment();
  for (Index index = 0; index < shared.header().endpoints_used.load(); ++index) {
    const Endpoint& endpoint = shared.endpoint(index);
    if (endpoint.state.load() != State::live || endpoint.node != node.slot) continue;
    std::size_t left = count_of(endpoint);
    if (const auto inbox = node.inboxes.find(index); inbox != node.inboxes.end()) left += inbox->second.stash.size();
    if (left == 0) continue;
    say("port " + std::to_string(endpoint.handle.load() & 0xFFFF) + ": " + std::to_string(left) +
        " messages were never received");
  }
  if (!node.buffers.empty()) say(std::to_string(node.buffers.size()) + " packet buffers were never released");
  if (!text.empty()) std::fputs(text.c_str(), stderr);
}

}  // namespace reprise::mcapi
