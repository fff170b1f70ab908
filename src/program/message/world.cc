#include "program/message/world.h"

#include <pthread.h>
#include <reprise/detail/gate.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>

#include "gate/checkpoints.h"
#include "program/message/connection.h"
#include "program/message/mailbox.h"
#include "recording/folder.h"

namespace reprise::messaging {
namespace {

// Not a function-local static: its guard would pass the gate.
World* the_world = new World;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

bool names(const std::vector<std::string>& list, std::string_view process, std::string_view party) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& name) {
    return name == process || name == recording::launched_as(process) || name == party;
  });
}

}  // namespace

World& world() { return *the_world; }

World::World() {
  char name[256] = "localhost";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') name[0] = '\0';
  host_ = name[0] == '\0' ? "localhost" : name;
  std::replace(host_.begin(), host_.end(), ' ', '_');
  simulates_errors_ = variable("REPRISE_EXCEPTIONS") != "trace-only";
  only_ = split(variable("REPRISE_ONLY"), ',');
  for (const std::string& group : split(variable("REPRISE_GROUPS"), ';')) groups_.push_back(split(group, ','));
  pthread_atfork(nullptr, nullptr, &World::close_in_child);
  gate::stand_still = {&World::hold_still, &World::go_on};
}

Result<std::shared_ptr<Run>> World::run() {
  const std::lock_guard lock(mutex_);
  if (!run_) {
    auto opened = Run::open();
    if (!opened) return opened;
    run_ = *opened;
  }
  return run_;
}

bool World::is_replayed(std::string_view process, std::string_view party) const {
  return !is_alone_ && (only_.empty() || names(only_, process, party));
}

bool World::has_routes() { return !variable("REPRISE_ROUTES").empty(); }

// Lines `process connection incarnation receiver`. What cannot be read leads nowhere.
std::optional<World::Route> World::route(std::uint64_t connection) {
  const std::lock_guard lock(mutex_);
  if (!routes_) {
    routes_.emplace();
    std::ifstream file{std::string(variable("REPRISE_ROUTES"))};
    for (std::string line; std::getline(file, line);) {
      std::string_view rest = line;
      const auto process = next_word(rest);
      const auto number = next_number(rest);
      const auto incarnation = next_number(rest);
      const auto receiver = next_word(rest);
      if (process != gate::process_name || !number || !incarnation || !receiver) continue;
      (*routes_)[*number] = Route{static_cast<std::uint32_t>(*incarnation), std::string(*receiver)};
    }
  }
  const auto found = routes_->find(connection);
  if (found == routes_->end()) return std::nullopt;
  return found->second;
}

bool World::is_other_group(std::string_view process, std::string_view party) const {
  for (const std::vector<std::string>& group : groups_) {
    if (names(group, gate::process_name, {})) return !names(group, process, party);
  }
  return !groups_.empty();
}

void World::add(Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  mailboxes_.push_back(&mailbox);
}
void World::remove(Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  std::erase(mailboxes_, &mailbox);
}
void World::add(Connection& connection) {
  const std::lock_guard lock(mutex_);
  connections_.push_back(&connection);
}
void World::remove(Connection& connection) {
  const std::lock_guard lock(mutex_);
  std::erase(connections_, &connection);
}

void World::add_mailboxes(std::vector<pollfd>& files) {
  const std::lock_guard lock(mutex_);
  for (Mailbox* mailbox : mailboxes_) files.push_back({mailbox->poll_file(), POLLIN, 0});
}

void World::read_early() {
  const std::lock_guard lock(mutex_);
  for (Mailbox* mailbox : mailboxes_) mailbox->read_early();
}

// Whoever held a mutex when the process forked does not exist in the child, where there is but one thread.
void World::close_in_child() {
  World& self = *the_world;
  new (&self.mutex_) std::mutex;
  self.is_alone_ = self.is_alone_ || gate::is_making_checkpoint;
  for (Mailbox* mailbox : self.mailboxes_) mailbox->close_in_child();
  for (Connection* connection : self.connections_) connection->close_in_child();
  self.mailboxes_.clear();
  self.connections_.clear();
  self.run_.reset();
}

bool World::hold_still() {
  World& self = *the_world;
  if (!self.mutex_.try_lock()) return false;
  std::size_t held = 0;
  for (Mailbox* mailbox : self.mailboxes_) {
    if (!mailbox->try_hold()) break;
    ++held;
  }
  if (held == self.mailboxes_.size()) return true;
  for (std::size_t i = 0; i < held; ++i) self.mailboxes_[i]->let_go();
  self.mutex_.unlock();
  return false;
}

void World::go_on() {
  World& self = *the_world;
  for (Mailbox* mailbox : self.mailboxes_) mailbox->let_go();
  self.mutex_.unlock();
}

}  // namespace reprise::messaging
