// Trait: what a file says makes it another program than the recorded one, in ways that no single step shows.
// Label: helper
//
// Use: stalls FILE    The file's text: `plain`; `skip` (main leaves out a step that another thread waits for); `block` (a thread
// blocks where no gate sees it); `spin` (a thread computes for ever).
#include <reprise/reprise.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>

namespace {

std::string read_mode(const char* path) {
  std::string mode;
  std::ifstream(path) >> mode;
  return mode;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? read_mode(argv[1]) : "";
  reprise::atomic<int> number{0, "number"};
  std::atomic<bool> stored{false};
  number.store(1);
  reprise::thread other([&] {
    while (!stored) usleep(100);
    if (mode == "block") {
      for (;;) pause();
    }
    if (mode == "spin") {
      for (;;) asm volatile("");
    }
    reprise::out << number.fetch_add(1) << '\n';
  });
  if (mode != "skip") number.store(2);
  stored = true;
  other.join();
}
