// Seeds for tests/fuzz: the logs of recordings, sealed ones stored without compression, live ones without unused room.
//
//   seeds INTO FOLDER.reprise...
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "drivers/forge.h"

namespace {

namespace fs = std::filesystem;
using reprise::test::Bytes;

bool keep(const fs::path& into, const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (path.extension() == ".live") {
    bytes.resize(reprise::base::Cursor(bytes.data() + 16, bytes.data() + 24).u64());
  } else {
    auto forgery = reprise::test::Forgery::of(bytes);
    if (!forgery) return false;
    forgery->packs = false;
    bytes = forgery->bytes();
  }
  const std::string name = path.parent_path().stem().string() + path.extension().string();
  std::ofstream seed(into / name, std::ios::binary);
  seed.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return seed.good();
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const fs::path into = words[1];
  fs::create_directories(into);
  for (int i = 2; i < count; ++i) {
    for (const fs::directory_entry& entry : fs::directory_iterator(words[i])) {
      const std::string kind = entry.path().extension().string();
      if ((kind == ".log" || kind == ".trace" || kind == ".live") && !keep(into, entry.path())) return 1;
    }
  }
  return 0;
}
