// Trait: three processes write at random times to the same standard output and append to the same file.
// Label: racing
#include <reprise/reprise.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>

namespace {

constexpr int lines = 25;

// A pause that nobody records: only what comes out of it, the order of the lines, is to be the same again.
void pause_at_random(std::random_device& chance) { usleep(chance() % 300); }

void write_lines(char who, const std::string& path) {
  std::random_device chance;
  for (int i = 0; i < lines; ++i) {
    pause_at_random(chance);
    reprise::out << who << i << ' ';
    reprise::ofstream file(path, std::ios::app);
    file << who;
  }
}

}  // namespace

int main() {
  std::string path = reprise::value("path", [] {
    std::string name = "/tmp/reprise-fork-output-XXXXXX";
    close(mkstemp(name.data()));
    return name;
  });
  reprise::ofstream(path).close();  // made anew on replay
  pid_t children[2];
  for (int i = 0; i < 2; ++i) {
    children[i] = fork();
    if (children[i] == 0) {
      write_lines(static_cast<char>('b' + i), path);
      return 0;
    }
  }
  write_lines('a', path);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  reprise::out << '\n' << reprise::read_file(path) << '\n';
  unlink(path.c_str());
}
