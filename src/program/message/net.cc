#include "program/message/net.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

#include "program/message/world.h"

namespace reprise::messaging {
namespace {

constexpr int backlog = 512;
constexpr int look_again_ms = 5;
constexpr int replay_send_bytes = 1 << 20;  // the system may grant less

// A path of any length fits through the folder's file.
sockaddr_un address_in(int folder, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name.c_str());
  return address;
}

int closed(int file) {
  const int error = errno;
  if (file >= 0) close(file);
  errno = error;
  return -1;
}

struct Addresses {
  addrinfo* first{nullptr};
  int error{0};
  Addresses(const std::string& host, std::uint16_t port, bool passive) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
    error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
    if (error != 0) first = nullptr;
  }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  ~Addresses() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

void at_once(int file) {
  const int yes = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool connect_in_time(int file, const addrinfo& address, const Deadline& deadline) {
  if (connect(file, address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd waiting{file, POLLOUT, 0};
  const int limit = deadline.for_ever ? 5000 : std::max(1, deadline.milliseconds());
  if (poll(&waiting, 1, limit) <= 0) {
    errno = ETIMEDOUT;
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0;
}

}  // namespace

int Deadline::milliseconds() const {
  if (for_ever) return -1;
  if (is_now) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(at - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

int listen_unix(int folder, const std::string& name) {
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_in(folder, name);
  if (file < 0 || bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(file, backlog) != 0)
    return closed(file);
  return file;
}

int listen_tcp(const std::string& host, std::uint16_t port) {
  const Addresses addresses(host, port, true);
  errno = EADDRNOTAVAIL;
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    const int file = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    if (file >= 0) setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (file >= 0 && bind(file, address->ai_addr, address->ai_addrlen) == 0 && listen(file, backlog) == 0) return file;
    closed(file);
  }
  return -1;
}

std::uint16_t port_of(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(&address);
  const auto* ipv6 = reinterpret_cast<const sockaddr_in6*>(&address);
  return ntohs(address.ss_family == AF_INET6 ? ipv6->sin6_port : ipv4->sin_port);
}

std::string unknown_host(const std::string& host, bool& may_come) {
  const Addresses addresses(host, 0, false);
  may_come = addresses.error == EAI_AGAIN;
  return addresses.error == 0 ? std::string() : gai_strerror(addresses.error);
}

int connect_unix(int folder, const std::string& name) {
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_in(folder, name);
  while (file >= 0 && connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINTR) return closed(file);
  }
  return file;
}

int connect_tcp(const std::string& host, std::uint16_t port, const Deadline& deadline) {
  const Addresses addresses(host, port, false);
  errno = EADDRNOTAVAIL;
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    const int file = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file >= 0 && connect_in_time(file, *address, deadline)) {
      at_once(file);
      const int flags = fcntl(file, F_GETFL);
      fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
      return file;
    }
    closed(file);
  }
  return -1;
}

int send_frame(int file, const Header& header, std::string_view bytes, bool replaying) {
  std::uint8_t head[header_bytes];
  put(header, head);
  iovec parts[2] = {{head, header_bytes}, {const_cast<char*>(bytes.data()), bytes.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = bytes.empty() ? 1 : 2;
  const int flags = MSG_NOSIGNAL | (replaying ? MSG_DONTWAIT : 0);
  for (std::size_t left = header_bytes + bytes.size();;) {
    const ssize_t sent = sendmsg(file, &message, flags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && replaying && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      await(file, POLLOUT, Deadline(for_ever), true);
      continue;
    }
    if (sent < 0) return errno;
    left -= static_cast<std::size_t>(sent);
    if (left == 0) return 0;
    for (auto gone = static_cast<std::size_t>(sent); gone > 0;) {
      iovec& part = *message.msg_iov;
      const std::size_t here = std::min(gone, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + here;
      part.iov_len -= here;
      gone -= here;
      if (part.iov_len == 0 && message.msg_iovlen > 1) {
        ++message.msg_iov;
        --message.msg_iovlen;
      }
    }
  }
}

bool await(int file, short events, const Deadline& deadline, bool replaying) {
  std::vector<pollfd> files;
  if (file >= 0) files.push_back({file, events, 0});
  if (replaying) world().add_mailboxes(files);
  // Replaying, another thread may read what this one waits for: it looks again now and then.
  const int limit = deadline.milliseconds();
  const int milliseconds = replaying && (limit < 0 || limit > look_again_ms) ? look_again_ms : limit;
  const int ready = poll(files.data(), files.size(), milliseconds);
  if (replaying && ready > 0) world().read_early();
  return ready != 0 || !deadline.is_over();
}

void enlarge(int file) { setsockopt(file, SOL_SOCKET, SO_SNDBUF, &replay_send_bytes, sizeof replay_send_bytes); }

}  // namespace reprise::messaging
