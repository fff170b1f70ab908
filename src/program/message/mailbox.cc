// How a mailbox is registered, and what it does with what comes to its sockets. How messages are taken: receive.cc.
#include "program/message/mailbox.h"

#include <fcntl.h>
#include <poll.h>
#include <reprise/value.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "program/message/connection.h"
#include "program/message/expected.h"
#include "program/message/world.h"

namespace reprise::messaging {
namespace {

constexpr std::uint64_t unix_key = 1;
constexpr std::uint64_t tcp_key = 2;
constexpr std::uint64_t wake_key = 3;
constexpr std::uint64_t place_key = 4;
constexpr std::uint64_t first_source_key = 16;
constexpr std::size_t strangers_max = 64;
constexpr std::string_view listen_failed = "-9";
static_assert(static_cast<int>(message_fault::system) == 9);
constexpr int events_at_once = 64;
constexpr std::size_t polled_max = 16;
constexpr std::size_t own_files = 4;
constexpr std::size_t early_bytes_max = std::size_t{16} << 20;
constexpr std::size_t early_bytes_low = std::size_t{8} << 20;

void close_file(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

void tell(int file, FrameType type, std::string_view text) {
  std::uint8_t head[header_bytes];
  put(Header{.length = static_cast<std::uint32_t>(text.size()), .type = type}, head);
  std::string frame(reinterpret_cast<const char*>(head), header_bytes);
  frame += text;
  (void)!::send(file, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void refuse(int file, std::string_view why) { tell(file, FrameType::refusal, why); }

}  // namespace

Source::~Source() { close_file(file); }

Mailbox::Mailbox(std::string_view name, const at* place) : name_(name), label_("mailbox " + name_) {
  if (!is_valid_party(name)) {
    throw message_error(
        message_fault::bad_name,
        "\"" + name_.substr(0, 80) + "\" is no name for a party: letters, digits, '.', '_' and '-', at most 64");
  }
  if (place != nullptr) place_ = *place;
  bool is_done = false;
  const std::string outcome = value("party " + name_, [&] {
    is_done = true;
    return enlist_text();
  });
  if (outcome.size() < 2 || outcome[0] != '+') {
    close_all();
    if (!is_done && place_ && outcome.starts_with(listen_failed)) listen_again(outcome);
    const auto fault = outcome.size() < 2 ? message_fault::system : static_cast<message_fault>(outcome[1] - '0');
    throw message_error(fault, outcome.size() < 2 ? outcome : outcome.substr(2));
  }
  if (!is_done) {
    std::string_view rest = std::string_view(outcome).substr(1);
    incarnation_ = static_cast<std::uint32_t>(next_number(rest).value_or(1));
    port_ = static_cast<std::uint16_t>(next_number(rest).value_or(0));
    if (!world().is_alone()) enlist(incarnation_);
  }
  if (incarnation_ > 1) label_ += "#" + std::to_string(incarnation_);
  object_.passages.name = label_.c_str();
  world().add(*this);
}

// The incarnation, and the port if it has one; or the fault as a digit and what it was.
std::string Mailbox::enlist_text() {
  try {
    enlist(0);
  } catch (const message_error& error) {
    return "-" + std::to_string(static_cast<int>(error.fault())) + error.what();
  }
  return "+" + std::to_string(incarnation_) + (place_ ? " " + std::to_string(port_) : "");
}

Mailbox::~Mailbox() {
  world().remove(*this);
  close_all();
}

void Mailbox::close_all() {
  for (auto& [key, source] : sources_) {
    const std::lock_guard lock(source->mutex);
    source->is_lost = true;
    if (source->file >= 0) shutdown(source->file, SHUT_RDWR);
  }
  sources_.clear();
  ready_.clear();
  last_.reset();
  for (int* file : {&unix_, &tcp_, &place_file_, &epoll_, &wake_}) close_file(*file);
  Run::give_up(entry_);
}

void Mailbox::close_in_child() {
  for (auto& [key, source] : sources_) {
    close_file(source->file);
    source->is_lost = true;
    new (&source->mutex) std::mutex;
  }
  for (int* file : {&unix_, &tcp_, &place_file_, &epoll_, &wake_}) close_file(*file);
  close_file(entry_.file);
  new (&mutex_) std::mutex;
  if (world().is_alone()) expect_sources();
}

// From here on messages come from the log. A source that was met when recorded goes on as it is: its messages are
// counted on, and calls that are still open can be replied to.
void Mailbox::expect_sources() {
  for (const auto& [key, source] : sources_) {
    if (source->number == Source::unnumbered) continue;
    if (source->number >= expected_.size()) expected_.resize(source->number + 1);
    expected_[source->number] = std::make_unique<Expected>(Expected{source->from, source->kept, source});
  }
}

// Replay registers each incarnation under a name of its own, so that who looks for one finds that very one.
void Mailbox::enlist(std::uint32_t wanted) {
  auto run = world().run();
  if (!run) throw message_error(message_fault::system, run.error().message);
  run_ = *run;
  const std::string entry = wanted == 0 ? name_ : name_ + "#" + std::to_string(wanted);
  auto begun = run_->begin(entry, wanted);
  if (!begun) {
    const bool taken = begun.error().code == ErrorCode::usage;
    throw message_error(taken ? message_fault::name_taken : message_fault::system, begun.error().message);
  }
  entry_ = *begun;
  incarnation_ = entry_.incarnation;
  run_id_ = entry_.run;
  open_sockets(*run_, entry);
  Located located;
  located.incarnation = incarnation_;
  located.process = gate::process_name;
  located.host = world().host();
  if (auto finished = run_->finish(entry, located, entry_); !finished)
    throw message_error(message_fault::system, finished.error().message);
}

void Mailbox::open_sockets(Run& run, const std::string& entry) {
  std::string what = "a socket in the run folder";
  unix_ = listen_unix(run.folder(), socket_name(entry));
  bool fine = unix_ >= 0;
  if (is_replaying(gate::current)) {
    if (!world().simulates_errors()) open_place_again();
  } else {
    fine = fine && open_networks(run, what);
  }
  if (fine) {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    fine = epoll_ >= 0 && wake_ >= 0;
  }
  if (!fine) {
    const std::string why = std::strerror(errno);
    close_all();
    throw message_error(message_fault::system, "party " + name_ + " cannot listen " + what + ": " + why);
  }
  watch(unix_, unix_key, EPOLLIN, true);
  if (tcp_ >= 0) watch(tcp_, tcp_key, EPOLLIN, true);
  if (place_file_ >= 0) watch(place_file_, place_key, EPOLLIN, true);
  watch(wake_, wake_key, EPOLLIN, true);
  last_key_ = first_source_key;
}

// Where REPRISE_PEERS says, and where the program says. `what`: the last one, for people.
bool Mailbox::open_networks(Run& run, std::string& what) {
  if (run.peers()) {
    const auto place = run.peers()->places.find(name_);
    if (place != run.peers()->places.end()) {
      const auto& [host, port] = place->second;
      what = "at " + host + ":" + std::to_string(port) + " (REPRISE_PEERS)";
      tcp_ = listen_tcp(host, port);
      if (tcp_ < 0) return false;
    }
  }
  if (!place_) return true;
  what = "at " + text_of(*place_);
  place_file_ = listen_tcp(place_->host, place_->port);
  if (place_file_ >= 0) port_ = port_of(place_file_);
  return place_file_ >= 0;
}

// Replay without simulation: the error is not to come again, if it does not come of itself.
void Mailbox::listen_again(const std::string& recorded) {
  if (world().simulates_errors() || world().is_alone()) return;
  const int file = listen_tcp(place_->host, place_->port);
  if (file < 0) return;
  close(file);
  gate::Thread& thread = *gate::current;
  thread.gate->differs(thread, Kind::value,
                       "recorded: " + recorded.substr(2) + "; now it can (--exceptions trace-only)");
}

// The same: who tries to connect now must find it where it was. A port that the system chose may be taken by now.
void Mailbox::open_place_again() {
  if (!place_) return;
  place_file_ = listen_tcp(place_->host, port_);
  if (place_file_ >= 0 || place_->port == 0) return;
  const std::string why = std::strerror(errno);
  gate::Thread& thread = *gate::current;
  thread.gate->differs(thread, Kind::value,
                       "recorded: mailbox " + name_ + " listens at " + text_of(*place_) + "; now: " + why +
                           " (--exceptions trace-only)");
}

void Mailbox::watch(int file, std::uint64_t key, std::uint32_t events, bool is_new) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, file, &event);
}

// ---- what comes to the sockets ----

int Mailbox::poll_file() {
  const std::lock_guard lock(mutex_);
  use_epoll();
  return epoll_;
}

void Mailbox::use_epoll() {
  if (std::exchange(uses_epoll_, true)) return;
  for (const auto& [key, source] : sources_) watch(source->file, key, EPOLLIN, true);
}

// What has come by now, without waiting.
void Mailbox::collect(bool replaying) {
  use_epoll_if_many();
  if (!uses_epoll_) {
    std::unique_lock<std::mutex> held;  // the caller's
    return sleep(held, Deadline(Time::zero()));
  }
  epoll_event events[events_at_once];
  const int count = epoll_wait(epoll_, events, events_at_once, 0);
  for (int i = 0; i < count; ++i) handle(events[i].data.u64, replaying);
}

// Waits until something comes, with the mutex free, and takes it in.
void Mailbox::sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline) {
  const auto wait = [&](const auto& native) {
    if (!lock.owns_lock()) return native();
    ++sleepers_;
    lock.unlock();
    const int count = native();
    lock.lock();
    --sleepers_;
    return count;
  };
  use_epoll_if_many();
  if (uses_epoll_) {
    epoll_event events[events_at_once];
    const int count = wait([&] { return epoll_wait(epoll_, events, events_at_once, deadline.milliseconds()); });
    for (int i = 0; i < count; ++i) handle(events[i].data.u64, false);
    return;
  }
  pollfd files[polled_max + own_files] = {
      {unix_, POLLIN, 0}, {wake_, POLLIN, 0}, {tcp_, POLLIN, 0}, {place_file_, POLLIN, 0}};
  std::uint64_t keys[polled_max + own_files] = {unix_key, wake_key, tcp_key, place_key};
  std::size_t count = own_files;
  for (const auto& [key, source] : sources_) {
    keys[count] = key;
    files[count++] = {source->file, POLLIN, 0};
  }
  if (wait([&] { return poll(files, count, deadline.milliseconds()); }) <= 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (files[i].revents != 0) handle(keys[i], false);
  }
}

void Mailbox::use_epoll_if_many() {
  if (sources_.size() > polled_max) use_epoll();
}

void Mailbox::handle(std::uint64_t key, bool replaying) {
  if (key == unix_key) return accept_from(unix_, replaying);
  if (key == tcp_key) return accept_from(tcp_, replaying);
  if (key == place_key) return accept_from(place_file_, replaying);
  if (key == wake_key) {
    std::uint64_t count = 0;
    (void)!read(wake_, &count, sizeof count);
    return;
  }
  const auto found = sources_.find(key);
  if (found == sources_.end()) return;
  const std::shared_ptr<Source> source = found->second;
  if (!source->is_ready || replaying) read_from(source, replaying);
}

void Mailbox::accept_from(int listener, bool replaying) {
  const int file = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (file < 0) {
    if (errno == EMFILE || errno == ENFILE) drop_strangers();
    return;
  }
  if (replaying) enlarge(file);
  auto source = std::make_shared<Source>();
  source->file = file;
  source->key = ++last_key_;
  source->is_remote = listener != unix_;
  source->in.limit(greeting_bytes_max);
  sources_.emplace(source->key, source);
  strangers_.push_back(source->key);
  if (uses_epoll_) watch(file, source->key, EPOLLIN, true);
  if (strangers_.size() > strangers_max) drop_strangers();
  read_from(source, replaying);
}

// Whoever has not said who it is may wait, but not in any number.
void Mailbox::drop_strangers() {
  while (!strangers_.empty()) {
    const auto oldest = sources_.find(strangers_.front());
    strangers_.pop_front();
    if (oldest == sources_.end() || oldest->second->from) continue;
    return drop(oldest->second);
  }
}

void Mailbox::read_from(const std::shared_ptr<Source>& source, bool replaying) {
  const Inflow::Filled filled = source->in.fill(source->file, false, replaying ? early_bytes_max : buffer_bytes);
  if (replaying && filled == Inflow::Filled::nothing_yet && source->in.held() >= early_bytes_low &&
      !source->is_paused) {
    source->is_paused = true;
    watch(source->file, source->key, 0, false);
  }
  while (!source->from && source->in.has_frame()) {
    const bool asks = source->in.header().type == FrameType::inquiry;
    if (asks ? !welcome(*source) : !greet(*source)) return drop(source);
  }
  if (source->in.has_frame()) make_ready(source);
  if (filled == Inflow::Filled::ended || source->in.is_broken()) drop(source);
}

// Who was recorded with others insists that they belong to the same run; who was not takes anybody who knows the place.
bool Mailbox::welcome(Source& source) {
  if (std::exchange(source.has_asked, true)) return false;
  const bool is_same_run = source.in.payload() == run_id_;
  source.in.pop();
  if (!is_same_run && gate::installed != nullptr) {
    refuse(source.file,
           "it belongs to another run (on several hosts a line `run NAME` in REPRISE_PEERS makes them one)");
    return false;
  }
  if (is_same_run) std::erase(strangers_, source.key);  // it is one of us: a crowd of strangers does not push it out
  tell(source.file, FrameType::welcome,
       text_of(Welcome{name_, incarnation_, gate::process_name, world().host(), is_same_run}));
  return true;
}

bool Mailbox::greet(Source& source) {
  if (source.in.header().type != FrameType::greeting) return false;
  auto greeting = parse_greeting(source.in.payload());
  if (!greeting) return false;
  const bool may_be_another = source.has_asked && gate::installed == nullptr;
  if (greeting->run != run_id_ && !may_be_another) {
    refuse(source.file, "party " + name_ + " belongs to another run");
    return false;
  }
  if (greeting->to != name_) {
    refuse(source.file, "here is party " + name_ + ", not " + greeting->to);
    return false;
  }
  if (source.is_remote && greeting->from.party == name_) return false;  // we are here, and names are unique
  source.in.pop();
  source.in.limit(message_bytes_max);
  source.from = std::make_shared<const message_sender>(std::move(greeting->from));
  const gate::Thread* thread = gate::current;
  source.kept = thread != nullptr &&
                (thread->gate->keeps_contents() || world().is_other_group(source.from->process, source.from->party));
  source.label = "replies to " + source.from->party;
  source.replies.name = source.label.c_str();
  std::erase(strangers_, source.key);
  return true;
}

// A frame that must not come here is as good as garbage.
void Mailbox::make_ready(const std::shared_ptr<Source>& source) {
  if (source->is_ready) return;
  const Header& header = source->in.header();
  const bool is_message = header.type == FrameType::plain || header.type == FrameType::call;
  if (!is_message || header.number != source->messages + 1) return drop(source);
  source->is_ready = true;
  ready_.push_back(source);
}

void Mailbox::drop(const std::shared_ptr<Source>& source) {
  if (sources_.erase(source->key) == 0) return;
  if (uses_epoll_) epoll_ctl(epoll_, EPOLL_CTL_DEL, source->file, nullptr);
  if (last_ == source) last_.reset();
  const std::lock_guard lock(source->mutex);
  source->is_lost = true;
  shutdown(source->file, SHUT_RDWR);
}

void Mailbox::read_early() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || epoll_ < 0) return;
  use_epoll();
  collect(true);
}

// The message at the front of `source`, which is ready. Its turn is over: the next one's comes first.
message Mailbox::take(const std::shared_ptr<Source>& source) {
  message taken;
  const Header& header = source->in.header();
  taken.bytes_.assign(source->in.payload());
  taken.from_ = source->from;
  taken.number_ = ++source->messages;
  taken.type_ = static_cast<message_type>(header.type);
  if (header.type == FrameType::call) {
    taken.call_ = header.call;
    taken.source_ = source;
    const std::lock_guard lock(source->mutex);
    source->calls.insert(header.call);
  }
  source->in.pop();
  source->is_ready = false;
  if (ready_.front() == source) {
    ready_.pop_front();
  } else {
    std::erase(ready_, source);
  }
  if (last_ != source) last_ = source;
  if (source->is_paused && source->in.held() < early_bytes_low) {
    source->is_paused = false;
    watch(source->file, source->key, EPOLLIN, false);
  }
  if (source->in.has_frame()) {
    make_ready(source);
  } else if (source->in.is_broken()) {
    drop(source);
  }
  return taken;
}

}  // namespace reprise::messaging
