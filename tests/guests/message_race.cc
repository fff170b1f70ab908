// Trait: three processes; two of them send to the third as fast as they can, which prints in what order they came.
// Label: helper
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <cstdlib>
#include <string>

// message_race receiver COUNT | message_race sender NAME COUNT
int main(int argc, char** argv) {
  const std::string role = argc > 2 ? argv[1] : "";
  if (role == "sender" && argc == 4) {
    reprise::party me(argv[2]);
    reprise::peer receiver = me.find("receiver");
    const int count = std::atoi(argv[3]);
    std::string bytes(64, argv[2][0]);
    for (int i = 0; i < count; ++i) receiver.send(bytes);
    const std::string end = receiver.call("end").bytes();
    reprise::out << argv[2] << " " << end << "\n";
    return 0;
  }
  if (role != "receiver" || argc != 3) return 2;
  reprise::party me("receiver");
  const int count = std::atoi(argv[2]) * 2 + 2;
  std::string order;
  for (int i = 0; i < count; ++i) {
    reprise::message message = me.receive();
    order += message.from().party;
    if (message.expects_reply()) message.reply(std::to_string(i) + order.substr(order.size() - 2));
  }
  reprise::out << "receiver " << order << "\n";
}
