#include "drive/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::drive {
namespace {

struct Relation {
  pid_t pid;
  pid_t parent;
};

// The parent stands behind the name, which may hold anything, so it is looked for from the last parenthesis.
pid_t parent_of(pid_t pid) {
  const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[512];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return -1;
  text[size] = '\0';
  const std::size_t end = std::string_view(text).rfind(')');
  int parent = -1;
  if (end == std::string_view::npos || std::sscanf(text + end + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

std::vector<Relation> all_processes() {
  std::vector<Relation> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0) found.push_back({pid, parent_of(pid)});
  }
  return found;
}

}  // namespace

void kill_with_descendants(const std::vector<pid_t>& children) {
  std::vector<pid_t> tree = children;
  for (const pid_t child : children) kill(child, SIGSTOP);
  // What is stopped starts nothing new: once a look finds nobody, nobody is missing.
  for (std::size_t before = 0; before != tree.size();) {
    before = tree.size();
    for (const Relation& process : all_processes()) {
      const bool is_below = std::find(tree.begin(), tree.end(), process.parent) != tree.end();
      const bool is_known = std::find(tree.begin(), tree.end(), process.pid) != tree.end();
      if (!is_below || is_known) continue;
      kill(process.pid, SIGSTOP);
      tree.push_back(process.pid);
    }
  }
  for (const pid_t member : tree) kill(member, SIGKILL);
}

}  // namespace reprise::drive
