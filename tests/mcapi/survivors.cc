// Nodes that send to each other while somebody kills one of them (tests/system/mcapi_kill.py).
//
//   survivors NODES MESSAGES        each node notes its process in pids/NODE, and says at its end what it got
//
// A node waits for an end mark of each other one, or until a send to it fails: no call depends on the dead for longer
// than a time-out.
#include <mcapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Message {
  std::uint32_t from;
  std::uint32_t number;  // 0: the last one
  char rest[300];        // more than one block
};

struct Peer {
  mcapi_endpoint_t endpoint{0};
  bool gone{false};   // nothing can be sent to it any more
  bool ended{false};  // it has said its last word
};

class Survivor {
 public:
  Survivor(std::uint32_t own, std::uint32_t nodes) : own_(own), peers_(nodes + 1) {
    mcapi_info_t info;
    mcapi_initialize(0, own, nullptr, nullptr, &info, &status_);
    mine_ = mcapi_endpoint_create(1, &status_);
    mcapi_uint_t ms = 100;
    mcapi_endpoint_set_attribute(mine_, MCAPI_ENDP_ATTR_TIMEOUT, &ms, sizeof ms, &status_);
    for (std::uint32_t node = 1; node <= nodes; ++node) find(node);
  }

  void talk(std::uint32_t messages) {
    for (std::uint32_t number = messages; number > 0; --number) {
      for (std::uint32_t node = 1; node < peers_.size(); ++node) send(node, number);
      while (mcapi_msg_available(mine_, &status_) > 0) receive();
    }
    for (std::uint32_t node = 1; node < peers_.size(); ++node) send(node, 0);
    while (!all_done()) {
      if (receive()) continue;
      for (std::uint32_t node = 1; node < peers_.size(); ++node) {
        if (!peers_[node].ended) send(node, 1'000'000);  // does it live?
      }
    }
  }

  void finish() {
    std::string gone;
    for (std::uint32_t node = 1; node < peers_.size(); ++node) {
      if (!peers_[node].ended && node != own_) gone += " " + std::to_string(node);
    }
    std::printf("node %u: got %u digest %llx, without%s\n", own_, got_, static_cast<unsigned long long>(digest_),
                gone.empty() ? " none" : gone.c_str());
    std::fflush(stdout);
    mcapi_finalize(&status_);
  }

 private:
  // One that was killed before it had an endpoint is never found.
  void find(std::uint32_t node) {
    Peer& peer = peers_[node];
    if (node == own_) {
      peer.ended = peer.gone = true;
      return;
    }
    peer.endpoint = mcapi_endpoint_get(0, node, 1, 2000, &status_);
    if (status_ != MCAPI_SUCCESS) peer.ended = peer.gone = true;
  }
  bool send(std::uint32_t node, std::uint32_t number) {
    Peer& peer = peers_[node];
    if (peer.gone) return false;
    Message message{own_, number, {}};
    mcapi_status_t sent = MCAPI_TIMEOUT;
    for (;;) {
      mcapi_msg_send(mine_, peer.endpoint, &message, sizeof message, number == 0 ? 7 : number % 3, &sent);
      if (sent != MCAPI_TIMEOUT) break;
      receive();  // both may wait for room
    }
    if (sent != MCAPI_SUCCESS) peer.gone = true;
    return sent == MCAPI_SUCCESS;
  }
  bool receive() {
    Message message{};
    std::size_t size = 0;
    mcapi_msg_recv(mine_, &message, sizeof message, &size, &status_);
    if (status_ != MCAPI_SUCCESS) return false;
    ++got_;
    digest_ = (digest_ ^ message.from ^ std::uint64_t{message.number} << 8) * 0x100000001B3u;
    if (message.number == 0) peers_[message.from].ended = true;
    return true;
  }
  bool all_done() const {
    for (std::uint32_t node = 1; node < peers_.size(); ++node) {
      if (!peers_[node].ended && !peers_[node].gone) return false;
    }
    return true;
  }

  std::uint32_t own_;
  std::vector<Peer> peers_;
  mcapi_endpoint_t mine_{0};
  mcapi_status_t status_{0};
  std::uint32_t got_{0};
  std::uint64_t digest_{0xCBF29CE484222325u};
};

void note_process(std::uint32_t node) {
  const std::string path = "pids/" + std::to_string(node);
  std::FILE* file = std::fopen((path + ".new").c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "%d", static_cast<int>(getpid()));
  std::fclose(file);
  std::rename((path + ".new").c_str(), path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto nodes = static_cast<std::uint32_t>(std::atoi(argv[1]));
  for (std::uint32_t node = 1; node <= nodes; ++node) {
    if (fork() != 0) continue;
    note_process(node);
    Survivor survivor(node, nodes);
    survivor.talk(static_cast<std::uint32_t>(std::atoi(argv[2])));
    survivor.finish();
    return 0;
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}
