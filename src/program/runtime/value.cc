#include <fcntl.h>
#include <reprise/value.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>

namespace reprise {
namespace {

std::mutex texts_mutex;
std::set<std::string>* texts = nullptr;  // never destroyed

// Recorded texts live on, as those of the environment do.
const char* keep_text(std::string text) {
  const std::lock_guard lock(texts_mutex);
  if (texts == nullptr) texts = new std::set<std::string>;
  return texts->insert(std::move(text)).first->c_str();
}

}  // namespace

const char* getenv(const char* name) {
  if (gate::current == nullptr) return std::getenv(name);
  // '=' and the text, or nothing when the variable is not set.
  const std::string found = value(std::string("getenv ") + name, [name] {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string() : std::string("=") + text;
  });
  return found.empty() ? nullptr : keep_text(found.substr(1));
}

std::string read_file(const std::filesystem::path& path) {
  // The first byte says whether it could be read; an error number follows if not.
  const std::string outcome = value("read_file " + path.string(), [&path] {
    std::string text = "+";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : 1;
    for (char part[16384]; size > 0;) {
      size = read(file, part, sizeof part);
      if (size > 0) text.append(part, static_cast<std::size_t>(size));
      if (size < 0 && errno == EINTR) size = 1;
    }
    if (size < 0) text = "-" + std::to_string(errno);
    if (file >= 0) close(file);
    return text;
  });
  if (outcome.starts_with('+')) return outcome.substr(1);
  throw std::system_error(std::atoi(outcome.c_str() + 1), std::generic_category(), "cannot read " + path.string());
}

}  // namespace reprise
