// Trait: variables of the environment, set and not set, and the number of processors.
#include <reprise/reprise.h>

#include <cstdlib>
#include <string>

int main() {
  const char* path = reprise::getenv("PATH");
  const char* missing = reprise::getenv("REPRISE_GUEST_NOT_SET");
  setenv("REPRISE_GUEST_SET", "with = and\nmore lines", 1);
  const std::string set = reprise::getenv("REPRISE_GUEST_SET");
  setenv("REPRISE_GUEST_SET", "", 1);
  const char* empty = reprise::getenv("REPRISE_GUEST_SET");
  reprise::out << (path != nullptr ? path : "no path") << '\n';
  reprise::out << (missing == nullptr ? "not set" : "set") << ' ' << set << ' ' << (empty == nullptr ? "?" : empty)
               << '\n';
  reprise::out << reprise::thread::hardware_concurrency() << '\n';
}
