// Trait: a program that passes no gate but that of its end.
#include <reprise/reprise.h>

#include <cstdio>

int main(int argc, char**) {
  if (argc > 1) reprise::out << "never\n";  // it is linked with reprise
  std::puts("nothing to decide");
  return 6;
}
