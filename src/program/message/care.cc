// Messages of CARE over parties and peers.
#include "program/message/care.h"

#include <reprise/atomic.h>
#include <reprise/message.h>
#include <reprise/mutex.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace {

// What stands before the bytes of a message: the sender's count of messages to anybody. A party that is not CARE's
// sends no such thing.
constexpr std::string_view magic = "CARE";
constexpr std::size_t header_bytes = 8;

constexpr std::size_t open_calls_max = 10000;

struct Partner {
  std::string name;
  std::optional<reprise::peer> peer;  // empty: it has only sent so far, or it was lost
};

using CallKey = std::pair<int, int>;  // identifier, message id

}  // namespace

struct Pinfo {
  explicit Pinfo(const std::string& own) : name(own), party(own) {}

  std::string name;
  reprise::party party;
  reprise::atomic<int> sent{0};
  reprise::mutex mutex{"care partners"};
  std::deque<Partner> partners;  // by identifier; guarded by `mutex`, so that identifiers are the same on replay

  std::mutex calls_mutex;  // guards what follows
  std::map<CallKey, reprise::message> calls;
  std::deque<CallKey> oldest;
};

namespace {

using reprise::message_error;
using reprise::message_fault;
using reprise::message_type;

int errno_of(message_fault fault) {
  switch (fault) {
    case message_fault::name_taken:
      return EEXIST;
    case message_fault::bad_name:
    case message_fault::not_a_call:
      return EINVAL;
    case message_fault::lost:
    case message_fault::refused:
      return ECONNRESET;
    case message_fault::too_long:
      return EMSGSIZE;
    default:
      return EIO;
  }
}

void told(const std::exception& error) {
  reprise::care::warn(error.what());
  const auto* fault = dynamic_cast<const message_error*>(&error);
  errno = fault != nullptr ? errno_of(fault->fault()) : ENOMEM;
}

std::chrono::milliseconds time_of(int hundredths) {
  return hundredths < 0 ? std::chrono::milliseconds(-1) : std::chrono::milliseconds(std::int64_t{10} * hundredths);
}

unsigned char* copy_of(std::string_view bytes) {
  auto* copy = static_cast<unsigned char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return nullptr;
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = 0;
  return copy;
}

void write_name(char* out, const std::string& name, std::size_t room) {
  if (out == nullptr) return;
  const std::size_t length = std::min(name.size(), room - 1);
  std::memcpy(out, name.data(), length);
  out[length] = '\0';
}

std::string with_header(int id, const void* message, int length) {
  if (length < 0) throw message_error(message_fault::too_long, "a message cannot have a negative length");
  std::string bytes(magic);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(static_cast<unsigned>(id) >> shift & 255u);
  return bytes.append(static_cast<const char*>(message), static_cast<std::size_t>(length));
}

// Cuts the header off. `otherwise`: the id of a message that has none.
int take_header(std::string_view& bytes, std::uint64_t otherwise) {
  if (bytes.size() < header_bytes || !bytes.starts_with(magic)) return static_cast<int>(otherwise);
  unsigned id = 0;
  for (std::size_t i = 0; i < 4; ++i) id |= static_cast<unsigned>(static_cast<unsigned char>(bytes[4 + i])) << (8 * i);
  bytes.remove_prefix(header_bytes);
  return static_cast<int>(id);
}

// REQUIRES pinfo.mutex.
int identify(Pinfo& pinfo, const std::string& name) {
  for (std::size_t i = 0; i < pinfo.partners.size(); ++i) {
    if (pinfo.partners[i].name == name) return static_cast<int>(i);
  }
  pinfo.partners.push_back({name, std::nullopt});
  return static_cast<int>(pinfo.partners.size() - 1);
}

// The connection to a partner; one that has only sent so far is looked for. Errors: lost, bad_name (no such
// identifier).
reprise::peer peer_of(Pinfo& pinfo, int identifier) {
  const std::lock_guard lock(pinfo.mutex);
  if (identifier < 0 || static_cast<std::size_t>(identifier) >= pinfo.partners.size())
    throw message_error(message_fault::bad_name, "there is no partner " + std::to_string(identifier));
  Partner& partner = pinfo.partners[static_cast<std::size_t>(identifier)];
  if (!partner.peer) partner.peer = pinfo.party.find_for(partner.name, std::chrono::seconds(0));
  if (!partner.peer) throw message_error(message_fault::lost, "party " + partner.name + " is gone");
  return *partner.peer;
}

// After a fault: the next FindPartner looks again.
void lose(Pinfo& pinfo, int identifier) {
  const std::lock_guard lock(pinfo.mutex);
  if (identifier >= 0 && static_cast<std::size_t>(identifier) < pinfo.partners.size())
    pinfo.partners[static_cast<std::size_t>(identifier)].peer.reset();
}

void remember_call(Pinfo& pinfo, CallKey key, reprise::message call) {
  const std::lock_guard lock(pinfo.calls_mutex);
  if (pinfo.oldest.size() >= open_calls_max) {
    pinfo.calls.erase(pinfo.oldest.front());
    pinfo.oldest.pop_front();
  }
  pinfo.oldest.push_back(key);
  pinfo.calls.insert_or_assign(key, std::move(call));
}

std::optional<reprise::message> take_call(Pinfo& pinfo, CallKey key) {
  const std::lock_guard lock(pinfo.calls_mutex);
  const auto found = pinfo.calls.find(key);
  if (found == pinfo.calls.end()) return std::nullopt;
  reprise::message call = std::move(found->second);
  pinfo.calls.erase(found);
  std::erase(pinfo.oldest, key);
  return call;
}

}  // namespace

namespace reprise::care {

void warn(const std::string& what) { std::fprintf(stderr, "care: %s\n", what.c_str()); }

std::string cut(const char* name, std::size_t room) {
  std::string whole(name == nullptr ? "" : name);
  if (whole.size() < room) return whole;
  std::string part = whole.substr(0, room - 1);
  warn("the name " + whole.substr(0, 200) + " is too long and was cut to " + part);
  return part;
}

const std::string& name_of(const Pinfo* pinfo) { return pinfo->name; }

void note(const char* kind, std::initializer_list<std::string> words) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  std::string text = kind;
  for (const std::string& word : words) text += " " + word;
  std::string recorded;
  const auto take = [](void* context, const void* bytes, std::size_t size) {
    static_cast<std::string*>(context)->assign(static_cast<const char*>(bytes), size);
  };
  if (!thread->gate->given(*thread, Kind::value, "care", take, &recorded)) {
    thread->gate->keep(*thread, Kind::value, "care", text.data(), text.size());
  } else if (recorded != text && !thread->is_detached) {  // versions that others made are not counted here
    thread->gate->differs(*thread, Kind::value, "CARE would have logged: " + text);
  }
}

}  // namespace reprise::care

using reprise::care::note;

Pinfo* care_init(const char* name, const int* mode) {
  if (!reprise::care::enter_mode(mode)) return nullptr;
  try {
    return new Pinfo(reprise::care::cut(name, MAX_NAME_SIZE));
  } catch (const std::exception& error) {
    told(error);
    return nullptr;
  }
}

void care_finish(Pinfo* pinfo) { delete pinfo; }

int care_find(Pinfo* pinfo, const char* name) {
  try {
    const std::string wanted = reprise::care::cut(name, MAX_NAME_SIZE);
    const std::lock_guard lock(pinfo->mutex);
    for (std::size_t i = 0; i < pinfo->partners.size(); ++i) {
      if (pinfo->partners[i].name == wanted && pinfo->partners[i].peer) return static_cast<int>(i);
    }
    auto found = pinfo->party.find_for(wanted, std::chrono::seconds(0));
    if (!found) return -1;
    const int identifier = identify(*pinfo, wanted);
    pinfo->partners[static_cast<std::size_t>(identifier)].peer = std::move(found);
    return identifier;
  } catch (const std::exception& error) {
    told(error);
    return -1;
  }
}

unsigned char* care_receive(Pinfo* pinfo, char* host, char* name, int* message_id, int* identifier, int* type,
                            int time_out) {
  try {
    std::optional<reprise::message> taken = pinfo->party.receive_for(time_of(time_out));
    if (!taken) {
      note("from", {pinfo->name, "-", "-", "0", "0", "0", "0"});
      errno = ETIMEDOUT;
      return nullptr;
    }
    const reprise::message_sender& from = taken->from();
    const std::string whole = static_cast<reprise::message&&>(*taken).bytes();  // the rest of it may be replied to
    std::string_view bytes = whole;
    const int id = take_header(bytes, taken->number());
    std::unique_lock lock(pinfo->mutex);
    const int index = identify(*pinfo, from.party);
    lock.unlock();
    const int kind = taken->expects_reply() ? EXPECT_REP : NORMAL;
    note("from", {pinfo->name, from.party, from.host, std::to_string(id), std::to_string(index), std::to_string(kind),
                  std::to_string(bytes.size())});
    unsigned char* copy = copy_of(bytes);
    if (copy == nullptr) throw std::bad_alloc();
    write_name(host, from.host, HOST_SIZE);
    write_name(name, from.party, MAX_NAME_SIZE);
    if (message_id != nullptr) *message_id = id;
    if (identifier != nullptr) *identifier = index;
    if (type != nullptr) *type = kind;
    if (kind == EXPECT_REP) remember_call(*pinfo, {index, id}, *std::move(taken));
    return copy;
  } catch (const std::exception& error) {
    told(error);
    return nullptr;
  }
}

unsigned char* care_call(Pinfo* pinfo, int identifier, const void* message, int message_length, int time_out) {
  try {
    reprise::peer peer = peer_of(*pinfo, identifier);
    const int id = pinfo->sent.fetch_add(1) + 1;
    const auto reply = peer.call_for(with_header(id, message, message_length), time_of(time_out));
    if (!reply) {
      note("reply", {pinfo->name, "-", "-", "0", "0"});
      errno = ETIMEDOUT;
      return nullptr;
    }
    note("reply", {pinfo->name, reply->from().party, reply->from().host, std::to_string(id),
                   std::to_string(reply->bytes().size())});
    unsigned char* copy = copy_of(reply->bytes());
    if (copy == nullptr) throw std::bad_alloc();
    return copy;
  } catch (const std::exception& error) {
    told(error);
    if (errno == ECONNRESET) lose(*pinfo, identifier);
    return nullptr;
  }
}

int care_send(Pinfo* pinfo, int identifier, const void* message, int message_length) {
  try {
    reprise::peer peer = peer_of(*pinfo, identifier);
    peer.send(with_header(pinfo->sent.fetch_add(1) + 1, message, message_length));
    return 0;
  } catch (const std::exception& error) {
    told(error);
    if (errno == ECONNRESET) lose(*pinfo, identifier);
    return -1;
  }
}

int care_reply(Pinfo* pinfo, int identifier, const void* message, int message_length, int message_id) {
  try {
    auto call = take_call(*pinfo, {identifier, message_id});
    if (!call || message_length < 0)
      throw message_error(message_fault::not_a_call, "there is no open call " + std::to_string(message_id) +
                                                         " of partner " + std::to_string(identifier));
    call->reply(std::string_view(static_cast<const char*>(message), static_cast<std::size_t>(message_length)));
    return 0;
  } catch (const std::exception& error) {
    told(error);
    return -1;
  }
}
