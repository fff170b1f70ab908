#include "program/adapters/mcapi/report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

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

// What addr2line says of a place, if it is installed and the file has lines.
std::string line_of(const char* file, unsigned long offset) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  char where[32];
  std::snprintf(where, sizeof where, "0x%lx", offset);
  char* const words[] = {const_cast<char*>("addr2line"), const_cast<char*>("-e"), const_cast<char*>(file), where,
                         nullptr};
  char* const variables[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, words[0], &actions, nullptr, words, variables) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[400];
  ssize_t size = 0;
  if (started) {
    size = ::read(ends[0], text, sizeof text);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  const std::string line(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  return line.find('?') == std::string::npos ? line.substr(0, line.find_first_of(" \n")) : std::string();
}

std::string place_of(const void* caller) {
  Dl_info info{};
  if (caller == nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return "an unknown place";
  const auto* const base = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const auto address = reinterpret_cast<unsigned long>(caller) - 1;  // of the call, not of what comes after it
  const unsigned long offset = base->e_type == ET_EXEC ? address : address - reinterpret_cast<unsigned long>(base);
  if (std::string line = line_of(info.dli_fname, offset); !line.empty()) return line;
  char text[400];
  std::snprintf(text, sizeof text, "%s(+0x%lx)", info.dli_fname, offset);
  return text;
}

constexpr int requests_told_max = 16;  // each costs a process

}  // namespace

// The outermost frame of this library is the call; the next one is the program's.
std::string call_here() {
  constexpr int depth_max = 64;
  void* frames[depth_max];
  const int depth = backtrace(frames, depth_max);
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&report), &own);
  int outermost = -1;
  std::string name = "a call";
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    if (dladdr(static_cast<char*>(frames[i]) - 1, &info) == 0 || info.dli_fbase != own.dli_fbase) {
      if (outermost < 0) continue;  // a sanitizer's, which stands before backtrace()
      break;
    }
    outermost = i;
    if (info.dli_sname != nullptr && std::strncmp(info.dli_sname, "mcapi_", 6) == 0) name = info.dli_sname;
  }
  return name + " of " + place_of(outermost >= 0 && outermost + 1 < depth ? frames[outermost + 1] : nullptr);
}

void report(const Node& node) {
  std::string text;
  const auto say = [&](const std::string& what) {
    text += "mcapi: node " + std::to_string(node.id >> 12) + "/" + std::to_string(node.id & 0xFFF) + ": " + what + "\n";
  };
  int told = 0;
  for (const Request& request : node.requests) {
    if (!request.used || ++told > requests_told_max) continue;
    say(std::string(name_of(request.asked)) + " of " + place_of(request.caller) +
        (request.done ? " is complete and was never waited for" : " is still pending"));
  }
  if (told > requests_told_max) say("and " + std::to_string(told - requests_told_max) + " requests more");
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
