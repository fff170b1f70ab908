// Trait: processes that are started again while others talk to them, and receivers that die in the midst of a message.
// Label: helper
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

// Answers so many calls; 0: for ever.
int serve(int calls) {
  reprise::party me("server");
  for (int i = 1; calls == 0 || i <= calls; ++i) {
    reprise::message question = me.receive();
    question.reply("server#" + std::to_string(me.incarnation()) + " answer " + std::to_string(i));
  }
  return 0;
}

int ask(const std::string& name, int calls) {
  reprise::party me(name);
  std::optional<reprise::peer> server;
  std::string heard;
  for (int answered = 0; answered < calls;) {
    try {
      if (!server) server = me.find("server");
      heard += ", " + server->call("?").bytes();
      ++answered;
    } catch (const reprise::message_error& error) {
      if (error.fault() != reprise::message_fault::lost) throw;
      heard += ", lost";
      server.reset();
    }
  }
  reprise::out << name << heard << "\n";
  return 0;
}

// Takes so many messages, and dies while the next one is on its way; 0: until it is told to end.
int swallow(int count) {
  reprise::party me("receiver");
  for (int i = 1;; ++i) {
    const reprise::message message = me.receive();
    if (i == count) raise(SIGKILL);
    if (message.bytes() != "end") continue;
    reprise::out << "receiver#" << me.incarnation() << " got " << i << "\n";
    return 0;
  }
}

// Messages that no socket can hold: whoever dies does so in the midst of one.
int feed(int deaths) {
  reprise::party me("sender");
  const std::string bytes(std::size_t{8} << 20, 'm');
  int faults = 0;
  int sent = 0;
  std::optional<reprise::peer> receiver;
  while (faults < deaths) {
    try {
      if (!receiver) receiver = me.find("receiver");
      receiver->send(bytes);
      ++sent;
    } catch (const reprise::message_error& error) {
      if (error.fault() != reprise::message_fault::lost) throw;
      ++faults;
      receiver.reset();
    }
  }
  me.find("receiver").send("end");
  reprise::out << "sender sent " << sent << ", faults " << faults << "\n";
  return 0;
}

// message_restart serve CALLS | ask NAME CALLS | swallow COUNT | feed DEATHS
int main(int argc, char** argv) {
  const std::string role = argc > 2 ? argv[1] : "";
  if (role == "serve") return serve(std::atoi(argv[2]));
  if (role == "ask" && argc == 4) return ask(argv[2], std::atoi(argv[3]));
  if (role == "swallow") return swallow(std::atoi(argv[2]));
  if (role == "feed") return feed(std::atoi(argv[2]));
  return 2;
}
