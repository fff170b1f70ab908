// Trait: the program forks; the child goes on unrecorded, the parent is recorded.
// Label: racing
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  std::string seen;
  Together start(2);
  const int code = reprise::value("child", [] {
    const pid_t child = fork();
    if (child == 0) {
      reprise::mutex own;
      const std::lock_guard lock(own);
      _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  });
  auto work = [&](char who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      const std::lock_guard lock(guard);
      seen += who;
    }
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  a.join();
  b.join();
  reprise::out << code << seen << '\n';
}
