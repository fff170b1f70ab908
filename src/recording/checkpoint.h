// A checkpoint as others see it: an entry in the recording's folder, and the socket of the process that stands there.
//
//   for (const CheckpointEntry& entry : list_checkpoints(folder)) use(entry.number, is_alive(entry));
//   end_checkpoint(folder, entry);
//
// NAME.reprise/checkpoints/N            what it is, as text: one `key value` per line
// NAME.reprise/checkpoints/N.socket     where the standing process listens; one request per connection
// NAME.reprise/checkpoints/refused-...  why a thread of a process has none
//
// Trust     Entries are input: numbers are bounded, and a process is believed to be the one of the entry only if it has
//           the same number and was started at the same instant of the same boot. It is ended through a file of it,
//           so that no other can take its number in between.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace reprise::recording {

constexpr std::string_view checkpoints_folder = "checkpoints";

struct CheckpointEntry {
  std::uint64_t number{0};  // among all of the recording, from 1
  std::string process;
  std::string path;  // of the thread that made it
  ThreadIndex thread{0};
  std::uint64_t step{0};      // steps it had taken
  bool is_whole{false};       // the process had no other thread
  ThreadIndex next_index{0};  // threads from here on had not been born
  pid_t pid{0};
  std::uint64_t started{0};  // ticks since the machine was booted
  std::string boot;          // which boot that was
  std::string created;       // UTC
};

struct CheckpointRefusal {
  std::string process;
  std::string path;
  std::string reason;
};

// The oldest first. Entries that cannot be read are left out.
std::vector<CheckpointEntry> list_checkpoints(const std::filesystem::path& recording);
std::vector<CheckpointRefusal> list_refusals(const std::filesystem::path& recording);

// Takes the next free number by making its file. Errors: io.
Result<std::uint64_t> add_checkpoint(const std::filesystem::path& recording);
// Fills in what is known. Errors: io.
Result<void> write_checkpoint(const std::filesystem::path& recording, const CheckpointEntry& entry);
void write_refusal(const std::filesystem::path& recording, const CheckpointRefusal& refusal);

std::filesystem::path entry_path(const std::filesystem::path& recording, std::uint64_t number);
std::filesystem::path socket_path(const std::filesystem::path& recording, std::uint64_t number);

// When a process was started, in ticks since the boot; 0: there is none.
std::uint64_t start_of(pid_t pid);
std::string boot_id();

bool is_alive(const CheckpointEntry& entry);
// Bytes that it has in memory, shared ones included; 0: it is not there.
std::uint64_t resident_bytes(const CheckpointEntry& entry);

// Ends the process of an entry, if it is there, and removes the entry. Returns whether it was there.
bool end_checkpoint(const std::filesystem::path& recording, const CheckpointEntry& entry);

// The same for all; also whoever still makes its copy finds no entry then, and does not stand. Returns how many there
// were.
std::uint64_t end_checkpoints(const std::filesystem::path& recording);

// What the tool asks of a standing process: `key value` lines, with three files (input, output, errors) beside them.
// It answers `pid N`, and at the end `exit N` or `signal N`.
struct WakeRequest {
  std::string folder;   // the recording's, as it is now
  std::string scratch;  // where the replay notes how far it is
  std::string favour;
  bool gate_off{false};
};
std::string text_of(const WakeRequest& request);
WakeRequest wake_request(std::string_view text);
constexpr std::size_t wake_bytes_max = 16384;

// A socket at a path of any length: listening, or connected. -1: errno says why.
int listen_at(const std::filesystem::path& path);
int connect_to(const std::filesystem::path& path);

}  // namespace reprise::recording
