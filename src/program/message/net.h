// Sockets, as the message layer needs them: blocking, never raising SIGPIPE, closed on exec.
//
//   int file = connect_unix(folder, "server.socket");
//   if (int error = send_frame(file, header, bytes, false)) ...
//
// Errors    An error number of the system, or -1 for a file with errno set.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "program/message/wire.h"

namespace reprise::messaging {

using Clock = std::chrono::steady_clock;

// Until when something is waited for.
struct Deadline {
  explicit Deadline(Time time)
      : for_ever(time < Time::zero()),
        is_now(time == Time::zero()),
        at(for_ever || is_now ? Clock::time_point{} : Clock::now() + time) {}
  bool for_ever;
  bool is_now;
  Clock::time_point at;

  bool is_over() const { return is_now || (!for_ever && Clock::now() >= at); }
  // As poll() wants it.
  int milliseconds() const;
};

int listen_unix(int folder, const std::string& name);
int listen_tcp(const std::string& host, std::uint16_t port);
// The port that a listener got.
std::uint16_t port_of(int listener);
// Empty: `host` has an address. Else why not; `may_come`: it may have one later.
std::string unknown_host(const std::string& host, bool& may_come);
int connect_unix(int folder, const std::string& name);
int connect_tcp(const std::string& host, std::uint16_t port, const Deadline& deadline);

// All of it, or the error's number. Replaying, it reads for this process's mailboxes while it waits.
int send_frame(int file, const Header& header, std::string_view bytes, bool replaying);

// Waits for `events` at `file` (-1: for nothing but the mailboxes). Replaying, it reads for this process's mailboxes
// meanwhile and may return early. False: the time is over.
bool await(int file, short events, const Deadline& deadline, bool replaying);

// More room on replay: nobody may wait there who did not have to when recorded.
void enlarge(int file);

}  // namespace reprise::messaging
