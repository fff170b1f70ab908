// Who is where: the folder of a run, with one entry per party.
//
//   auto run = Run::open();                                     // REPRISE_RUN, or one per user and working folder
//   auto entry = run->add("server", 0, process, sockets);       // 0: the next incarnation
//   std::optional<Located> there = run->look("server");
//
// An entry is written beside its place, locked and renamed: it is seen whole or not at all. It is locked as long as its
// owner lives; who can lock it knows that the owner is gone, however it ended, and what it left is cleaned up by the next
// party of that name, or by the first party of the next run.
//
// Threads   Any. Entries of other processes may change at any time.
// Trust     The folder belongs to this user alone (0700, checked); what is read there is bounded and parsed all the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reprise::messaging {

// A party that is registered.
struct Located {
  std::uint32_t incarnation{1};
  std::string process;
  std::string host;
  bool is_alive{false};
};

// REPRISE_PEERS: lines `name host:port`, and perhaps `run ID`; # begins a comment.
struct Peers {
  std::string run;
  std::map<std::string, std::pair<std::string, std::uint16_t>, std::less<>> places;
};
// Errors: io, usage (which line, and what it should be).
Result<Peers> read_peers(const std::string& path);

class Run {
 public:
  // Errors: io (the folder cannot be made, or is not this user's alone), usage (REPRISE_PEERS).
  static Result<std::shared_ptr<Run>> open();
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  int folder() const { return folder_; }
  const std::optional<Peers>& peers() const { return peers_; }

  // A registered party. Closing `file` gives the name up.
  struct Added {
    int file{-1};
    std::uint32_t incarnation{1};
    std::string run;  // the run's id
    int lock{-1};     // of the whole folder, until the entry is complete
  };
  // Begins to register `name` as incarnation `wanted` (0: the next one); finish() makes the entry visible. In between the
  // socket socket_name() is made, which nobody can look for yet. Errors: usage (the name is taken), io.
  Result<Added> begin(const std::string& name, std::uint32_t wanted);
  Result<void> finish(const std::string& name, const Located& located, Added& added);
  static void give_up(Added& added);

  // What is known of `name`: its latest incarnation, dead or alive.
  std::optional<Located> look(const std::string& name) const;

 private:
  Run() = default;
  Result<void> prepare(const std::string& path);
  Result<std::string> read_id();
  bool is_anybody_alive() const;
  void empty();

  int folder_{-1};
  bool may_empty_{false};  // the folder is the default one: each run begins with an empty one
  std::optional<Peers> peers_;
};

// A party's Unix socket in the folder.
inline std::string socket_name(const std::string& name) { return name + ".socket"; }

}  // namespace reprise::messaging
