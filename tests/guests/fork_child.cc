// Trait: a process with one thread forks; parent and child both use threads afterwards; the child prints into a pipe
// that the parent reads.
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <string>

std::string race(const char* letters) {
  reprise::mutex turn;
  std::string seen;
  const auto work = [&](char who) {
    for (int i = 0; i < 30; ++i) {
      const std::lock_guard lock(turn);
      seen += who;
    }
  };
  reprise::thread a(work, letters[0]);
  reprise::thread b(work, letters[1]);
  a.join();
  b.join();
  return seen;
}

int main() {
  reprise::mutex before;
  before.lock();
  before.unlock();
  const pid_t child = fork();
  before.lock();
  before.unlock();
  if (child == 0) {
    reprise::out << "child " << race("xy") << '\n';
    return 3;
  }
  int status = 0;
  waitpid(child, &status, 0);
  reprise::out << "parent " << race("ab") << " child ended with " << WEXITSTATUS(status) << '\n';
}
