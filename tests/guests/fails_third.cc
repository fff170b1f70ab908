// Trait: it fails when it is run for the third time, as a file with one byte per run tells.
// Label: helper
//
// Use: fails_third FILE
#include <reprise/reprise.h>

#include <filesystem>
#include <fstream>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto runs = reprise::value("runs", [&] {
    std::ofstream(argv[1], std::ios::app) << '.';
    return std::filesystem::file_size(argv[1]);
  });
  reprise::out << "run " << runs << (runs == 3 ? ": balance is wrong\n" : ": fine\n");
  return runs == 3 ? 17 : 0;
}
