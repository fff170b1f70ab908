// Trait: the names of host and process, a folder's listing, one that is not there, and how a child ended.
// Label: outside
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

int main() {
  reprise::out << reprise::hostname().empty() << ' ' << reprise::process_id() << '\n';
  int processes = 0;
  std::string first;
  for (const std::string& name : reprise::list_directory("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    ++processes;
    first += name + ' ';
  }
  reprise::out << (processes > 0) << ' ' << first << '\n';
  try {
    reprise::list_directory("/nowhere/at/all");
  } catch (const std::system_error& error) {
    reprise::out << error.what() << '\n';
  }
  int status = 0;
  pid_t children[3];
  for (int i = 0; i < 3; ++i) {
    children[i] = fork();
    if (children[i] == 0) _exit(i + 5);
  }
  for (int i = 0; i < 3; ++i) {
    const pid_t ended = i == 0 ? reprise::waitpid(children[1], &status, 0) : reprise::waitpid(-1, &status, 0);
    for (int which = 0; which < 3; ++which) {
      if (children[which] == ended) reprise::out << "child " << which << " ended with " << WEXITSTATUS(status) << '\n';
    }
  }
  errno = 0;
  const int result = reprise::waitpid(-1, &status, WNOHANG);
  reprise::out << result << ' ' << (errno == ECHILD) << '\n';
}
