// What a call that fills a buffer came to, as text: '+' and the bytes, or '-' and the error's number.
//
//   return give(value("stdin", [&] { return outcome_of(buffer, next_read.get()(file, buffer, size)); }), buffer, size);
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace reprise::libc {

// `result` is the number of bytes, or below 0 with errno set.
std::string outcome_of(const void* buffer, ssize_t result);
// The same again: fills the buffer and gives the number of bytes, or sets errno.
ssize_t give(const std::string& outcome, void* buffer, std::size_t size);

}  // namespace reprise::libc
