// Trait: CARE's interface: time-outs, cut names, any bytes, objects of any size, replies late and to nobody.
// Label: racing
#include <reprise/care.h>
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "guests/together.h"

using Bytes = std::unique_ptr<unsigned char, decltype(&std::free)>;

Bytes receive(Pinfo* pinfo, int time_out) {
  return {MsgReceive(pinfo, nullptr, nullptr, nullptr, nullptr, nullptr, time_out), &std::free};
}

// How long it took, in words: the time itself is no part of a recording.
template <typename Function>
const char* time_of(Function&& function) {
  const auto before = std::chrono::steady_clock::now();
  function();
  const bool waited = std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(50);
  return reprise::value("waited", [waited] { return waited; }) ? "waited" : "at once";
}

void names(Pinfo* a) {
  reprise::out << "nobody " << time_of([&] { reprise::out << FindPartner(a, "nobody") << " "; }) << "\n";
  Pinfo* cut = Init("a_name_that_is_too_long");
  reprise::out << "cut " << (FindPartner(a, "a_name_that_is_") >= 0) << (FindPartner(a, "a_name_that_is_too_long") >= 0)
               << "\n";
  Finish(cut);
  errno = 0;
  reprise::out << "taken " << (Init("a") == nullptr) << (errno == EEXIST);
  reprise::out << (Init("no name") == nullptr) << (errno == EINVAL) << "\n";
}

void time_outs(Pinfo* a, Pinfo* b) {
  const int to_b = FindPartner(a, "b");
  int kept = 77;
  const auto expect_none = [&](int time_out) {
    reprise::out << (MsgReceive(a, nullptr, nullptr, &kept, &kept, &kept, time_out) == nullptr) << kept
                 << (errno == ETIMEDOUT) << " ";
  };
  reprise::out << "zero " << time_of([&] { expect_none(0); }) << "\n";
  reprise::out << "six hundredths " << time_of([&] { expect_none(6); }) << "\n";
  reprise::out << "call zero " << (MsgCall(a, to_b, "x", 2, 0) == nullptr) << (errno == ETIMEDOUT) << "\n";
  reprise::out << "call six " << time_of([&] { reprise::out << (MsgCall(a, to_b, "y", 2, 6) == nullptr) << " "; })
               << "\n";
  int id = 0;
  int from = -1;
  int type = -1;
  char name[MAX_NAME_SIZE];
  char host[HOST_SIZE];
  for (int i = 0; i < 2; ++i) {
    const Bytes call(MsgReceive(b, host, name, &id, &from, &type, -1), &std::free);
    reprise::out << reinterpret_cast<const char*>(call.get()) << id << from << type << name << (std::strlen(host) > 0)
                 << MsgReply(b, from, "late", 5, id) << MsgReply(b, from, "again", 6, id) << (errno == EINVAL) << "\n";
  }
}

void bytes(Pinfo* a, Pinfo* b) {
  const int to_b = FindPartner(a, "b");
  const std::string zeros(300, '\0');
  MsgSend(a, to_b, zeros.data(), 300);
  const Bytes came = receive(b, -1);
  reprise::out << "zeros " << (std::memcmp(came.get(), zeros.data(), 300) == 0);
  MsgSend(a, to_b, nullptr, 0);
  reprise::out << " empty " << (receive(b, -1).get()[0] == 0);
  reprise::out << " wrong " << MsgSend(a, 99, "x", 1) << MsgSend(a, to_b, "x", -1) << MsgReply(a, 0, "x", 1, 5) << "\n";
  reprise::party other("other");
  other.find("b").send("no header");
  int id = 0;
  int from = 0;
  const Bytes plain(MsgReceive(b, nullptr, nullptr, &id, &from, nullptr, -1), &std::free);
  reprise::out << "other " << id << " " << reinterpret_cast<const char*>(plain.get());
  reprise::out << MsgSend(b, from, "back", 5) << other.receive().bytes().size() << "\n";
}

struct Shared {
  Pinfo* pinfo{nullptr};
  Object* object{nullptr};
  std::string seen;
};
Shared first;
Shared second;
Together start(2);

// Threads of one party: who sends which number, who reads which version, is a race.
void work(void* argument) {
  Shared& self = *static_cast<Shared*>(argument);
  start.arrive();
  const int to_b = FindPartner(self.pinfo, "b");
  for (int i = 0; i < 30; ++i) {
    WriteEntry(self.pinfo, self.object);
    ++reinterpret_cast<int*>(self.object->data)[i];
    WriteExit(self.pinfo, self.object);
    ReadEntry(self.pinfo, self.object);
    self.seen += std::to_string(reinterpret_cast<const int*>(self.object->data)[i]);
    ReadExit(self.pinfo, self.object);
    MsgSend(self.pinfo, to_b, "n", 2);
  }
}

void race(void* argument) {
  auto* pinfos = static_cast<Pinfo**>(argument);
  static int numbers[30];
  Object* object = ObjectInit(numbers, "thirty numbers of int", sizeof numbers);
  first = {pinfos[0], object, ""};
  second = {pinfos[0], object, ""};
  THREADcreate(work, &first, 0, 1, 16384, 8);
  THREADcreate(work, &second, 0, 1, 16384, 8);
  std::string ids;
  for (int i = 0; i < 60; ++i) {
    int id = 0;
    const Bytes one(MsgReceive(pinfos[1], nullptr, nullptr, &id, nullptr, nullptr, -1), &std::free);
    ids += " " + std::to_string(id);
  }
  reprise::out << object->name << ids << "\n";
}

void show(void* argument) { reprise::out << static_cast<const char*>(argument) << "\n"; }

int main() {
  Pinfo* parties[2] = {Init("a"), Init("b")};
  names(parties[0]);
  time_outs(parties[0], parties[1]);
  bytes(parties[0], parties[1]);
  char copied[] = "copied";
  const int went = THREADgo(0, 0, race, parties, 0, 16384, 8) + THREADgo(0, 0, show, copied, sizeof copied, 0, 0);
  reprise::out << first.seen << " " << second.seen << "\n";
  Finish(parties[0]);
  reprise::out << "gone " << FindPartner(parties[1], "a") << went << "\n";
  Finish(parties[1]);
}
