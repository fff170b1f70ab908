// Trait: a process forks two others that send to it and call it, with types, from two threads each.
#include <reprise/message.h>
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

constexpr int rounds = 40;

int send(const std::string& name) {
  reprise::party me(name);
  reprise::peer parent = me.find("parent");
  const auto work = [&](int who) {
    for (int i = 0; i < rounds; ++i) {
      parent.send(std::vector<int>{who, i});
      if (i % 8 == 0) reprise::out << name << parent.call(std::map<std::string, int>{{name, i}}).as<int>() << "\n";
    }
  };
  reprise::thread first(work, 0);
  reprise::thread second(work, 1);
  first.join();
  second.join();
  return 0;
}

int main() {
  for (const char* name : {"a", "b"}) {
    if (fork() == 0) return send(name);
  }
  reprise::party me("parent");
  std::string seen;
  int misses = 0;
  for (int i = 0; i < 4 * rounds + 4 * rounds / 8;) {
    auto message = i % 16 == 0 ? me.try_receive() : me.receive_for(std::chrono::seconds(20));
    if (!message) {
      if (++misses > 10'000'000) return 1;
      continue;
    }
    ++i;
    if (message->expects_reply()) {
      message->reply(message->as<std::map<std::string, int>>().begin()->second + i);
      seen += "?";
    } else {
      seen += message->from().party + std::to_string(message->as<std::vector<int>>()[0]);
    }
  }
  reprise::out << seen << "\n";
  wait(nullptr);
  wait(nullptr);
  return 0;
}
