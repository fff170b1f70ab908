// The two ends of a connection, as processes of their own: a sink that takes and replies, and a driver that sends on
// command and tells how long it took. Over reprise::party, or over a raw socket with the same frames (24 bytes, then
// the message; one sendmsg each; reads of up to 64 KiB; each message ends up in a string of its own).
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <reprise/message.h>
#include <reprise/reprise.h>
#include <reprise/shared.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "measure.h"

namespace bench {

constexpr std::size_t message_size = 64;
constexpr std::size_t frame_head = 24;

// A raw socket, a path or a port of loopback.
class RawSocket {
 public:
  explicit RawSocket(const std::string& place) : is_tcp_(place.find('/') == std::string::npos) {
    file_ = socket(is_tcp_ ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
    tcp_.sin_family = AF_INET;
    tcp_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    unix_.sun_family = AF_UNIX;
    if (is_tcp_) {
      tcp_.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place)));
    } else {
      place.copy(unix_.sun_path, sizeof unix_.sun_path - 1);
    }
  }
  void accept_one() {
    const int yes = 1;
    setsockopt(file_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(file_, address(), size()) != 0 || listen(file_, 1) != 0) std::perror("listen");
    file_ = accept(file_, nullptr, nullptr);
  }
  void connect_to() {
    while (connect(file_, address(), size()) != 0) {
      close(file_);
      file_ = socket(is_tcp_ ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
      usleep(1000);
    }
    const int yes = 1;
    if (is_tcp_) setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  void send(std::uint8_t type, const std::string& bytes) {
    char head[frame_head]{};
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(head, &length, sizeof length);
    head[frame_head - 1] = static_cast<char>(type);
    iovec parts[2] = {{head, sizeof head}, {const_cast<char*>(bytes.data()), bytes.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = sendmsg(file_, &message, MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(sizeof head + bytes.size())) std::_Exit(1);  // blocking: all or an error
  }
  // False: the other side is gone.
  bool receive(std::uint8_t& type, std::string& bytes) {
    for (;;) {
      if (end_ - begin_ >= frame_head) {
        std::uint32_t length = 0;
        std::memcpy(&length, buffer_.data() + begin_, sizeof length);
        if (end_ - begin_ >= frame_head + length) {
          type = static_cast<std::uint8_t>(buffer_[begin_ + frame_head - 1]);
          bytes = std::string(buffer_.data() + begin_ + frame_head, length);
          begin_ += frame_head + length;
          return true;
        }
      }
      if (begin_ == end_) begin_ = end_ = 0;
      if (end_ == buffer_.size()) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      }
      const ssize_t size = recv(file_, buffer_.data() + end_, buffer_.size() - end_, 0);
      if (size <= 0) return false;
      end_ += static_cast<std::size_t>(size);
    }
  }

 private:
  const sockaddr* address() const {
    return is_tcp_ ? reinterpret_cast<const sockaddr*>(&tcp_) : reinterpret_cast<const sockaddr*>(&unix_);
  }
  socklen_t size() const { return is_tcp_ ? sizeof tcp_ : sizeof unix_; }

  bool is_tcp_;
  int file_;
  sockaddr_in tcp_{};
  sockaddr_un unix_{};
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t begin_{0};
  std::size_t end_{0};
};

// `place` empty: a party.
inline int run_sink(const std::string& place) {
  std::uint64_t sum = 0;
  if (place.empty()) {
    reprise::party me("sink");
    for (;;) {
      reprise::message message = me.receive();
      sum += message.bytes().size();
      if (message.expects_reply()) message.reply(std::string(message_size, 'r'));
    }
  }
  RawSocket socket(place);
  socket.accept_one();
  std::uint8_t type = 0;
  for (std::string bytes; socket.receive(type, bytes);) {
    sum += bytes.size();
    if (type == 3) socket.send(4, std::string(message_size, 'r'));
  }
  return sum == 0 ? 1 : 0;
}

// The time of `size` messages, until the last one was taken, or of `size` calls.
template <typename Send, typename Call>
double time_messages(bool calls, std::uint64_t size, Send send, Call call) {
  const double start = wall_ns();
  if (calls) {
    for (std::uint64_t i = 0; i < size; ++i) call();
  } else {
    for (std::uint64_t i = 0; i < size; ++i) send();
    call();
  }
  return wall_ns() - start;
}

inline double time_shared(bool writes, std::uint64_t size) {
  static reprise::shared<int> number;
  std::uint64_t sum = 0;
  const double start = wall_ns();
  for (std::uint64_t i = 0; i < size; ++i) {
    if (writes) {
      *number.write() = static_cast<int>(i);
    } else {
      sum += static_cast<std::uint64_t>(*number.read());
    }
  }
  const double taken = wall_ns() - start;
  return sum == 1 ? 0 : taken;
}

// Reads lines `oneway N`, `call N`, `read N`, `write N` and answers each with nanoseconds.
inline int run_driver(const std::string& place) {
  const std::string bytes(message_size, 'm');
  const auto serve = [&](auto send, auto call) {
    std::string what;
    for (std::uint64_t size = 0; std::cin >> what >> size;) {
      const bool is_shared = what == "read" || what == "write";
      std::printf("%.0f\n",
                  is_shared ? time_shared(what == "write", size) : time_messages(what == "call", size, send, call));
      std::fflush(stdout);
    }
    std::_Exit(0);  // what was recorded is thrown away
    return 0;
  };
  const reprise::thread second([] { pause(); });  // or glibc takes its path for a single thread
  if (place == "alone") return serve([] {}, [] {});
  if (place.empty()) {
    reprise::party me("driver");
    reprise::peer sink = me.find("sink");
    return serve([&] { sink.send(bytes); }, [&] { sink.call(bytes); });
  }
  RawSocket socket(place);
  socket.connect_to();
  std::uint8_t type = 0;
  std::string reply;
  return serve([&] { socket.send(2, bytes); },
               [&] {
                 socket.send(3, bytes);
                 socket.receive(type, reply);
               });
}

// Programs of a system that is recorded and replayed by the tool.
inline int run_message_guest(const std::string& name, std::uint64_t size, std::uint64_t senders) {
  if (name == "taker") {
    reprise::party me("taker");
    const double start = wall_ns();
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < size * senders; ++i) bytes += me.receive().bytes().size();
    std::printf("elapsed_ns %.0f count %llu bytes %llu\n", wall_ns() - start,
                static_cast<unsigned long long>(size * senders), static_cast<unsigned long long>(bytes));
    return 0;
  }
  reprise::party me(name);
  reprise::peer taker = me.find("taker");
  const std::string bytes(message_size, 'm');
  for (std::uint64_t i = 0; i < size; ++i) taker.send(bytes);
  return 0;
}

}  // namespace bench
