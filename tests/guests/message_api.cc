// Trait: one process with three parties: any length, types, late replies, time-outs, several mailboxes, every error.
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string fault_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const reprise::message_error& error) {
    return std::to_string(static_cast<int>(error.fault()));
  }
  return "none";
}

void lengths(reprise::party& a, reprise::party& b) {
  reprise::peer to_b = a.find("b");
  std::string zeros(1000, '\0');
  for (const std::size_t size : {0u, 1u, 24u, 65536u, 65512u, 3'000'000u}) {
    reprise::thread sender([&] { to_b.send(std::string(size, static_cast<char>(size % 251))); });
    const reprise::message got = b.receive();
    sender.join();
    reprise::out << got.number() << " " << got.bytes().size() << " "
                 << (got.bytes() == std::string(size, static_cast<char>(size % 251))) << "\n";
  }
  to_b.send(zeros);
  reprise::out << (b.receive().bytes() == zeros) << "\n";
  to_b.send(std::map<std::string, std::vector<int>>{{"x", {1, 2}}});
  reprise::message typed = b.receive();
  reprise::out << typed.as<std::map<std::string, std::vector<int>>>()["x"].size() << " "
               << fault_of([&] { typed.as<int>(); }) << " " << typed.from().party << "#" << typed.from().incarnation
               << "\n";
  reprise::out << "faults " << fault_of([&] { to_b.send(std::string(reprise::message_bytes_max + 1, 'x')); })
               << fault_of([&] { typed.reply("to nothing"); }) << fault_of([&] { reprise::party("b"); })
               << fault_of([&] { reprise::party("not a name"); })
               << fault_of([&] { a.find("nobody", milliseconds(5)); }) << "\n";
}

// Replies that come out of order, late, and twice.
void calls(reprise::party& a, reprise::party& b) {
  reprise::peer to_b = a.find("b");
  reprise::thread server([&] {
    reprise::message late = b.receive();
    reprise::message first = b.receive();
    reprise::message second = b.receive();
    second.reply("second");
    late.reply("late");
    first.reply("first");
    reprise::out << "again " << fault_of([&] { first.reply("again"); }) << "\n";
  });
  reprise::out << "late " << to_b.call_for("late", milliseconds(5)).has_value() << "\n";
  std::string other;
  reprise::thread caller([&] { other = to_b.call("one").bytes(); });
  const std::string mine = to_b.call("two").bytes();
  caller.join();
  server.join();
  reprise::out << mine << " " << other << " " << to_b.call_for("zero", seconds(0)).has_value() << "\n";
  reprise::out << b.receive().bytes() << "\n";
}

void several(reprise::party& a, reprise::party& b, reprise::party& c) {
  reprise::out << "nothing " << reprise::party::receive_any({&b, &c}, milliseconds(2)).has_value()
               << b.try_receive().has_value() << b.receive_for(milliseconds(2)).has_value() << "\n";
  const auto send = [&](const char* to) {
    for (int i = 0; i < 30; ++i) a.find(to).send(i);
  };
  reprise::thread first(send, "b");
  reprise::thread second(send, "c");
  std::string seen;
  for (int i = 0; i < 60; ++i) seen += reprise::party::receive_any({&b, &c})->which == 0 ? "b" : "c";
  first.join();
  second.join();
  reprise::out << seen << "\n";
}

// What several threads take from one mailbox.
void shared(reprise::party& a, reprise::party& b) {
  reprise::peer to_b = a.find("b");
  std::vector<std::string> seen(2);
  const auto take = [&](int who) {
    while (true) {
      const int number = b.receive().as<int>();
      if (number < 0) return;
      seen[static_cast<std::size_t>(who)] += std::to_string(number % 10);
    }
  };
  reprise::thread first(take, 0);
  reprise::thread second(take, 1);
  for (int i = 0; i < 200; ++i) to_b.send(i);
  to_b.send(-1);
  to_b.send(-1);
  first.join();
  second.join();
  reprise::out << seen[0] << " " << seen[1] << "\n";
}

int main() {
  reprise::party a("a");
  reprise::party b("b");
  lengths(a, b);
  calls(a, b);
  {
    reprise::party c("c");
    several(a, b, c);
    reprise::peer to_c = a.find("c");
    reprise::party other("other");
    reprise::out << to_c.name() << " " << other.incarnation() << "\n";
  }
  reprise::party again("c");
  reprise::out << "again " << again.incarnation() << " " << a.find("c").incarnation() << "\n";
  shared(a, b);
}
