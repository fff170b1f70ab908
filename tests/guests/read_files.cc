// Trait: a file that changes from run to run, an empty one, one that is not there, and a folder.
// Label: outside
#include <reprise/reprise.h>

#include <system_error>

int main() {
  reprise::out << reprise::read_file("/proc/self/stat");
  reprise::out << reprise::read_file("/proc/sys/kernel/random/uuid");
  reprise::out << reprise::read_file("/dev/null").size() << '\n';
  for (const char* path : {"/nowhere/at/all", "/proc/self"}) {
    try {
      reprise::out << reprise::read_file(path).size() << " bytes\n";
    } catch (const std::system_error& error) {
      reprise::out << error.what() << '\n';
    }
  }
}
