// What a recording says of the MCAPI nodes in it, and their calls in the notation of the paper on DR-MCAPI.
//
//   for (const McapiNode& node : mcapi_nodes(log)) use(node.name());      // 0/4: domain 0, node 4
//
//   McapiTables tables;
//   for (const Log& log : logs) if (auto added = tables.add(log); !added) return added.error();
//   for (const McapiTables::Section& section : tables.sections()) print(section.records);   // R:1/1/0a000000
//
// Which notation follows from the technique: the paper's table 1 (data), 2 (sender) or 5 (receiver).
//
// Trust     Numbers and notes come from a recording and may be anything; a note that cannot be read is counted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recording/log.h"

namespace reprise::analyse {

enum class McapiTechnique : std::uint8_t { receiver, sender, data, groups };

std::string mcapi_name(std::uint32_t id);  // DOMAIN/NODE

struct McapiNode {
  ThreadIndex thread;  // that is this node
  std::uint32_t id;
  McapiTechnique technique;

  std::string name() const { return mcapi_name(id); }
};

// The nodes of one process, in the order of its threads.
std::vector<McapiNode> mcapi_nodes(const recording::Log& log);

class McapiTables {
 public:
  struct Record {
    std::string text;
    std::uint64_t arrival;  // the how-manyth message to be retrieved in the whole program; 0: it retrieves none
    std::string from;       // who sent that
  };
  struct Section {
    std::string node;
    McapiTechnique technique;
    std::vector<Record> records;
  };

  // Errors: damaged.
  Result<void> add(const recording::Log& log);
  // By node; without those that have nothing to say.
  std::vector<Section> sections() const;
  std::size_t notes() const { return notes_; }
  std::size_t unread() const { return unread_; }

 private:
  enum class Call : std::uint8_t { send, receive, wait, wait_any, test };
  using MessageName = std::array<std::uint64_t, 4>;  // sender's node and thread, endpoint, number
  struct Note {
    Call call{};
    std::vector<std::uint64_t> numbers;
    bool has_message{false};
    MessageName message{};
    std::uint64_t arrival{0};
    std::string bytes;
  };
  bool read(std::string_view text);
  Record record_of(std::uint32_t id, McapiTechnique technique, const Note& note) const;
  std::string sender_text(std::uint32_t id, const Note& note) const;

  std::map<std::uint32_t, McapiTechnique> techniques_;
  std::map<std::uint32_t, std::vector<Note>> calls_;
  std::map<MessageName, std::uint64_t> arrivals_;
  std::size_t notes_{0};
  std::size_t unread_{0};
};

}  // namespace reprise::analyse
