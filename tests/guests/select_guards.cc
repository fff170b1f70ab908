// Trait: messages and guarded selective waits as the arguments say.
// Label: helper
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int boxes = 3;
const std::array<const char*, boxes> names{"box0", "box1", "box2"};

// Connects to each mailbox that it sends to, sends in the order of the script, closes.
void send_by(const std::string& script) {
  std::vector<reprise::sender<std::string>> to(names.begin(), names.end());
  const auto is_used = [&](int box) { return script.find(static_cast<char>('0' + box)) != std::string::npos; };
  for (int box = 0; box < boxes; ++box) {
    if (is_used(box)) to[static_cast<std::size_t>(box)].connect();
  }
  for (const char box : script) to[static_cast<std::size_t>(box - '0')].send(std::string(1, box));
  for (int box = 0; box < boxes; ++box) {
    if (is_used(box)) to[static_cast<std::size_t>(box)].close();
  }
}

}  // namespace

// select_guards GUARDS SCRIPT...: a digit of GUARDS is one wait, its bits are the mailboxes that are open; a digit of a
// SCRIPT is a message to that mailbox.
int main(int count, char** words) {
  if (count < 2) return EXIT_FAILURE;
  reprise::selectable_mailbox<std::string> box0(names[0]);
  reprise::selectable_mailbox<std::string> box1(names[1]);
  reprise::selectable_mailbox<std::string> box2(names[2]);
  std::vector<reprise::thread> senders;
  for (int i = 2; i < count; ++i) senders.emplace_back(send_by, std::string(words[i]));
  const auto take = [](const std::string& what) { reprise::out << what << '\n'; };
  for (const char guards : std::string(words[1])) {
    const auto is_open = [&](int box) { return (guards - '0') >> box & 1; };
    reprise::select(reprise::from(box0, take).when(is_open(0)), reprise::from(box1, take).when(is_open(1)),
                    reprise::from(box2, take).when(is_open(2)));
  }
  for (reprise::thread& sender : senders) sender.join();
}
