// Who sent to whom, as the receivers' logs say: one row for each connection that a mailbox took a message from.
//
//   for (const MessageSource& source : message_sources(log)) use(source.party, source.from.process);
//
// Trust     What stands in a log may be anything: what is no row is left out. Texts are not escaped.
// Cost      One pass over the log.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "recording/log.h"

namespace reprise::analyse {

struct MessageSource {
  ObjectId mailbox{0};
  std::string party;  // the receiver's
  std::uint32_t incarnation{1};
  std::uint64_t number{0};  // of the source, in that mailbox
  struct From {
    std::string party;
    std::uint32_t incarnation{1};
    std::string process;
    std::string host;
    ObjectId connection{0};  // in the log of `process`
  } from;
};

// A damaged stream is read as far as it goes.
std::vector<MessageSource> message_sources(const recording::Log& log);

// Names of the processes where parties were found, as far as who looked for them could know.
std::set<std::string> found_processes(const recording::Log& log);

}  // namespace reprise::analyse
