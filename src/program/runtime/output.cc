#include <reprise/out.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "base/ids.h"
#include "gate/output_lock.h"

namespace reprise {
namespace {

using gate::output_mutex;

gate::Object output("output", output_object);

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // as a stream whose file is gone: silent
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void Output::write(std::string_view text) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) {
    const std::lock_guard lock(output_mutex);
    return write_all(text);
  }
  thread->gate->arrive(*thread, output, Kind::output);
  output_mutex.lock();
  thread->gate->pass(*thread, output, Kind::output);
  thread->gate->wrote(text.data(), text.size());
  write_all(text);
  output_mutex.unlock();
  thread->gate->left(*thread, output);
}

}  // namespace reprise
