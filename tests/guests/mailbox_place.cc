// Trait: mailboxes that are connected to by host:port, on a port of the system's choice; and what goes wrong there.
// Label: racing
#include <arpa/inet.h>
#include <reprise/mailbox.h>
#include <reprise/reprise.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "guests/fault_of.h"
#include "guests/together.h"

using namespace std::chrono_literals;

constexpr int senders = 3;
constexpr int messages = 20;

// A port that nobody else gets, with or without somebody who listens there and says nothing.
class Socket {
 public:
  explicit Socket(bool listens) : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(file_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    getsockname(file_, reinterpret_cast<sockaddr*>(&address), &size);
    if (listens) listen(file_, 4);
    port_ = reprise::value("port", [&] { return ntohs(address.sin_port); });
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(file_); }
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int file_;
  std::uint16_t port_;
};

int fault_at(const std::string& place) {
  return fault_of([&] { reprise::sender<int>(place).connect(20ms); });
}

void race() {
  reprise::mailbox<int> box("box", reprise::at{});
  reprise::sync_mailbox<int> sync("sync", reprise::at{});
  Together together(senders);
  std::vector<reprise::thread> threads;
  for (int i = 0; i < senders; ++i) {
    threads.emplace_back([&, i] {
      reprise::sender<int> to_box("localhost", box.port());
      reprise::sender<int> to_sync("127.0.0.1", sync.port());
      to_box.connect();
      to_sync.connect();
      together.arrive();
      for (int j = 0; j < messages; ++j) {
        to_box.send(i * messages + j);
        if (j % 8 == 0) to_sync.send(i);
      }
      to_box.close();
      to_sync.close();
    });
  }
  reprise::thread receiver([&] {
    for (int i = 0; i < senders * ((messages + 7) / 8); ++i) reprise::out << 's' << sync.receive() << ' ';
  });
  for (int i = 0; i < senders * messages; ++i) reprise::out << box.receive() << ' ';
  for (reprise::thread& thread : threads) thread.join();
  receiver.join();
  reprise::out << '\n';
}

int main() {
  race();
  reprise::mailbox<int> box("kept", reprise::at{});
  const Socket refused(false);
  const Socket silent(true);
  std::string too_long(100, 'x');  // for a name: nobody is asked
  too_long += ":1";
  reprise::out << "refused " << fault_at(refused.place()) << '\n';
  reprise::out << "silent " << fault_at(silent.place()) << '\n';
  reprise::out << "unknown_host " << fault_at(too_long) << '\n';
  reprise::out << "bad_name " << fault_at("localhost:0") << fault_at(":1") << fault_at("a:b") << '\n';
  reprise::out << "taken " << fault_of([&] { reprise::mailbox<int> again("again", reprise::at{box.port()}); }) << '\n';
  reprise::sender<int> left("127.0.0.1", box.port());
  left.connect();
  reprise::thread closer([&] { box.close(); });
  reprise::out << "closed " << fault_of([&] { box.receive(); }) << '\n';
  left.close();
  closer.join();
  reprise::out << "gone " << fault_of([&] { left.connect(20ms); }) << '\n';
}
