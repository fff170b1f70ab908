// A bank with two clerks who pay into one savings account. Most runs are fine; about one in a hundred loses money.
//
// The bug: pay_in() checks the balance in one locked section and changes it in another. Each section is correct by
// itself.
#include <reprise/reprise.h>

#include <mutex>
#include <random>

namespace {

constexpr int payments = 4;  // of each clerk
constexpr long amount = 100;
constexpr long limit = 1'000'000;

reprise::mutex book{"book"};  // guards what follows
long savings = 0;
long paid_in = 0;

// Something to do that takes about `nanoseconds` and touches nothing shared.
void serve_customers(unsigned nanoseconds) {
  volatile unsigned papers = 0;
  for (unsigned i = 0; i < nanoseconds; ++i) papers = papers + i;
}

bool pay_in() {
  long balance = 0;
  {
    const std::lock_guard guard(book);
    if (savings + amount > limit) return false;  // the check ...
    balance = savings;
  }
  serve_customers(300);  // fill in the form
  const std::lock_guard guard(book);
  savings = balance + amount;  // ... and the act: another clerk may have been at the book in between
  paid_in += amount;
  return true;
}

void clerk() {
  std::minstd_rand customers(reprise::random_device{}());
  for (int i = 0; i < payments; ++i) {
    serve_customers(customers() % 700'000);
    pay_in();
  }
}

}  // namespace

int main() {
  reprise::thread first(clerk);
  reprise::thread second(clerk);
  first.join();
  second.join();
  reprise::out << "paid in " << paid_in << ", in the account " << savings << '\n';
  if (savings == paid_in) return 0;
  reprise::out << "LOST " << paid_in - savings << '\n';
  return 1;
}
