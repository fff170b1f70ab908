// The modes of CARE. A mode is chosen before main by the environment; so a program that asks for another one by itself
// starts anew with that environment, before it has done anything.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "gate/free.h"
#include "program/message/care.h"
#include "recording/folder.h"

namespace reprise::care {
namespace {

struct Mode {
  const char* name;
  int number;
};
constexpr std::array modes{Mode{"NORMAL", NORMAL},
                           Mode{"REPLAY", REPLAY},
                           Mode{"CAPTURE", CAPTURE},
                           Mode{"REPLAY_ONE", REPLAY_ONE},
                           Mode{"FULL_CAPTURE", FULL_CAPTURE},
                           Mode{"CHECKPOINT", CHECKPOINT}};

// -1: there is no such mode.
int wanted_mode(const int* own) {
  const char* text = std::getenv("CARE_MODE");
  for (const Mode& mode : modes) {
    if (text != nullptr ? std::string_view(text) == mode.name : own != nullptr && *own == mode.number)
      return mode.number;
  }
  return text == nullptr && own == nullptr ? NORMAL : -1;
}

constexpr int default_count = 100;
const int* own_count = nullptr;

// Events between two checkpoints.
int checkpoint_count() {
  const char* text = std::getenv("CARE_CP_COUNT");
  const int count = text != nullptr ? std::atoi(text) : own_count != nullptr ? *own_count : default_count;
  return count > 0 ? count : default_count;
}

// A capture replaces the one before it, as CARE's files did. What is no recording is left alone: making it fails then.
void make_room(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder / recording::manifest_name, error)) std::filesystem::remove_all(folder, error);
}

bool start_anew() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  const int why = errno;
  warn(std::string("cannot start the program anew: ") + std::strerror(why));
  errno = why;
  return false;
}

}  // namespace

bool enter_mode(const int* own) {
  if (gate::installed != nullptr) return true;
  const int mode = wanted_mode(own);
  if (mode == NORMAL) return true;
  if (mode < 0) {
    warn("there is no such mode; CARE_MODE is one of NORMAL CAPTURE FULL_CAPTURE REPLAY REPLAY_ONE CHECKPOINT");
    errno = EINVAL;
    return false;
  }
  const std::string process = gate::process_name;
  const std::string folder = process + "_rec" + std::string(recording::folder_suffix);
  const bool captures = mode == CAPTURE || mode == FULL_CAPTURE || mode == CHECKPOINT;
  if (captures) make_room(folder);
  setenv(captures ? "REPRISE_RECORD" : "REPRISE_REPLAY", folder.c_str(), 1);
  setenv("REPRISE_PROCESS", process.c_str(), 1);
  if (mode == FULL_CAPTURE || mode == CHECKPOINT) setenv("REPRISE_LEVEL", "data", 1);
  // As CARE did: the one before is ended.
  if (mode == CHECKPOINT) setenv("REPRISE_CHECKPOINT", (std::to_string(checkpoint_count()) + ":1").c_str(), 1);
  if (mode == REPLAY_ONE) setenv("REPRISE_ONLY", process.c_str(), 1);
  return start_anew();
}

}  // namespace reprise::care

void care_count(const int* count) { reprise::care::own_count = count; }
