// A box office with one seat left, and its customers: processes that talk by messages.
//
//   05_client_server office CUSTOMERS | 05_client_server customer NAME
//
// The bug: a customer asks whether there is a seat, and then buys it. Between the two messages another one may ask too.
#include <reprise/message.h>
#include <reprise/reprise.h>

#include <cstdlib>
#include <string>

int office(int customers) {
  reprise::party me("office");
  int seats = 1;
  while (customers > 0) {
    reprise::message question = me.receive();
    if (question.bytes() == "free?") {
      question.reply(seats > 0 ? "yes" : "no");
    } else if (question.bytes() == "buy") {
      --seats;
      question.reply("sold to " + question.from().party);
    } else {
      --customers;  // goodbye
    }
  }
  reprise::out << "office: " << seats << " seats left" << (seats < 0 ? ", OVERSOLD" : "") << "\n";
  return seats < 0 ? 1 : 0;
}

int customer(const std::string& name) {
  reprise::party me(name);
  reprise::peer office = me.find("office");
  if (office.call("free?").bytes() == "yes") {
    reprise::out << name << ": " << office.call("buy").bytes() << "\n";
  } else {
    reprise::out << name << ": too late\n";
  }
  office.send("goodbye");
  return 0;
}

int main(int argc, char** argv) {
  const std::string role = argc == 3 ? argv[1] : "";
  if (role == "office") return office(std::atoi(argv[2]));
  if (role == "customer") return customer(argv[2]);
  return 2;
}
