#include "program/adapters/mcapi/notes.h"

#include <initializer_list>
#include <string>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/naming.h"

namespace reprise::mcapi {

std::atomic<Notes> notes{Notes::unknown};

bool asks_for_notes(const gate::Thread& thread) {
  const bool is_asked = thread.gate->takes_notes();
  notes.store(is_asked ? Notes::taken : Notes::none, std::memory_order_relaxed);
  return is_asked;
}

namespace {

void say(const std::string& text) { gate::current->gate->note(*gate::current, text); }

std::string line(const char* what, const Node& node, std::initializer_list<std::uint64_t> numbers) {
  std::string text = std::string("mcapi ") + what + " " + std::to_string(node.id);
  for (const std::uint64_t number : numbers) text += " " + std::to_string(number);
  return text;
}

bool has_message(const Request& request) {
  return request.asked == Asked::receive &&
         (request.status == Status::success || request.status == Status::msg_truncated);
}

// Who sent it, which of the sender's messages to this endpoint it is, the how-manyth to be retrieved in the program,
// and its bytes.
void say_with_message(std::string text, const Request& request) {
  if (!has_message(request)) return say(text);
  for (const std::uint64_t number : {std::uint64_t{request.id.node}, std::uint64_t{request.id.thread},
                                     std::uint64_t{request.handle}, request.id.number, arrival_to_note()})
    text += " " + std::to_string(number);
  text += '\n';
  text.append(static_cast<const char*>(request.buffer), request.size);
  say(text);
}

}  // namespace

void note_send(Node& node, Handle from, Handle to) {
  const std::uint64_t order = node.sends_noted.fetch_add(1) + 1;
  say(line("send", node, {from & port_max, order, gate::current->index, to, met_at(to)->pace.sent}));
}

void note_receive(Node& node, const Request& request) {
  const std::lock_guard lock(node.mutex);
  const std::uint64_t of_node = ++node.receives_noted;
  const std::uint64_t of_endpoint = ++node.inbox(request.endpoint).receives_noted;
  if (!has_message(request)) return;
  say_with_message(line("recv", node, {request.handle & port_max, of_node, of_endpoint}), request);
}

void note_wait(Node& node, const Request& request) {
  note_failed_tests(node, request);
  if (has_message(request)) say_with_message(line("wait", node, {request.order}), request);
}

void note_wait_any(Node& node, std::uint64_t order, std::size_t index, const Request& request) {
  note_failed_tests(node, request);
  say_with_message(line("any", node, {order, index}), request);
}

void note_test(Node& node, const Request& request) {
  say_with_message(line("test", node, {request.order, request.failed_tests}), request);
}

void note_failed_tests(Node& node, const Request& request) {
  if (request.failed_tests > 0) say(line("test", node, {request.order, request.failed_tests}));
}

}  // namespace reprise::mcapi
