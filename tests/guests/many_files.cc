// Trait: it takes every file it may open, and then starts threads that race and values that are large.
// Label: helper
#include <fcntl.h>
#include <reprise/reprise.h>

#include <mutex>
#include <string>
#include <vector>

int main() {
  int opened = 0;
  while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) ++opened;
  reprise::mutex guard{"guard"};
  std::string order;
  std::size_t bytes = 0;
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 50; ++who) {
    threads.emplace_back([&, who] {
      const auto text = reprise::value("text", [] { return std::string(20'000, 'v'); });
      const std::lock_guard lock(guard);
      order += static_cast<char>('0' + who);
      bytes += text.size();
    });
  }
  for (auto& thread : threads) thread.join();
  reprise::out << (opened > 100 ? "all files taken" : "few files") << ' ' << order << ' ' << bytes << '\n';
  return 4;
}
