// The kinds of events: one enumerator per kind of gate passage. Names, classes and what is written for each stand in
// src/recording/kind.h; the byte values are part of format/recording.md and are never reused.
#pragma once

#include <cstdint>

namespace reprise {

enum class Kind : std::uint8_t {
  none = 0,
  lock = 1,
  unlock = 2,
  try_failed = 3,
  wait = 4,
  relock = 5,
  relock_timeout = 6,
  notify_one = 7,
  notify_all = 8,
  wake = 9,
  wake_timeout = 10,
  load = 11,
  store = 12,
  modify = 13,
  compare_failed = 14,
  value = 15,
  clock = 16,
  sleep = 17,
  spawn = 18,
  join = 19,
  end = 20,
  output = 21,
  guard = 22,
  exit = 23,
  crash = 24,
  detach = 25,
  lock_nested = 26,
  unlock_nested = 27,
  acquire = 28,
  release = 29,
  arrive = 30,
  await = 31,
  connect = 32,
  send = 33,
  receive = 34,
  reply = 35,
  answer = 36,
  source = 37,
  fault = 38,
  lock_shared = 40,
  unlock_shared = 41,
  write_lock = 42,
  content = 43,
  fork = 44,
  exec = 45,
  monitor = 56,
  semaphore = 57,
  mailbox = 58,
  label = 63,  // names an object; not a step
};

}  // namespace reprise
