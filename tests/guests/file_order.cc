// Trait: threads race to write one ofstream; two files at once; formats, flushes, seeking, a file that cannot be made.
// Label: racing
#include <reprise/reprise.h>
#include <unistd.h>

#include <fstream>
#include <iomanip>
#include <iterator>
#include <string>

#include "guests/together.h"

namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

}  // namespace

int main() {
  constexpr const char* path = "file_order.txt";
  constexpr const char* other_path = "file_order_other.txt";
  {
    reprise::ofstream file(path);
    reprise::ofstream other(other_path, std::ios_base::binary);
    Together start(3);
    auto work = [&](char who) {
      start.arrive();
      for (int i = 0; i < 15; ++i) {
        file << who << std::setw(4) << std::setfill('.') << i << (i % 5 == 4 ? "\n" : " ");
        other << who << std::flush;
        if (i % 7 == 0) file << std::flush;
      }
    };
    {
      reprise::jthread a(work, 'a');
      reprise::jthread b(work, 'b');
      reprise::jthread c(work, 'c');
    }
    file << std::hex;
    file << 255 << std::endl;
    std::ostream& plain = file;
    plain << "plain " << 16 << '\n';
    file.write("four", 4).put('\n');
    reprise::out << file.tellp() << ' ' << !(file << "end\n") << other.is_open() << '\n';
    file.seekp(0);
    file << "START";
    reprise::ofstream moved = std::move(other);
    moved << std::string(10000, 'm');
    moved.close();
    reprise::out << moved.is_open() << moved.fail() << '\n';
  }
  reprise::ofstream nowhere("/nowhere/at/all");
  reprise::out << nowhere.is_open() << nowhere.fail() << !(nowhere << 1) << '\n';
  {
    reprise::ofstream more(path, std::ios_base::app);
    more << "appended\n";
  }
  // Read by std's streams: on replay they see what the replay wrote.
  const std::string all = contents(path);
  const std::string rest = contents(other_path);
  reprise::out << all << rest.substr(0, 45) << rest.size() << '\n';
  unlink(path);
  unlink(other_path);
}
