// Whose message a receive got: the sender's party and thread, and which of its messages it was.
//
//   const Senders senders(log, [&](const std::string& process) { return open_log_of(process); });
//   if (auto sender = senders.of(event)) print(text_of(*sender));   // "anna, thread 0.1, message 3"
//
// The receiver's log says from which connection the messages came, and where another one's came first; a message that
// was not written came from the same one as that before it. The sender's log says whose turn it was on that connection.
//
// Trust     What a log does not say is not known: then thread and number in it are missing, or nothing at all.
// Cost      One pass over the receiver's log and one over that of each process that sent to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyse/sources.h"
#include "recording/log.h"

namespace reprise::analyse {

struct Sender {
  MessageSource::From from;
  std::uint64_t number{0};         // the how-manyth message of its connection, from 1
  std::string thread{};            // its path; empty: the sender's log is not here
  std::uint64_t thread_number{0};  // the how-manyth of that thread on the connection, from 1
};

// "anna, thread 0.1, message 3", escaped.
std::string text_of(const Sender& sender);

class Senders {
 public:
  // The log of a process, if there is one.
  using Find = std::function<std::optional<recording::Log>(const std::string& process)>;
  Senders(const recording::Log& receiver, const Find& find);

  // Of an event `receive` of the receiver, or of a trace of it.
  std::optional<Sender> of(const recording::Event& receive) const;

 private:
  // From this order on, until the next one: so many of the same had come before.
  struct Stretch {
    std::uint64_t whose{0};  // a source, or a thread
    std::uint64_t before{0};
  };
  using Stretches = std::map<std::uint64_t, Stretch>;  // by the order it begins at

  static void count(Stretches& stretches);
  void read_receiver(const recording::Log& log);
  void read_senders(const Find& find);

  std::map<std::pair<ObjectId, std::uint64_t>, MessageSource::From> sources_;  // by mailbox and number
  std::map<ObjectId, Stretches> mailboxes_;
  std::map<std::pair<std::string, ObjectId>, Stretches> connections_;  // by process
  std::map<std::pair<std::string, ThreadIndex>, std::string> threads_;
};

}  // namespace reprise::analyse
