// A libFuzzer target: any bytes as a log, opened, read, verified, salvaged and sealed.
//
// An input is a log as it would lie on the disk. A sealed one is tried as it is, and again with its checksums made
// right: otherwise nothing behind them would ever be met. What is salvaged must open again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "fuzz/checksums.h"
#include "recording/log.h"
#include "recording/verify.h"

namespace {

using reprise::recording::Log;
using reprise::test::Bytes;

// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) { CHECK(file_ >= 0); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void write(const Bytes& bytes) const {
    CHECK(ftruncate(file_, 0) == 0);
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), 0);
    CHECK(written == static_cast<ssize_t>(bytes.size()), written);
  }

 private:
  int file_;
};

std::string salvage_path() {
  const bool in_memory = access("/dev/shm", W_OK) == 0;
  return std::string(in_memory ? "/dev/shm" : "/tmp") + "/reprise-fuzz-" + std::to_string(getpid());
}

void read_all(const Log& log) {
  for (const reprise::recording::ThreadInfo& thread : log.threads()) {
    auto stream = log.stream(thread.index);
    std::uint64_t step = 0;
    for (auto event = stream.next(); event && *event; event = stream.next()) {
      CHECK((*event)->step >= step, (*event)->step, step);
      step = (*event)->step;
    }
    CHECK(stream.step() >= step, stream.step(), step);
  }
}

void put_to_use(const Bytes& bytes) {
  static const MemoryFile input("input");
  static const std::string salvaged = salvage_path();
  input.write(bytes);
  const auto log = Log::open(input.path());
  if (log) {
    read_all(*log);
    static_cast<void>(log->check());
  }
  const auto report = reprise::recording::verify(input.path());
  if (report && report->good()) CHECK(log.has_value());
  if (reprise::recording::salvage(input.path(), salvaged)) {
    const auto again = Log::open(salvaged);
    CHECK(again.has_value(), again.error().message);
    CHECK(again->check().has_value());
    read_all(*again);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, data + size);
  put_to_use(bytes);
  if (reprise::test::make_checksums_right(bytes)) put_to_use(bytes);
  return 0;
}
