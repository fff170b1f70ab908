// Trait: a mailbox at a place, and senders to it from other processes and hosts.
// Label: helper
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <chrono>
#include <cstdlib>
#include <string>

int serve(const std::string& name, const std::string& host, int port, int count) {
  reprise::mailbox<std::string> box(name, reprise::at{static_cast<std::uint16_t>(port), host});
  reprise::out << name << " listens\n" << std::flush;
  std::string order;
  for (int i = 0; i < count; ++i) order += box.receive() + ' ';
  box.close();
  reprise::out << name << " got " << order << '\n';
  return 0;
}

int send(const std::string& place, const std::string& what, int count, int time_ms) {
  try {
    reprise::sender<std::string> to(place);
    to.connect(std::chrono::milliseconds(time_ms));
    for (int i = 0; i < count; ++i) to.send(what + std::to_string(i));
    to.close();
  } catch (const reprise::mailbox_error& error) {
    reprise::out << what << " fault " << static_cast<int>(error.fault()) << ' ' << error.what() << '\n';
    return 0;
  }
  reprise::out << what << " sent " << count << '\n';
  return 0;
}

// One process that is both, for a connection that breaks: the mailbox is gone while its sender sends.
int broken() {
  auto* box = new reprise::mailbox<std::string>("box", reprise::at{});
  reprise::sender<std::string> to("127.0.0.1", box->port());
  to.connect();
  delete box;
  int sent = 0;
  try {
    for (;; ++sent) to.send("x");
  } catch (const reprise::mailbox_error& error) {
    reprise::out << "fault " << static_cast<int>(error.fault()) << " after " << sent << '\n';
  }
  return 0;
}

// mailbox_hosts serve NAME HOST PORT COUNT | mailbox_hosts send PLACE WHAT COUNT TIME_MS | mailbox_hosts broken
int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "serve" && argc == 6) return serve(argv[2], argv[3], std::atoi(argv[4]), std::atoi(argv[5]));
  if (role == "send" && argc == 6) return send(argv[2], argv[3], std::atoi(argv[4]), std::atoi(argv[5]));
  if (role == "broken") return broken();
  return 2;
}
