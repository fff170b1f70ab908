// Distributed mutual exclusion (Ricart and Agrawala): each process asks all others for permission to enter its critical
// section.
//
//   mutual_exclusion INDEX [SECTIONS]            four processes, INDEX 0 to 3
//
// A main thread enters the critical section, a helper thread answers the requests of the others; they meet in a
// monitor.
#include <reprise/mailbox.h>
#include <reprise/monitor.h>
#include <reprise/reprise.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

constexpr int processes = 4;

class Coordinator : reprise::monitor {
 public:
  explicit Coordinator(int me) : monitor("Coordinator"), me_(me) {}

  int chooseNumberAndSetRequesting() {
    const entry inside(*this, "chooseNumberAndSetRequesting");
    is_requesting_ = true;
    number_ = highest_ + 1;
    return number_;
  }
  bool decideAboutDeferral(int number, int who) {
    const entry inside(*this, "decideAboutDeferral");
    highest_ = std::max(highest_, number);
    const bool defers = is_requesting_ && (number_ < number || (number_ == number && me_ < who));
    if (defers) deferred_.push_back(who);
    return defers;
  }
  std::vector<int> resetRequesting() {
    const entry inside(*this, "resetRequesting");
    is_requesting_ = false;
    std::vector<int> deferred;
    deferred.swap(deferred_);
    std::sort(deferred.begin(), deferred.end());
    return deferred;
  }

 private:
  int me_;
  bool is_requesting_{false};
  int number_{0};
  int highest_{0};
  std::vector<int> deferred_;
};

class Process {
 public:
  explicit Process(int me)
      : me_(me),
        coordinator_(me),
        requests_("RequestsFor" + std::to_string(me)),
        replies_("RepliesFor" + std::to_string(me)) {}

  void run(int sections) {
    for (int other = 0; other < processes; ++other) {
      to_.push_back(std::make_unique<To>(other));
      if (other == me_) continue;
      to_[other]->requests.connect();
      to_[other]->replies.connect();
    }
    reprise::thread helper([&] { answer((processes - 1) * sections); });
    for (int i = 0; i < sections; ++i) enter();
    helper.join();
    for (int other = 0; other < processes; ++other) {
      if (other == me_) continue;
      to_[other]->requests.close();
      to_[other]->replies.close();
    }
    requests_.close();
    replies_.close();
  }

 private:
  struct To {
    explicit To(int other)
        : requests("RequestsFor" + std::to_string(other)), replies("RepliesFor" + std::to_string(other)) {}
    reprise::sender<std::vector<int>> requests;
    reprise::sender<int> replies;
  };

  void enter() {
    const int number = coordinator_.chooseNumberAndSetRequesting();
    for (int other = 0; other < processes; ++other) {
      if (other != me_) to_[other]->requests.send({number, me_});
    }
    for (int i = 1; i < processes; ++i) replies_.receive();
    reprise::out << "process " << me_ << " is in its critical section, number " << number << '\n';
    for (const int other : coordinator_.resetRequesting()) to_[other]->replies.send(me_);
  }
  void answer(int count) {
    for (int i = 0; i < count; ++i) {
      const std::vector<int> request = requests_.receive();
      if (!coordinator_.decideAboutDeferral(request[0], request[1])) to_[request[1]]->replies.send(me_);
    }
  }

  int me_;
  Coordinator coordinator_;
  reprise::mailbox<std::vector<int>> requests_;
  reprise::mailbox<int> replies_;
  std::vector<std::unique_ptr<To>> to_;
};

int main(int argc, char** argv) {
  const int me = argc > 1 ? std::atoi(argv[1]) : -1;
  const int sections = argc > 2 ? std::atoi(argv[2]) : 1;
  if (me < 0 || me >= processes || sections < 1) return 2;
  Process(me).run(sections);
}
