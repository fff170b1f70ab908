// What the message layer knows of its process: the run it belongs to, its mailboxes and connections, who is replayed.
//
//   world().run();                     // opened when first asked for
//   world().is_replayed(process, party);
//
// Threads   Any.
// Lifetime  Never destroyed. In a forked child everything is closed: it belongs to the parent.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/message/registry.h"

namespace reprise::messaging {

class Mailbox;
class Connection;

class World {
 public:
  World();

  // Errors: those of Run::open.
  Result<std::shared_ptr<Run>> run();
  const std::string& host() const { return host_; }

  // Is `process`, or the process of `party`, replayed too? Always, unless REPRISE_ONLY names others.
  bool is_replayed(std::string_view process, std::string_view party) const;
  // Replay: does an error come where it was recorded (true), or by itself (REPRISE_EXCEPTIONS=trace-only)? What did not
  // come of itself as it was recorded is then a difference.
  bool simulates_errors() const { return simulates_errors_; }
  // This process stands at a checkpoint, or goes on from one: there are no others, and no sockets.
  bool is_alone() const { return is_alone_; }
  // A merged recording: who received from a connection of this process (REPRISE_ROUTES, made by `reprise merge`).
  struct Route {
    std::uint32_t incarnation{1};
    std::string process;
  };
  static bool has_routes();
  std::optional<Route> route(std::uint64_t connection);

  // Are the contents of what comes from there recorded (REPRISE_GROUPS puts it into another group)?
  bool is_other_group(std::string_view process, std::string_view party) const;

  void add(Mailbox& mailbox);
  void remove(Mailbox& mailbox);
  void add(Connection& connection);
  void remove(Connection& connection);

  // Replay: early messages are read while a thread waits.
  void add_mailboxes(std::vector<pollfd>& files);
  void read_early();

 private:
  static void close_in_child();
  static bool hold_still();
  static void go_on();

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Run> run_;
  std::vector<Mailbox*> mailboxes_;
  std::vector<Connection*> connections_;
  std::optional<std::map<std::uint64_t, Route>> routes_;  // once it was asked for

  bool is_alone_{false};
  bool simulates_errors_{true};
  std::string host_;
  std::vector<std::string> only_;
  std::vector<std::vector<std::string>> groups_;
};

World& world();

}  // namespace reprise::messaging
