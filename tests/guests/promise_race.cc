// Trait: threads race to satisfy promises, by value and by exception; several wait for each through shared futures.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  constexpr int count = 8;
  reprise::promise<std::string> promises[count];
  std::vector<reprise::shared_future<std::string>> futures;
  for (auto& promise : promises) futures.push_back(promise.get_future().share());
  reprise::mutex guard;
  std::string seen;
  std::string late[2];
  Together start(4);
  auto set = [&](int who) {
    start.arrive();
    for (int i = 0; i < count; ++i) {
      try {
        if ((i + who) % 3 == 0) {
          promises[i].set_exception(std::make_exception_ptr(std::runtime_error("thrown by " + std::to_string(who))));
        } else {
          promises[i].set_value("set by " + std::to_string(who));
        }
      } catch (const reprise::future_error& error) {
        late[who] += error.code() == reprise::future_errc::promise_already_satisfied ? 'l' : '?';
      }
    }
  };
  auto get = [&](char who, const std::vector<reprise::shared_future<std::string>>& own) {
    start.arrive();
    for (const auto& future : own) {
      std::string text;
      try {
        text = future.get();
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      const std::lock_guard lock(guard);
      seen += who + (":" + text) + ", ";
    }
  };
  {
    reprise::jthread a(set, 0);
    reprise::jthread c(get, 'c', futures);
    reprise::jthread b(set, 1);
    reprise::jthread d(get, 'd', futures);
  }
  reprise::out << seen << late[0] << ' ' << late[1] << '\n';
}
