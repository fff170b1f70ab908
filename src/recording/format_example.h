// The example of format/recording.md: what two threads left that met at a mutex. Shared by the test and by nobody else.
#pragma once

#include "recording/log_for_test.h"

namespace reprise::test {

inline void write_format_example(const std::filesystem::path& path) {
  recording::Live& live = create_live(path);
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  main.count(Kind::spawn, 2);
  const ObjectId accounts = main.new_object();
  main.write_at(Kind::lock, accounts, 1);
  main.write({.kind = Kind::label, .object = accounts, .value = "accounts"});
  main.count(Kind::unlock, accounts);
  child.write({.kind = Kind::try_failed, .object = accounts, .number = 1});
  child.write({.kind = Kind::try_failed, .object = accounts, .number = 1});
  child.write_at(Kind::lock, accounts, 2);
  child.count(Kind::unlock, accounts);
  main.write_at(Kind::lock, accounts, 3);
  main.count(Kind::unlock, accounts);
  child.write({.kind = Kind::value, .value = "42", .name = "answer"});
  child.end();
  main.count(Kind::join, 2);
  main.write({.kind = Kind::clock, .number = 1000});
  main.write({.kind = Kind::exit, .number = 0});
  live.header().end_thread = main_thread;
  live.header().end_kind = static_cast<std::uint32_t>(recording::EndKind::exited);
}

}  // namespace reprise::test
