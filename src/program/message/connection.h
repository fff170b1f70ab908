// The sending half: a connection that a party made to another one.
//
//   auto connection = find(mailbox, "server", time);     connection->send(bytes);     connection->call(bytes, time);
//
// Threads   Any. Sends are ordered at the connection's object, so its bytes are the same in each replay. Among callers
// one
//           reads, the others sleep until it has their reply or leaves.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/message.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "program/message/mailbox.h"
#include "program/message/net.h"

namespace reprise::messaging {

// What a recorded send, call or reply came to, if not to what it should: written as a fault.
enum class Came : std::uint8_t { done, not_sent = 1, timed_out = 2, lost = 3, refused = 4 };

class Connection {
 public:
  Connection(std::string name, std::uint32_t incarnation, std::string process, std::string host, bool kept, int file);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  const std::string& name() const { return to_->party; }
  std::uint32_t incarnation() const { return to_->incarnation; }
  bool is_broken() const { return is_broken_.load(std::memory_order_relaxed); }

  // Passes the gate as a new object, which gives it its number; makes the connection, if it has none yet and `reach`
  // finds one for that number; and tells the other side who we are.
  using Reach = std::function<int(std::uint64_t connection)>;
  void open(const Mailbox& mailbox, const Reach& reach = {});

  // Errors, as message_error: too_long, lost, refused.
  void send(std::string_view bytes);
  std::optional<message> call(std::string_view bytes, Time time);

  void close_in_child();

 private:
  struct Sent {
    std::uint32_t call{0};
    Came came{Came::done};
  };
  Sent send_frame_of(FrameType type, std::string_view bytes);
  Came put(Header& header, std::string_view bytes, bool replaying);
  // Replay without simulation: what really came of it, where that is not what was recorded, is a difference.
  bool is_tried() const;
  void compare(gate::Thread& thread, Came recorded, Came now) const;
  Came await_reply(std::uint32_t call, const Deadline& deadline, bool replaying, std::string& reply);
  void forget(std::uint32_t call);
  void read_replies(std::unique_lock<std::mutex>& lock, const Deadline& deadline, bool replaying);
  void deliver();
  void drop_late_replies();
  message reply_of(gate::Thread* thread, std::uint32_t call, std::string bytes);
  [[noreturn]] void throw_fault(Came came) const;

  std::shared_ptr<message_sender> to_;
  std::string label_;
  bool kept_;
  int file_;  // -1: it leads nowhere
  std::atomic<bool> is_broken_{false};
  gate::Object object_;

  std::mutex mutex_;  // guards what follows, and the writing half of the socket
  std::uint64_t sent_{0};
  std::uint32_t calls_{0};

  std::mutex reply_mutex_;  // guards what follows
  std::condition_variable replied_;
  std::map<std::uint32_t, std::optional<std::string>> awaited_;
  Inflow in_;
  bool is_read_{false};  // a caller reads
  bool is_lost_{false};
  std::uint32_t given_up_{0};  // calls whose replies may still come
  std::string refusal_;
};

// Errors, as message_error: bad_name, system.
std::shared_ptr<Connection> find(Mailbox& mailbox, std::string_view name, Time time);

// The party that listens at `place`, which is waited for. Errors, as message_error: unknown_host, refused, no_party,
// system.
std::shared_ptr<Connection> find_at(Mailbox& mailbox, const at& place, Time time);

// What was recorded after a step that went wrong; record it.
Came recorded_fault(gate::Thread* thread);
void keep_fault(gate::Thread* thread, Came came);

bool is_replaying(const gate::Thread* thread);

}  // namespace reprise::messaging
