// The public face of the message layer.
#include <reprise/message.h>

#include "program/message/connection.h"
#include "program/message/mailbox.h"

namespace reprise {

message::~message() = default;

const message_sender& message::from() const noexcept { return *from_; }

void message::throw_bad_contents() const {
  throw message_error(message_fault::bad_contents, "the bytes of this message do not hold a value of that type");
}

void message::reply(std::string_view bytes) {
  if (type_ != message_type::call || !source_)
    throw message_error(message_fault::not_a_call, "this message does not expect a reply");
  if (bytes.size() > message_bytes_max)
    throw message_error(message_fault::too_long, "a reply of " + std::to_string(bytes.size()) + " bytes is too long");
  messaging::Mailbox::reply(*source_, call_, bytes);
}

const std::string& peer::name() const noexcept { return connection_->name(); }
std::uint32_t peer::incarnation() const noexcept { return connection_->incarnation(); }
void peer::send(std::string_view bytes) { connection_->send(bytes); }
std::optional<message> peer::call_by(std::string_view bytes, messaging::Time time) {
  return connection_->call(bytes, time);
}

party::party(std::string_view name) : mailbox_(std::make_shared<messaging::Mailbox>(name)) {}
party::party(std::string_view name, const at* place) : mailbox_(std::make_shared<messaging::Mailbox>(name, place)) {}
std::uint16_t party::port() const noexcept { return mailbox_->port(); }
peer party::find_at(const at& place, std::chrono::milliseconds time) {
  return peer(messaging::find_at(*mailbox_, place, messaging::time_of(time)));
}
party::~party() = default;
const std::string& party::name() const noexcept { return mailbox_->name(); }
std::uint32_t party::incarnation() const noexcept { return mailbox_->incarnation(); }

std::optional<peer> party::find_by(std::string_view name, messaging::Time time) {
  auto connection = messaging::find(*mailbox_, name, time);
  if (!connection) return std::nullopt;
  return peer(std::move(connection));
}

void party::throw_no_party(std::string_view name) {
  throw message_error(message_fault::no_party,
                      "no party " + std::string(name) + " came in time; is its program running in the same run?");
}

std::optional<message> party::receive_by(messaging::Time time) { return mailbox_->receive(time); }

std::optional<party::received> party::receive_any_by(std::initializer_list<party*> parties, messaging::Time time) {
  std::vector<messaging::Mailbox*> mailboxes;
  for (const party* one : parties) mailboxes.push_back(one->mailbox_.get());
  auto any = messaging::Mailbox::receive_any(mailboxes, time);
  if (!any) return std::nullopt;
  return received{static_cast<std::size_t>(any->which), std::move(any->what)};
}

}  // namespace reprise
