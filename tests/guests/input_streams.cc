// Trait: ifstream and cin over what changes from run to run; seeking; a file that is not there, and a folder.
// Label: outside
#include <fcntl.h>
#include <reprise/reprise.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <utility>

int main() {
  reprise::ifstream status("/proc/self/status");
  std::string line;
  int lines = 0;
  while (std::getline(status, line)) {
    if (++lines < 8) reprise::out << line << '\n';
  }
  reprise::out << (lines > 8) << status.eof() << status.bad() << '\n';
  status.clear();
  status.seekg(6);
  reprise::out << status.tellg() << ' ' << (status >> line ? line : "none") << ' ' << status.tellg() << '\n';
  status.putback('x');
  reprise::out << static_cast<char>(status.get()) << static_cast<char>(status.peek()) << '\n';

  reprise::ifstream moved = std::move(status);
  reprise::out << moved.is_open() << '\n';
  moved.close();
  moved.open("/etc/passwd", std::ios_base::ate | std::ios_base::binary);
  const auto size = moved.tellg();
  moved.seekg(0, std::ios_base::beg);
  const std::string all((std::istreambuf_iterator<char>(moved)), std::istreambuf_iterator<char>());
  moved.clear();
  moved.seekg(-2, std::ios_base::end);
  reprise::out << (std::streamoff(size) == std::streamoff(all.size())) << (moved.get() == all[all.size() - 2]) << '\n';

  for (const char* path : {"/nowhere/at/all", "/proc/self"}) {
    reprise::ifstream wrong(path);
    wrong >> line;
    reprise::out << wrong.is_open() << wrong.fail() << wrong.bad() << '\n';
  }
  const int random = open("/proc/sys/kernel/random/uuid", O_RDONLY | O_CLOEXEC);
  dup2(random, STDIN_FILENO);
  std::getline(reprise::cin, line);
  reprise::out << line << ' ' << (reprise::cin >> line ? "more" : "end") << '\n';
}
