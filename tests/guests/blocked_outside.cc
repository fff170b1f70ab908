// Trait: it hangs where no gate sees it (in read(2) and pause(2)) after some gates were passed.
// Label: hangs
#include <reprise/reprise.h>
#include <unistd.h>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  reprise::atomic<int> count{0};
  reprise::thread reader([&] {
    count.fetch_add(1);
    reprise::out << "reads\n";
    char byte = 0;
    if (read(ends[0], &byte, 1) == 1) reprise::out << "never\n";
  });
  count.fetch_add(1);
  for (;;) pause();
}
