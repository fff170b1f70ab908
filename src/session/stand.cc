#include "session/stand.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace reprise::session {
namespace {

constexpr int look_interval_ms = 1000;
constexpr int files_of_request = 3;

// Past the gate: neither the program's end nor its fork.
[[noreturn]] void leave(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

using Fork = pid_t();
Fork* native_fork = nullptr;

// The helper shares our memory and has stopped us, as with vfork; it makes the copy and ends. Its copy returns.
[[gnu::noinline]] void make_copy(volatile pid_t* copy) {
  const pid_t made = native_fork();
  if (made == 0) return;
  *copy = made;
  leave(0);
}

// As vfork, but its end sends no signal, and only who asks for it sees it.
[[gnu::always_inline]] inline long fork_sharing() {
#if defined(__x86_64__)
  long result = SYS_clone;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(static_cast<long>(CLONE_VM | CLONE_VFORK)), "S"(0L), "d"(0L), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
#else
  return syscall(SYS_clone, 0, 0, 0, 0, 0);  // a copy of its own: slower, and right
#endif
}

bool names_us(const std::filesystem::path& entry) {
  const int file = open(entry.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  char wanted[32];
  std::snprintf(wanted, sizeof wanted, "\npid %d\n", getpid());
  return std::strstr(text, wanted) != nullptr;
}

struct Request {
  std::string text;
  std::vector<int> files;
};

void close_all(const std::vector<int>& files) {
  for (const int file : files) close(file);
}

// One packet with three files. Only this user's processes are listened to.
std::optional<Request> receive(int connection) {
  ucred peer{};
  socklen_t peer_size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0 || peer.uid != geteuid())
    return std::nullopt;
  Request request;
  request.text.resize(recording::wake_bytes_max);
  iovec part{request.text.data(), request.text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(files_of_request * sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  pollfd waiting{connection, POLLIN, 0};
  if (poll(&waiting, 1, look_interval_ms) <= 0) return std::nullopt;
  const ssize_t size = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return std::nullopt;
  request.text.resize(static_cast<std::size_t>(size));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    request.files.resize(count);
    std::memcpy(request.files.data(), CMSG_DATA(header), count * sizeof(int));
  }
  if (request.files.size() == files_of_request) return request;
  close_all(request.files);
  return std::nullopt;
}

void tell(int connection, const char* what, int number) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "%s %d", what, number);
  (void)!send(connection, text, static_cast<std::size_t>(size), MSG_NOSIGNAL);
}

// Waits for the end of the one that goes on, or until nobody wants to know any more.
void attend(int connection, pid_t pid) {
  tell(connection, "pid", pid);
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd files[2] = {{process, POLLIN, 0}, {connection, 0, 0}};
  while (poll(files, 2, process < 0 ? 10 : -1) < 0 && errno == EINTR) {
  }
  if (files[0].revents == 0 && files[1].revents != 0) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (process >= 0) close(process);
  if (WIFSIGNALED(status)) {
    tell(connection, "signal", WTERMSIG(status));
  } else {
    tell(connection, "exit", WEXITSTATUS(status));
  }
}

void use_files(const std::vector<int>& files) {
  for (int number = 0; number < files_of_request; ++number) dup2(files[static_cast<std::size_t>(number)], number);
  close_all(files);
}

void replace(int file, int by) {
  const int flags = fcntl(file, F_GETFD);
  dup3(by, file, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
}

void let_file_go(int file, int nowhere) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return;
  const int flags = fcntl(file, F_GETFL);
  const bool reads_only = (flags & O_ACCMODE) == O_RDONLY;
  if (S_ISREG(facts.st_mode) && reads_only) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int again = open(path, O_RDONLY | O_CLOEXEC);
    if (again < 0) return replace(file, nowhere);
    lseek(again, lseek(file, 0, SEEK_CUR), SEEK_SET);
    replace(file, again);
    close(again);
    return;
  }
  const bool is_plain_device = S_ISCHR(facts.st_mode) && file > STDERR_FILENO;
  if (!S_ISDIR(facts.st_mode) && !is_plain_device) replace(file, nowhere);
}

}  // namespace

int fork_orphan() {
  if (native_fork == nullptr) native_fork = reinterpret_cast<Fork*>(dlsym(RTLD_NEXT, "fork"));
  volatile pid_t copy = -1;
  const long helper = fork_sharing();
  if (helper == 0) {
    make_copy(&copy);
    return 0;
  }
  if (helper > 0) {
    while (waitpid(static_cast<pid_t>(helper), nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  }
  return copy;
}

void let_files_go() {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr || nowhere < 0) leave(1);
  std::vector<int> files;
  while (const dirent* entry = readdir(folder)) {
    const int file = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && file != nowhere && file != dirfd(folder)) files.push_back(file);
  }
  closedir(folder);
  for (const int file : files) let_file_go(file, nowhere);
  close(nowhere);
}

recording::WakeRequest stand(const std::string& folder, std::uint64_t number) {
  const std::filesystem::path entry = recording::entry_path(folder, number);
  const int listener = recording::listen_at(recording::socket_path(folder, number));
  if (listener < 0) leave(1);
  for (;;) {
    pollfd waiting{listener, POLLIN, 0};
    const int ready = poll(&waiting, 1, look_interval_ms);
    if (!names_us(entry)) leave(0);
    if (ready <= 0) continue;
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (const auto request = receive(connection)) {
      const pid_t parent = getpid();
      const pid_t pid = native_fork();
      if (pid == 0) {
        close(listener);
        close(connection);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) leave(1);
        use_files(request->files);
        return recording::wake_request(request->text);
      }
      close_all(request->files);
      if (pid > 0) attend(connection, pid);
    }
    close(connection);
  }
}

}  // namespace reprise::session
