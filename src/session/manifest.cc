#include "session/manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include "recording/folder.h"

extern char** environ;

namespace reprise::session {
namespace {

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// What is not plain ASCII stands as base64: the manifest's grammar allows it for any text.
std::string json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c < 0x20 || c == 0x7F) return "{\"base64\": \"" + base64(text) + "\"}";
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string json(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? ", " : "") + json(text);
  return list + "]";
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) words.emplace_back("?");
  return words;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string own_manifest(const std::string& name, const std::string& process) {
  std::error_code error;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const std::string directory = std::filesystem::current_path(error).string();
  return "{\"version\": 1, \"name\": " + json(name) + ", \"created\": " + json(now_utc()) +
         ", \"reprise\": \"\", \"command\": " + json(own_command()) + ", \"directory\": " + json(directory) +
         ", \"environment\": " + json(own_environment()) + ", \"program\": {\"path\": " + json(program) +
         ", \"build_id\": \"\", \"image\": \"\"}, \"libraries\": [], \"processes\": " +
         json(std::vector<std::string>{process}) +
         ", \"level\": \"order\", \"options\": {\"full\": false, \"chaos\": null, \"timeout\": null}, "
         "\"randomize_off\": false, \"host\": " +
         json(std::string(host)) + ", \"end\": {\"kind\": \"unknown\", \"code\": 0}, \"gates_met\": true}\n";
}

}  // namespace

Result<void> make_folder(const std::filesystem::path& folder, const std::string& process) {
  if (mkdir(folder.c_str(), 0700) != 0) {
    return fail(ErrorCode::io, "cannot make " + folder.string() + ": " + std::strerror(errno) +
                                   "; REPRISE_RECORD wants the name of a folder that is not there yet");
  }
  std::string name = folder.filename().string();
  if (name.ends_with(recording::folder_suffix)) name.resize(name.size() - recording::folder_suffix.size());
  if (!recording::is_valid_name(name)) name = process;
  const std::filesystem::path path = folder / recording::manifest_name;
  const std::string text = own_manifest(name, process);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) close(file);
  if (!written) return fail(ErrorCode::io, "cannot write " + path.string() + ": " + std::strerror(errno));
  return {};
}

}  // namespace reprise::session
