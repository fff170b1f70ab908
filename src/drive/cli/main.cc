// reprise: record a concurrent program once, run that same execution again.
#include <cstdio>
#include <string>
#include <vector>

#include "drive/cli/commands.h"

int main(int count, char** words) {
  reprise::drive::cli::Console console(stdout, stderr);
  const int code =
      reprise::drive::cli::run(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count), console);
  return std::fflush(stdout) == 0 ? code : reprise::drive::cli::own_failure;
}
