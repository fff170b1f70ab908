// Trait: runs that leave checkpoints: one thread that starts others later, threads that share objects, servers.
// Label: helper
#include <reprise/checkpoint.h>
#include <reprise/message.h>
#include <reprise/reprise.h>
#include <reprise/shared.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "guests/together.h"

namespace {

unsigned drawn() {
  return reprise::value("drawn", [] { return std::random_device()() % 1000; });
}

// Two threads that are not there when the checkpoint is made race for a mutex.
void race(int rounds) {
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += drawn();
    reprise::out << "round " << round << " sum " << sum << "\n";
    std::string order;
    reprise::mutex mutex{"order"};
    Together start(2);
    const auto work = [&](char who) {
      start.arrive();
      for (int i = 0; i < 20; ++i) {
        const std::lock_guard lock(mutex);
        order += who;
      }
    };
    reprise::thread a(work, 'a');
    reprise::thread b(work, 'b');
    a.join();
    b.join();
    reprise::out << "order " << order << "\n";
  }
}

// One thread that goes on until it is killed.
void alone(const char* pid_file, std::size_t kept_megabytes) {
  std::vector<char> kept(kept_megabytes << 20, 'k');
  std::ofstream(pid_file) << getpid() << "\n";
  unsigned sum = 0;
  reprise::atomic<int> rounds{0};
  for (;;) {
    sum += drawn() + static_cast<unsigned char>(kept[sum % kept.size()]);
    ++rounds;
    reprise::out << "round " << rounds.load() << " sum " << sum << "\n";
    usleep(200);
  }
}

// One thread whose log grows, and whose memory does not.
void go_on(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const unsigned sum = drawn() + drawn() + drawn() + drawn();
    if (i % 10 == 9) reprise::out << "round " << i << " sum " << sum << "\n";
  }
}

// Two threads that share one object. What the reader sees depends on the writer, who is not in its checkpoint.
void share(int rounds, bool is_declared, bool breaks_it) {
  reprise::shared<std::vector<int>> numbers{"numbers"};
  reprise::mutex mutex{"between"};
  Together start(2);
  reprise::thread writer([&] {
    if (is_declared) reprise::allow_checkpoints();
    start.arrive();
    for (int i = 0; i < rounds; ++i) {
      numbers.write([&](std::vector<int>& all) { all.push_back(static_cast<int>(drawn() + all.size())); });
      if (breaks_it) const std::lock_guard lock(mutex);
    }
  });
  reprise::thread reader([&] {
    if (is_declared) reprise::allow_checkpoints();
    start.arrive();
    for (int i = 0; i < rounds; ++i) {
      const auto [size, last] =
          numbers.read([](const auto& all) { return std::pair(all.size(), all.empty() ? 0 : all.back()); });
      reprise::out << "saw " << size << " numbers, the last " << last << "\n";
      if (i % 3 == 0) numbers.write([&](std::vector<int>& all) { all.push_back(-static_cast<int>(all.size())); });
      if (breaks_it) const std::lock_guard lock(mutex);
    }
  });
  writer.join();
  reader.join();
}

void serve(const char* pid_file) {
  reprise::party me("server");
  std::ofstream(pid_file) << getpid() << "\n";
  for (int i = 0;; ++i) {
    reprise::message message = me.receive();
    reprise::out << i << " " << message.from().party << " " << message.bytes() << "\n";
    if (message.expects_reply()) message.reply(std::to_string(i) + " " + message.bytes());
  }
}

int ask(const char* name) {
  reprise::party me(name);
  reprise::peer server = me.find("server");
  std::string last = "-";
  try {
    for (int i = 0;; ++i) {
      if (i % 3 == 0) server.send("note " + std::to_string(i));
      last = server.call("question " + std::to_string(i)).bytes();
    }
  } catch (const reprise::message_error& error) {
    reprise::out << name << " lost the server after " << last << "\n";
    return error.fault() == reprise::message_fault::lost ? 0 : 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc > 2 ? argv[1] : "";
  if (role == "race") return race(std::atoi(argv[2])), 3;
  if (role == "alone") alone(argv[2], argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
  if (role == "steady") return go_on(std::atoi(argv[2])), 0;
  if (role == "share") return share(std::atoi(argv[2]), true, false), 0;
  if (role == "undeclared") return share(std::atoi(argv[2]), false, false), 0;
  if (role == "broken") return share(std::atoi(argv[2]), true, true), 0;
  if (role == "serve") serve(argv[2]);
  if (role == "ask") return ask(argv[2]);
  return 2;
}
