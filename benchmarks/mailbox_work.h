// What the processes of the mailbox benchmark do: sides of a pair that stay, and programs whose sequence is forced.
#pragma once

#include <reprise/mailbox.h>
#include <reprise/thread.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "measure.h"

namespace bench {

constexpr std::size_t mail_size = 64;

inline double process_ns() { return now_ns(CLOCK_PROCESS_CPUTIME_ID); }

// Receives; "?" asks for the processor time so far.
template <typename Box>
int run_mail_sink() {
  Box box("box");
  reprise::sender<std::string> back("back");
  back.connect();
  for (;;) {
    if (box.receive() == "?") back.send(std::to_string(process_ns()));
  }
}

// Reads numbers of messages; answers each with nanoseconds by the clock and of both processes' processors.
inline int run_mail_driver() {
  reprise::mailbox<std::string> back("back");
  reprise::sender<std::string> box("box");
  box.connect();
  const std::string mail(mail_size, 'm');
  const auto sink_ns = [&] {
    box.send("?");
    return std::strtod(back.receive().c_str(), nullptr);
  };
  for (std::uint64_t count = 0; std::cin >> count;) {
    const double before_ns = sink_ns() + process_ns();
    const double start_ns = wall_ns();
    for (std::uint64_t i = 0; i < count; ++i) box.send(mail);
    const double after_ns = sink_ns();
    std::printf("%.0f %.0f\n", wall_ns() - start_ns, after_ns + process_ns() - before_ns);
    std::fflush(stdout);
  }
  std::_Exit(0);  // what was recorded is thrown away
}

// ---- programs whose sequence is forced; the time goes into a file, since nobody sees their output ----

inline void send_mails(std::uint64_t count) {
  reprise::sender<std::string> box("box");
  box.connect();
  const std::string mail(mail_size, 'm');
  for (std::uint64_t i = 0; i < count; ++i) box.send(mail);
  box.close();
}

inline int run_mail_taker(std::uint64_t count, int threads, const std::string& file) {
  reprise::mailbox<std::string> box("box");
  std::vector<reprise::thread> senders;
  for (int i = 0; i < threads; ++i) {
    senders.emplace_back([=] { send_mails(count / static_cast<std::uint64_t>(threads)); });
  }
  box.receive();
  const double start_ns = wall_ns();
  for (std::uint64_t i = 1; i < count; ++i) box.receive();
  std::ofstream(file) << "elapsed_ns " << wall_ns() - start_ns << "\n";
  for (reprise::thread& sender : senders) sender.join();
  box.close();
  return 0;
}

}  // namespace bench
