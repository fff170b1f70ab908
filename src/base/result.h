// Errors of the world (a missing file, a torn recording): values, never exceptions.
//
//   Result<Log> log = Log::open(path);
//   if (!log) return tl::unexpected(log.error());
//
// An ErrorCode exists only where some caller branches on it; the message names the thing, the cause and the cure.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace reprise {

enum class ErrorCode {
  not_found,            // no such recording, file or program
  not_a_recording,      // something is there, but it is not ours
  version_unsupported,  // ours, from another time
  damaged,              // ours, but a MUST of format/recording.md does not hold
  io,                   // the system said no
  usage,                // the caller asked for something that makes no sense
  unsupported,          // refused, aloud
  interrupted,          // the user stopped it
};

struct Error {
  ErrorCode code;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace reprise
