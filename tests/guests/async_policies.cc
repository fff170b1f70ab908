// Trait: async by each policy, with results of every sort, exceptions, and futures that are never asked.
// Label: racing
#include <reprise/reprise.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  std::string seen;
  int number = 40;
  Together start(4);
  const auto note = [&](char who) {
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard lock(guard);
      seen += who;
    }
  };
  {
    auto by_value = reprise::async(
        reprise::launch::async,
        [&](std::unique_ptr<int> extra) {
          start.arrive();
          note('a');
          return std::make_unique<int>(*extra + 1);
        },
        std::make_unique<int>(1));
    auto by_reference = reprise::async(
        [&](int& value) -> int& {
          start.arrive();
          note('b');
          return value;
        },
        std::ref(number));
    auto nothing = reprise::async(reprise::launch::async, [&] {
      start.arrive();
      note('c');
    });
    auto thrown = reprise::async([&]() -> int {
      start.arrive();
      note('d');
      throw std::runtime_error("thrown");
    });
    auto lazy = reprise::async(reprise::launch::deferred, [&] {
                  note('e');
                  return 5;
                }).share();
    auto never = reprise::async(reprise::launch::deferred, [&] { note('f'); });
    by_reference.get() += 2;
    std::vector<reprise::thread> askers;
    askers.reserve(2);
    for (int i = 0; i < 2; ++i) askers.emplace_back([&, lazy] { note(lazy.get() == 5 ? 'g' : '?'); });
    for (auto& asker : askers) asker.join();
    number += *by_value.get() + lazy.get();
    try {
      number += thrown.get();
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(guard);  // `nothing` may still be at it
      seen += error.what();
    }
    // `nothing` is joined by its destructor.
  }
  reprise::out << seen << ' ' << number << '\n';
}
