// Trait: a process forks, the child executes this program again with an argument; each image is replayed.
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>

int main(int argc, char** argv) {
  reprise::mutex turn;
  if (argc > 1) {
    const std::lock_guard lock(turn);
    reprise::out << "second image, clock is " << (reprise::steady_clock::now().time_since_epoch().count() != 0) << '\n';
    return 4;
  }
  {
    const std::lock_guard lock(turn);
    reprise::out << "first image\n";
  }
  const pid_t child = fork();
  if (child == 0) {
    execl("/no/such/program", "none", nullptr);
    execl(argv[0], argv[0], "again", nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  reprise::out << "it ended with " << WEXITSTATUS(status) << '\n';
}
