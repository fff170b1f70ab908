// Trait: reprise::value with numbers, structs, texts and large texts, in two threads.
// Label: outside
#include <reprise/reprise.h>
#include <time.h>
#include <unistd.h>

#include <numeric>
#include <string>

namespace {

struct Reading {
  int number;
  double ratio;
  char letter;
};

long nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_nsec;
}

}  // namespace

int main() {
  auto work = [](int who) {
    for (int i = 0; i < 10; ++i) {
      const long time = reprise::value("time", nanoseconds);
      const Reading reading = reprise::value("reading", [&] { return Reading{getpid(), nanoseconds() / 7.0, 'r'}; });
      const std::string text =
          reprise::value("text", [&] { return std::to_string(nanoseconds()) + std::string(3, '\0'); });
      reprise::out << who << ' ' << time << ' ' << reading.number << reading.letter << reading.ratio << ' '
                   << text.size() << text.c_str() << '\n';
    }
  };
  reprise::thread other(work, 1);
  work(2);
  other.join();
  const std::string empty = reprise::value("empty", [] { return std::string(); });
  const std::string large = reprise::value("large", [] {
    std::string text(2'000'000, 'x');
    for (std::size_t i = 0; i < text.size(); i += 1 + nanoseconds() % 50'000) text[i] = static_cast<char>(i);
    return text;
  });
  reprise::out << empty.size() << ' ' << std::accumulate(large.begin(), large.end(), 0L) << '\n';
}
