// Trait: the function given to reprise::value throws; the program catches that, but it cannot be replayed.
// Label: refused
#include <reprise/reprise.h>

#include <stdexcept>

int main() {
  try {
    reprise::value("number", []() -> int { throw std::runtime_error("no number"); });
  } catch (const std::runtime_error& error) {
    reprise::out << error.what() << '\n';
  }
}
