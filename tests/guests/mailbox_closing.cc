// Trait: what a close ends: selective waits, connections, messages; arguments: which, and whether it comes first.
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <memory>
#include <string>
#include <vector>

#include "guests/fault_of.h"

namespace {

using Text = std::string;

class Case {
 public:
  // `is_late`: who could be ended by the close comes after it for sure.
  explicit Case(bool is_late) : is_late_(is_late) {}

  // A message lies there, but the mailbox is closed before anybody looks. Then the thread sends elsewhere, or ends.
  void select(bool goes_on) {
    reprise::selectable_mailbox<Text> left("left");
    reprise::mailbox<Text> right("right");
    reprise::thread waits([&] {
      if (is_late_) closed_.wait();
      see("select", fault_of([&] { reprise::select(reprise::from(left, [](const Text&) {})); }));
      if (goes_on) send_once("right");
    });
    send_once("left");
    left.close();
    closed_.count_down();
    if (goes_on) right.receive();
    waits.join();
  }

  // The mailbox is closed but not gone: somebody is still connected.
  template <typename Box>
  void others(const std::string& what) {
    Box box("box");
    reprise::sender<Text> first("box");
    reprise::sender<Text> second("box");
    first.connect();
    reprise::thread closes([&] { box.close(); });
    see("receive", fault_of([&] { box.receive(); }));
    if (what == "connect") see("connect", fault_of([&] { second.connect(); }));
    if (what != "connect") see("send", fault_of([&] { first.send("late"); }));
    first.close();
    closes.join();
  }

  // The mailbox goes out of scope; all that is listed had come by then.
  void destroy() {
    auto box = std::make_unique<reprise::mailbox<Text>>("box");
    reprise::thread sends([&] {
      reprise::sender<Text> to("box");
      to.connect();
      to.send("a");
      to.send("b");
      see("close", fault_of([&] { to.close(); }));
      closed_.count_down();
    });
    see(box->receive(), 0);
    if (is_late_) closed_.wait();
    box.reset();
    sends.join();
  }

 private:
  static void send_once(const char* where) {
    reprise::sender<Text> to(where);
    to.connect();
    to.send("x");
    to.close();
  }
  static void see(const std::string& what, int fault) { reprise::out << what << ' ' << fault << '\n'; }

  bool is_late_;
  reprise::latch closed_{1};
};

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> asked(words + 1, words + count);
  const std::string what = asked.empty() ? "connect" : asked[0];
  Case one(asked.size() < 2 || asked[1] == "late");
  if (what == "select") one.select(true);
  if (what == "last") one.select(false);
  if (what == "connect") one.others<reprise::mailbox<Text>>(what);
  if (what == "call") one.others<reprise::sync_mailbox<Text>>(what);
  if (what == "send") one.others<reprise::mailbox<Text>>(what);
  if (what == "destroy") one.destroy();
}
