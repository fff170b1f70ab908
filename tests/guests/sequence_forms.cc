// Trait: a semaphore, two monitors, a synchronous mailbox and selective waits, each small enough to be written down.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/monitor.h>
#include <reprise/reprise.h>

#include <string>
#include <vector>

namespace {

void semaphores(std::string& seen) {
  reprise::semaphore gate(1, "gate");
  auto twice = [&](char who) {
    for (int i = 0; i < 2; ++i) {
      gate.P();
      seen += who;
      gate.V();
    }
  };
  reprise::thread a(twice, 'a');
  reprise::thread b(twice, 'b');
  a.join();
  b.join();
}

class Cell : reprise::monitor {
 public:
  explicit Cell(const char* name) : monitor(name) {}
  void put() {
    const entry inside(*this, "put");
    ++count_;
    filled_.signal();
  }
  // Did it have to wait?
  bool take() {
    const entry inside(*this, "take");
    const bool waits = count_ == 0;
    while (count_ == 0) filled_.wait();
    --count_;
    return waits;
  }

 private:
  condition filled_{*this, "filled"};
  int count_{0};
};

// Which monitor the second thread enters next depends on whether it had to wait.
void monitors(std::string& seen) {
  Cell left("left");
  Cell right("right");
  std::string of_a;
  std::string of_b;
  reprise::thread a([&] {
    left.put();
    left.put();
    of_a = right.take() ? "waits" : "goes";
  });
  reprise::thread b([&] {
    if (left.take()) {
      right.put();
      of_b = left.take() ? "waits waits" : "waits goes";
    } else {
      of_b = left.take() ? "goes waits" : "goes goes";
      right.put();
    }
  });
  a.join();
  b.join();
  seen += of_a + " | " + of_b;
}

void synchronous(std::string& seen) {
  reprise::sync_mailbox<std::string> box("box");
  auto twice = [&](char who) {
    reprise::sender<std::string> to("box");
    to.connect();
    for (int i = 0; i < 2; ++i) to.send(std::string(1, who));
    to.close();
  };
  reprise::thread a(twice, 'a');
  reprise::thread b(twice, 'b');
  for (int i = 0; i < 4; ++i) seen += box.receive();
  a.join();
  b.join();
  box.close();
}

// Three looks that do not wait, then waits until both messages are there.
void selects(std::string& seen) {
  reprise::selectable_mailbox<std::string> left("left");
  reprise::selectable_mailbox<std::string> right("right");
  auto once = [&](const char* where) {
    reprise::sender<std::string> to(where);
    to.connect();
    to.send(std::string(1, where[0]));
    to.close();
  };
  reprise::thread a(once, "left");
  reprise::thread b(once, "right");
  int got = 0;
  const auto take = [&](const std::string& what) {
    ++got;
    seen += what;
  };
  for (int i = 0; i < 3; ++i)
    reprise::select(reprise::from(left, take), reprise::from(right, take), reprise::otherwise([&] { seen += '.'; }));
  while (got < 2) reprise::select(reprise::from(left, take), reprise::from(right, take));
  a.join();
  b.join();
  left.close();
  right.close();
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> asked(words + 1, words + count);
  std::string seen;
  const auto is_asked = [&](const char* what) { return asked.empty() || asked.front() == what; };
  if (is_asked("semaphores")) semaphores(seen);
  if (is_asked("monitors")) monitors(seen);
  if (is_asked("synchronous")) synchronous(seen);
  if (is_asked("selects")) selects(seen);
  reprise::out << seen << '\n';
}
