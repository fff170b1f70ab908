// Trait: two processes that send to and call each other until one of them is killed; the other is told.
// Label: helper
#include <reprise/message.h>
#include <reprise/reprise.h>
#include <unistd.h>

#include <fstream>
#include <string>

using std::chrono::milliseconds;
using std::chrono::seconds;

int survive() {
  reprise::party me("survivor");
  std::uint64_t sent = 0;
  std::uint64_t got = 0;
  try {
    reprise::peer victim = me.find("victim");
    for (; sent < 10'000'000; ++sent) {
      victim.send(std::string(sent % 200, 'x'));
      if (sent % 4 == 0 && !victim.call_for(sent, seconds(20))) return 3;
      while (auto message = me.try_receive()) ++got;
    }
  } catch (const reprise::message_error& error) {
    while (auto message = me.receive_for(milliseconds(20))) ++got;
    reprise::out << "after " << sent << " and " << got << ": " << error.what() << "\n";
    try {
      me.find("victim", milliseconds(1));
    } catch (const reprise::message_error& gone) {
      reprise::out << gone.what() << "\n";
      return 0;
    }
  }
  return 4;
}

int main(int argc, char** argv) {
  if (argc == 1) return survive();
  reprise::party me("victim");
  reprise::peer survivor = me.find("survivor");
  std::ofstream(argv[1]) << getpid() << std::endl;
  for (int i = 0;; ++i) {
    reprise::message message = me.receive();
    if (message.expects_reply()) message.reply(message.as<std::uint64_t>());
    if (i % 3 == 0) survivor.send(i);
  }
}
