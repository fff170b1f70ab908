// Trait: every error of mailboxes and senders, in one process.
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <chrono>
#include <memory>
#include <string>

#include "guests/fault_of.h"

int main() {
  using namespace std::chrono_literals;
  auto box = std::make_unique<reprise::mailbox<int>>("box");
  reprise::sender<std::string> wrong("box");
  reprise::sender<int> nowhere("nobody");
  reprise::out << "bad_name " << fault_of([] { reprise::mailbox<int> bad("a b"); }) << '\n';
  reprise::out << "name_taken " << fault_of([] { reprise::mailbox<int> again("box"); }) << '\n';
  reprise::out << "no_mailbox " << fault_of([&] { nowhere.connect(10ms); }) << '\n';
  reprise::out << "not_connected " << fault_of([&] { wrong.send("x"); }) << fault_of([&] { wrong.close(); }) << '\n';
  wrong.connect();
  wrong.send("not a number");
  reprise::out << "bad_contents " << fault_of([&] { box->receive(); }) << '\n';
  wrong.close();
  reprise::out << "no_alternative " << fault_of([] {
    reprise::selectable_mailbox<int> shut("shut");
    reprise::select(reprise::from(shut, [](int) {}).when(false));
  }) << '\n';
  box->close();
  reprise::out << "closed " << fault_of([&] { box->receive(); }) << '\n';
  reprise::sender<int> late("box");
  reprise::out << "no_mailbox " << fault_of([&] { late.connect(10ms); }) << '\n';
  box = std::make_unique<reprise::mailbox<int>>("next");
  reprise::sender<int> left("next");
  left.connect();
  box.reset();
  reprise::out << "broken " << fault_of([&] {
    for (;;) left.send(1);
  }) << '\n';
}
