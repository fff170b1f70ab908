// The distributed bounded buffer: a producer, a buffer and a consumer, three processes that talk through mailboxes.
//
//   bounded_buffer producer | buffer | consumer
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <string>

constexpr int items = 3;

void produce() {
  reprise::sender<int> deposit("deposit");
  deposit.connect();
  for (int i = 0; i < items; ++i) {
    reprise::out << "Producing " << i << '\n';
    deposit.send(i);
  }
  deposit.close();
}

void keep() {
  reprise::mailbox<int> deposit("deposit");
  reprise::sender<int> withdraw("withdraw");
  withdraw.connect();
  for (int i = 0; i < items; ++i) withdraw.send(deposit.receive());
  withdraw.close();
  deposit.close();
}

void consume() {
  reprise::mailbox<int> withdraw("withdraw");
  for (int i = 0; i < items; ++i) reprise::out << "Consumed " << withdraw.receive() << '\n';
  withdraw.close();
}

int main(int argc, char** argv) {
  const std::string role = argc == 2 ? argv[1] : "";
  if (role == "producer") {
    produce();
  } else if (role == "buffer") {
    keep();
  } else if (role == "consumer") {
    consume();
  } else {
    return 2;
  }
}
