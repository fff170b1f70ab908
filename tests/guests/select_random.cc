// Trait: random selective waits (guards, otherwise, after, synchronous mailboxes) against racing senders, by a seed.
// Label: racing
#include <reprise/mailbox.h>
#include <reprise/reprise.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>

// Every message is taken once, in its sender's order, and never through a closed guard.
int main(int argc, char** argv) {
  constexpr int count = 6;
  std::mt19937 rng(argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1U);
  reprise::selectable_mailbox<int> a("a");
  reprise::selectable_mailbox<int> b("b");
  reprise::selectable_sync_mailbox<int> c("c");
  const auto send_to = [](const char* mailbox) {
    reprise::sender<int> to(mailbox);
    to.connect();
    for (int i = 0; i < count; ++i) to.send(i);
    to.close();
  };
  reprise::thread senders[] = {reprise::thread(send_to, "a"), reprise::thread(send_to, "b"),
                               reprise::thread(send_to, "c")};
  int next[3] = {};
  for (int got = 0; got < 3 * count;) {
    unsigned guards = rng() % 8;
    const bool has_last = rng() % 2 == 0;
    const std::chrono::microseconds time(rng() % 2 == 0 ? 0 : rng() % 300);
    // Without a last alternative something must still come to an open one.
    for (unsigned i = 0; !has_last && i < 3; ++i) guards |= next[i] < count ? 1U << i : 0U;
    std::string line;
    const auto take = [&](unsigned box) {
      return [&, box](int value) {
        ++got;
        const bool is_right = (guards >> box & 1U) != 0 && value == next[box];
        ++next[box];
        line = std::string(1, static_cast<char>('a' + box)) + std::to_string(value) + (is_right ? "" : " WRONG");
      };
    };
    const auto nothing = [&] { line = "."; };
    auto first = reprise::from(a, take(0)).when((guards & 1U) != 0);
    auto second = reprise::from(b, take(1)).when((guards & 2U) != 0);
    auto third = reprise::from(c, take(2)).when((guards & 4U) != 0);
    if (has_last) {
      reprise::select(std::move(first), std::move(second), std::move(third),
                      time.count() == 0 ? reprise::otherwise(nothing) : reprise::after(time, nothing));
    } else {
      reprise::select(std::move(first), std::move(second), std::move(third));
    }
    reprise::out << line << '\n';
  }
  for (reprise::thread& sender : senders) sender.join();
  a.close();
  b.close();
  c.close();
}
