#include "program/adapters/mcapi/groups.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace reprise::mcapi {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string name_of(std::uint32_t id) { return std::to_string(id >> 12) + "/" + std::to_string(id & node_max); }

// Is it the process of this name, or one that it started?
bool is_of(std::string_view process, std::string_view name) {
  if (!process.starts_with(name)) return false;
  const std::string_view rest = process.substr(name.size());
  return rest.empty() || rest.starts_with('-') || rest.starts_with(".exec") || rest.starts_with('#');
}

constexpr std::uint32_t own_groups = 0x10000;  // from here on: nodes that nobody has put into one
std::atomic<std::uint32_t> process_group{0};

// Replay: the nodes that run. Read once, by the first that asks: a process does not change it.
struct Present {
  bool is_known{false};
  std::vector<std::uint32_t> ids;
};
constinit std::mutex present_mutex;
Present* present = nullptr;  // never destroyed

const Present& who_is_present() {
  const std::lock_guard lock(present_mutex);
  if (present != nullptr) return *present;
  present = new Present;
  for (const std::string_view name : split(variable("REPRISE_NODES"), ',')) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string domain(name.substr(0, slash));
    const std::string node(name.substr(std::min(slash + 1, name.size())));
    present->ids.push_back(node_id(static_cast<std::uint32_t>(std::strtoul(domain.c_str(), nullptr, 10)),
                                   static_cast<std::uint32_t>(std::strtoul(node.c_str(), nullptr, 10))));
    present->is_known = true;
  }
  return *present;
}

}  // namespace

bool has_groups() { return !variable("REPRISE_GROUPS").empty(); }

std::uint32_t group_of(std::uint32_t id, Index slot, bool is_first_of_process) {
  if (!has_groups()) return 0;
  if (!is_first_of_process) return process_group.load();
  std::uint32_t found = own_groups + slot;
  std::uint32_t number = 0;
  for (const std::string_view group : split(variable("REPRISE_GROUPS"), ';')) {
    ++number;
    const std::vector<std::string_view> names = split(group, ',');
    const auto is_it = [&](std::string_view name) { return name == name_of(id) || is_of(gate::process_name, name); };
    if (std::none_of(names.begin(), names.end(), is_it)) continue;
    found = number;
    break;
  }
  process_group.store(found);
  return found;
}

bool comes_from_outside(std::uint32_t id) {
  const std::uint32_t own = process_group.load(std::memory_order_relaxed);
  for (Index index = 0; index < segment().header().nodes_used.load(); ++index) {
    const NodeSlot& node = segment().node(index);
    if (node.id == id) return node.group != own;
  }
  return true;  // it has ended, and another has its place
}

bool is_absent(std::uint32_t id) {
  static std::atomic<int> known{-1};
  if (known.load(std::memory_order_relaxed) < 0) known.store(who_is_present().is_known ? 1 : 0);
  if (known.load(std::memory_order_relaxed) == 0) return false;
  const std::vector<std::uint32_t>& ids = who_is_present().ids;
  return std::find(ids.begin(), ids.end(), id) == ids.end();
}

}  // namespace reprise::mcapi
