// Trait: a hub and clients on several hosts; connections break now and then, and are made again.
// Label: helper
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <string>

using std::chrono::milliseconds;
using std::chrono::seconds;

// A peer that is found again when the connection to it broke.
class Link {
 public:
  Link(reprise::party& me, std::string name) : me_(me), name_(std::move(name)) {}

  // False: it could not be done in `attempts`.
  bool send(const std::string& text, int attempts, bool calls = false) {
    for (int i = 0; i < attempts; ++i) {
      try {
        if (!peer_) peer_ = me_.find_for(name_, seconds(5));
        if (!peer_) return false;
        if (!calls) return peer_->send(text), true;
        if (auto reply = peer_->call_for(text, seconds(2))) return answers_ += reply->bytes(), true;
        ++late_;
      } catch (const reprise::message_error& error) {
        ++faults_;
        peer_.reset();
      }
    }
    return false;
  }
  std::string text() const {
    return name_ + ": " + std::to_string(faults_) + " faults, " + std::to_string(late_) + " late, answers " + answers_;
  }

 private:
  reprise::party& me_;
  std::string name_;
  std::optional<reprise::peer> peer_;
  std::string answers_;
  int faults_{0};
  int late_{0};
};

int hub(int clients) {
  reprise::party me("hub");
  std::set<std::string> ended;
  std::string order;
  int count = 0;
  const auto take = [&](reprise::message message) {
    ++count;
    order += message.from().party.back();
    try {
      if (message.expects_reply()) message.reply(std::to_string(count) + " ");
    } catch (const reprise::message_error& error) {
      order += "!";
    }
    if (message.bytes() == "end") ended.insert(message.from().party);
  };
  while (ended.size() < static_cast<std::size_t>(clients)) {
    auto message = me.receive_for(seconds(20));
    if (!message) return 3;
    take(std::move(*message));
  }
  while (auto message = me.receive_for(milliseconds(300))) take(std::move(*message));
  reprise::out << "hub " << order << "\n";
  return 0;
}

int client(const std::string& name, const std::string& next, int count) {
  reprise::party me(name);
  Link to_hub(me, "hub");
  Link to_next(me, next);
  std::string order;
  const auto take = [&] {
    while (auto message = me.try_receive()) order += message->bytes().substr(0, 3) + " ";
  };
  bool is_next_there = true;
  for (int i = 0; i < count; ++i) {
    to_hub.send(std::string(static_cast<std::size_t>(i * 97 % 3000), name.back()), 50);
    if (i % 8 == 0) to_hub.send("what now", 50, true);
    if (is_next_there) is_next_there = to_next.send(std::to_string(100 + i) + std::string(1000, '.'), 5);
    take();
  }
  const bool said = to_hub.send("end", 20, true);
  take();
  reprise::out << name << (said ? " ended; " : " was not heard; ") << to_hub.text() << "; " << to_next.text()
               << "; got " << order << "\n";
  return 0;
}

// message_hosts hub CLIENTS | message_hosts client NAME NEXT COUNT
int main(int argc, char** argv) {
  const std::string role = argc > 2 ? argv[1] : "";
  if (role == "hub") return hub(std::atoi(argv[2]));
  if (role == "client" && argc == 5) return client(argv[2], argv[3], std::atoi(argv[4]));
  return 2;
}
