// Two hosts on this machine: network namespaces without a name, joined by one link, gone with this process.
//
//   Hosts hosts;
//   if (hosts.made()) { ... in a child: hosts.enter(0); ... }       // its address is Hosts::address(0)
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace bench {

class Hosts {
 public:
  Hosts() {
    for (int which = 0; which < 2; ++which) {
      if (!open_namespace(which)) return;
    }
    const std::string other = std::to_string(holders_[1]);
    made_ = in(0, "ip link add far0 type veth peer name far1 && ip link set far1 netns " + other + bring_up(0)) &&
            in(1, "true" + bring_up(1));
  }
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;
  ~Hosts() {
    for (const pid_t holder : holders_) {
      if (holder <= 0) continue;
      kill(holder, SIGKILL);
      waitpid(holder, nullptr, 0);
    }
  }

  // False where namespaces are not permitted, or `ip` is missing.
  bool made() const { return made_; }
  static std::string address(int which) { return "10.213.0." + std::to_string(which + 1); }
  // Moves the calling process to a host.
  bool enter(int which) const {
    const std::string path = "/proc/" + std::to_string(holders_[static_cast<std::size_t>(which)]) + "/ns/net";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return file >= 0 && setns(file, CLONE_NEWNET) == 0;
  }

 private:
  static std::string bring_up(int which) {
    const std::string name = "far" + std::to_string(which);
    return " && ip addr add " + address(which) + "/24 dev " + name + " && ip link set " + name +
           " up && ip link set lo up";
  }
  // A process that does nothing but be in a namespace of its own.
  bool open_namespace(int which) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return false;
    const pid_t holder = fork();
    if (holder == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const char is_alone = unshare(CLONE_NEWNET) == 0 ? 1 : 0;
      if (write(ready[1], &is_alone, 1) != 1) _exit(1);
      for (;;) pause();
    }
    holders_[static_cast<std::size_t>(which)] = holder;
    close(ready[1]);
    char is_alone = 0;
    const bool answered = holder > 0 && read(ready[0], &is_alone, 1) == 1;
    close(ready[0]);
    return answered && is_alone == 1;
  }
  bool in(int which, const std::string& commands) const {
    const pid_t child = fork();
    if (child == 0) {
      const std::string quiet = "{ " + commands + "; } >/dev/null 2>&1";
      _exit(enter(which) && std::system(("PATH=$PATH:/sbin:/usr/sbin; " + quiet).c_str()) == 0 ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }

  std::array<pid_t, 2> holders_{};
  bool made_{false};
};

}  // namespace bench
