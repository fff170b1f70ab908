#include "recording/verify.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "recording/hash.h"
#include "recording/log_state.h"

namespace reprise::recording {
namespace {

// What a step adds to the rolling hash besides its kind.
std::uint64_t hashed(const Event& event) {
  switch (info(event.kind).treated) {
    case Class::ordered:
    case Class::writing:
    case Class::release:
    case Class::read:
      return event.object;
    case Class::choosing: {
      std::uint64_t digest = 0;
      if (event.value.size() == sizeof digest) std::memcpy(&digest, event.value.data(), sizeof digest);
      return event.object + digest;
    }
    case Class::plain:
      return event.number;
    default:
      return 0;
  }
}

// One step of the rolling hash, h * factor + addend, to be repeated: a run of failures may be long.
struct Hashing {
  std::uint64_t factor{1};
  std::uint64_t addend{0};

  std::uint64_t operator()(std::uint64_t hash) const { return hash * factor + addend; }
  Hashing then(const Hashing& next) const { return {factor * next.factor, addend * next.factor + next.addend}; }
  Hashing times(std::uint64_t count) const {
    Hashing result;
    for (Hashing power = *this; count != 0; count >>= 1, power = power.then(power)) {
      if ((count & 1) != 0) result = result.then(power);
    }
    return result;
  }
};

class Verifier {
 public:
  explicit Verifier(std::shared_ptr<const LogState> state) : state_(std::move(state)) {}

  VerifyReport run() {
    report_.sealed = state_->info.sealed;
    for (const std::string& problem : state_->problems) find(problem);
    if (!state_->info.torn.empty()) {
      if (state_->info.sealed && state_->problems.empty()) {
        report_.notes.push_back("cut: " + state_->info.torn);
      } else {
        find("the log ends early: " + state_->info.torn);
      }
    }
    for (const LoadedThread& thread : state_->loaded) check_thread(thread);
    check_objects();
    return std::move(report_);
  }

 private:
  struct Meetings {
    std::vector<std::uint64_t> orders;  // of all threads
  };
  // How far one thread's stream was read.
  struct Position {
    const ThreadInfo& thread;
    std::uint64_t own_objects{0};
    std::uint64_t hash{0};
    std::uint64_t hash_before{0};  // without the last step
    bool ended{false};
    bool has_gaps{false};
    std::unordered_map<ObjectId, std::uint64_t> orders{};  // the thread's last one at each object
  };

  void find(std::string line) {
    if (report_.findings.size() < findings_max) {
      report_.findings.push_back(std::move(line));
    } else {
      ++report_.more_findings;
    }
  }

  static std::string place(const ThreadInfo& thread, const Event& event) {
    return "thread " + thread.path + ", step " + std::to_string(event.step) + " (" + std::string(name(event.kind)) +
           ")";
  }

  std::string object_text(ObjectId object) const {
    const LoadedThread* first = state_->find(object_thread(object));
    const std::string path = first != nullptr ? first->info.path : "?" + std::to_string(object_thread(object));
    return "object @" + path + "#" + std::to_string(object_ordinal(object));
  }

  void check_thread(const LoadedThread& thread) {
    ++report_.threads;
    report_.steps += thread.info.steps;
    PieceSource source(state_, &thread);
    StreamReader reader(thread.info.index, [&source] { return source.next(); });
    Position position{thread.info};
    position.has_gaps = thread.dropped > 0;
    std::uint64_t records = 0;
    for (;;) {
      auto event = reader.next();
      if (!event) {
        find(state_->path.string() + ": " + event.error().message);
        break;
      }
      if (!*event) break;
      ++records;
      check_event(position, **event);
    }
    report_.events += records;
    position.own_objects = reader.own_objects();
    if (records < thread.written && thread.dropped == 0)
      find("thread " + thread.info.path + ": events were lost (a machine crash)");
    check_end(position, reader.step());
  }

  void check_event(Position& position, const Event& event) {
    const ThreadInfo& thread = position.thread;
    const Class treated = info(event.kind).treated;
    if (event.kind == Kind::end) position.ended = true;
    if (state_->info.full && event.checked) {
      find(place(thread, event) + ": steps are missing in a full log");
      position.has_gaps = true;
    }
    if (event.object != 0) check_object(position, event);
    if (raises_order(treated)) check_order(position, event);
    if (!is_step(treated)) return;
    if (!state_->info.full) return;
    const Hashing once{hash_factor, next_hash(0, event.kind, hashed(event))};
    position.hash_before = once.times(treated == Class::failure ? event.number - 1 : 0)(position.hash);
    position.hash = once(position.hash_before);
  }

  void check_object(Position& position, const Event& event) {
    meetings_.try_emplace(event.object);
    const ThreadIndex first = object_thread(event.object);
    if (first == well_known || first == position.thread.index) return;
    const LoadedThread* owner = state_->find(first);
    if (owner == nullptr && knows_all_names()) {
      find(place(position.thread, event) + ": " + object_text(event.object) +
           " is named by a thread that is not there");
    }
  }

  void check_order(Position& position, const Event& event) {
    std::uint64_t& last = position.orders[event.object];
    if (event.order <= last) {
      find(place(position.thread, event) + ": order " + std::to_string(event.order) + " at " +
           object_text(event.object) + " does not rise");
    } else {
      meetings_[event.object].orders.push_back(event.order);
    }
    last = std::max(last, event.order);
  }

  void check_end(const Position& position, std::uint64_t covered) {
    const ThreadInfo& thread = position.thread;
    const std::string who = "thread " + thread.path;
    own_objects_[thread.index] = std::max(thread.objects, state_->info.sealed ? 0 : position.own_objects);
    if (covered > thread.steps) {
      find(who + ": its events cover " + std::to_string(covered) + " steps, but it is said to have " +
           std::to_string(thread.steps));
    }
    if (position.ended != thread.ended) find(who + ": its end mark and its end do not agree");
    if (!state_->info.full || covered > thread.steps || position.has_gaps) return;
    if (covered < thread.steps) {
      find(who + ": " + std::to_string(thread.steps - covered) + " steps are missing at the end of a full log");
    } else if (thread.hash_known && thread.hash != position.hash &&
               (thread.ended || thread.hash != position.hash_before)) {
      find(who + ": its hash is not that of its events");
    }
  }

  // A log that was cut may mention what its lost part named, a forked process what its parent did.
  bool knows_all_names() const { return state_->info.torn.empty() && (state_->info.flags & live_forked) == 0; }

  // What needs all threads: that no two passages have the
  // same order, and that each object was named by its thread.
  void check_objects() {
    report_.objects = meetings_.size();
    for (auto& [object, met] : meetings_) {
      std::sort(met.orders.begin(), met.orders.end());
      const auto twice = std::adjacent_find(met.orders.begin(), met.orders.end());
      if (twice != met.orders.end()) find(object_text(object) + ": order " + std::to_string(*twice) + " stands twice");
      const auto owner = own_objects_.find(object_thread(object));
      if (knows_all_names() && owner != own_objects_.end() && object_ordinal(object) > owner->second) {
        find(object_text(object) + ": its thread has named only " + std::to_string(owner->second) + " objects");
      }
    }
  }

  std::shared_ptr<const LogState> state_;
  VerifyReport report_;
  std::unordered_map<ObjectId, Meetings> meetings_;
  std::unordered_map<ThreadIndex, std::uint64_t> own_objects_;
};

}  // namespace

Result<VerifyReport> verify(const std::filesystem::path& path) {
  auto state = load(path);
  if (state) return Verifier(std::move(*state)).run();
  if (state.error().code != ErrorCode::damaged) return tl::unexpected(state.error());
  VerifyReport report;  // cut off within its header
  report.findings.push_back(state.error().message);
  return report;
}

}  // namespace reprise::recording
