#include "drive/control/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analyse/text.h"
#include "drive/control/blame.h"
#include "drive/control/branches.h"
#include "drive/control/forced_run.h"
#include "drive/control/impossible.h"
#include "drive/control/learner.h"
#include "drive/scratch.h"
#include "recording/searched.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
namespace sequence = analyse::sequence;
using recording::Folder;
using sequence::Event;
using sequence::Type;

constexpr std::uint64_t chances_max = 64;

// What makes an event that of the list.
std::string key_of(const Event& event, const std::string& thread, const std::string& called) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", name(event.type), event.object, event.object_number, thread,
                     called, event.method, is_mailbox_type(event.type) ? "" : event.home,
                     event.type == Type::else_delay ? event.called_number : 0);
}

// Which of the listed entries happened: each at its monitor, as the how-manyth there.
class Entered {
 public:
  explicit Entered(const ForcedRun& run) {
    for (const Event& event : run.happened.events) {
      if (event.type == Type::entry || event.type == Type::reentry) threads_[key(event)].push_back(event.thread);
    }
  }
  bool take(const Event& listed, const std::string& thread) {
    const std::vector<std::string>& threads = threads_[key(listed)];
    const std::size_t next = next_[key(listed)]++;
    return next < threads.size() && threads[next] == thread;
  }

 private:
  static std::string key(const Event& event) { return event.home + "/" + event.object; }
  std::map<std::string, std::vector<std::string>> threads_;
  std::map<std::string, std::size_t> next_;
};

// One test of a sequence. What a simple form leaves out is learnt on the way: what a thread does follows from its
// causal past, so what was learnt holds as long as the passages in it are as they were.
class Test {
 public:
  Test(const std::vector<TargetLine>& programs, const Listed& listed, const Folder& kept, const TestOptions& options,
       Interrupts& interrupts)
      : programs_(programs),
        original_(listed),
        listed_(listed),
        kept_(kept),
        options_(options),
        interrupts_(interrupts) {
    result_.listed = listed.size();
  }

  Result<Tested> run() {
    open_.resize(1);
    if (original_.is_simple || !original_.entries.empty()) {
      if (auto learned = learn(open_.front()); !learned) return tl::unexpected(learned.error());
    }
    while (!open_.empty() || !later_.empty()) {
      if (result_.runs >= options_.runs_max) return spent();
      Node node = next();
      if (is_ruled_out(node.branch)) continue;
      if (options_.progress) options_.progress(result_.runs + 1);
      if (node.learner) listed_ = node.learner->resolve(original_);
      listed_.before = node.before;
      auto against = impossible(listed_);
      auto forced = try_out(node.branch);
      if (!forced) return tl::unexpected(forced.error());
      if (against && against->is_gap && forced->has_sent_in_vain) against.reset();
      const Outcome outcome = judge(*forced, node.branch, against);
      if (auto noted = note(*forced, outcome); !noted) return tl::unexpected(noted.error());
      if (outcome.is_feasible) return result_;
      if (against) return exhausted(true);  // in no run
      look_for_unsearched(*forced, node.branch);
      if (node.branch.is_beginning_of(*forced)) {
        go_on(node, *forced, outcome);
      } else {
        has_strayed_ = true;
      }
    }
    return exhausted(false);
  }

 private:
  struct Node {
    Branch branch;
    std::optional<Learner> learner;
    std::set<Before> before{};  // what its selective waits were seen to need
  };
  struct Outcome {
    bool is_feasible{false};
    std::size_t place{0};
    std::string reason;
    std::vector<Passage> conflict;
    bool is_by_past{false};  // whatever else happens: where these passages are as they were, it goes wrong
  };

  // The last one, nearest to what went wrong, is tried first.
  Node next() {
    std::vector<Node>& list = open_.empty() ? later_ : open_;
    Node node = std::move(list.back());
    list.pop_back();
    return node;
  }

  // Whatever makes it wrong to say that no order yields the sequence.
  void look_for_unsearched(const ForcedRun& run, const Branch& branch) {
    if (!run.came_to_rest) result_.timed_out = true;
    for (const Overtaking& one : run.overtakings) has_shared_ |= one.is_shared;
    for (const std::string& what : run.causes.unsearched()) unsearched_.insert(what);
    if (run.close_races_with_select || (original_.is_simple && run.close_races))
      unsearched_.insert("a mailbox is closed while another thread uses it");
    const bool has_mailboxes = std::any_of(run.happened.events.begin(), run.happened.events.end(),
                                           [](const Event& event) { return is_mailbox_type(event.type); });
    if (!listed_.lists_mailboxes && has_mailboxes) unsearched_.insert("the events of mailboxes are not listed");
    const std::set<std::string> sleepers = branch.sleepers_in(run);
    for (const auto& [thread, by] : run.cut_off) {
      const Kind kind = run.standing.at(thread).kind;
      const bool goes_on = kind == Kind::none || (recording::is_passage(kind) && kind != Kind::wait);
      if (goes_on && !sleepers.contains(thread) && !run.deviating.contains(thread) && !run.causes.is_server(thread))
        unsearched_.insert(fmt::format("{} still went on when its process ended", thread));
    }
  }

  // What is not searched is run in many ways: that one of them yields the sequence is a proof, that none does is not.
  Result<Tested> by_chance() {
    std::uint64_t tried = 0;
    for (; tried < chances_max && result_.runs < options_.runs_max; ++tried) {
      if (options_.progress) options_.progress(result_.runs + 1);
      auto forced = try_out({}, tried + 1);
      if (!forced) return tl::unexpected(forced.error());
      const Outcome outcome = judge(*forced, {}, std::nullopt);
      if (auto noted = note(*forced, outcome); !noted) return tl::unexpected(noted.error());
      if (outcome.is_feasible) return result_;
    }
    return undecided(fmt::format("{}{}, which is not searched but was run {} by chance", *unsearched_.begin(),
                                 unsearched_.size() > 1 ? " (there is more of that kind)" : "",
                                 analyse::counted(tried, "time")));
  }

  Result<Tested> exhausted(bool is_against) {
    if (result_.timed_out)
      return undecided(fmt::format("a run neither ended nor came to rest within {:g} s", options_.inactivity_s));
    if (has_shared_) {
      return undecided(
          "this form does not say in which order messages came to the mailboxes of a select, and several threads "
          "receive there, so that not all orders were tried: forms node, total and simple say it");
    }
    if (has_strayed_) {
      return undecided(
          "the program did not repeat itself: a run that was to begin as another one did went another way, so it "
          "depends on something that is not ordered");
    }
    if (!is_against && !unsearched_.empty()) return by_chance();
    result_.verdict = Feasibility::infeasible;
    return result_;
  }
  Tested spent() {
    result_.left = open_.size() + later_.size();
    return undecided(fmt::format("{} explored, {} left of those that are known", analyse::counted(result_.runs, "run"),
                                 analyse::counted(result_.left, "branch", "branches")));
  }

  Tested undecided(const std::string& why) {
    result_.verdict = Feasibility::undecided;
    result_.reason = why;
    return result_;
  }

  // By the plan of what is known to be listed, unless the run is `free`.
  Result<ForcedRun> try_out(const Branch& branch, std::optional<std::uint64_t> chaos = {}, bool is_free = false) {
    ++result_.runs;
    auto scratch = ScratchFolder::create_in_memory();
    if (!scratch) return tl::unexpected(scratch.error());
    scratch_ = std::make_shared<ScratchFolder>(*std::move(scratch));
    tried_ = Folder{scratch_->path() / (kept_.name() + std::string(recording::folder_suffix))};
    std::error_code ignored;
    fs::create_directory(tried_.path, ignored);
    const std::string inputs = options_.inputs.empty() && first_ ? first_folder_ : options_.inputs;
    auto run = run_forced(programs_, is_free ? "" : plan_text(listed_), tried_, options_.inactivity_s, interrupts_,
                          {chaos, inputs, branch.steer_text()});
    if (run) result_.values = run->values;
    if (!first_) first_folder_ = tried_.path.string();
    if (!first_) first_ = scratch_;
    return run;
  }

  // Which of the listed events happened; the first that did not.
  Outcome judge(const ForcedRun& run, const Branch& branch, const std::optional<Impossible>& against) const {
    std::set<std::string> happened;
    for (const Event& event : run.happened.events) happened.insert(key_of(event, event.thread, event.called));
    Outcome outcome;
    outcome.place = listed_.size();
    std::map<std::string, std::size_t> places;
    Entered entered(run);
    const std::size_t entries = listed_.mailboxes.size() + listed_.monitors.size();
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const Event& event = listed_.at(i);
      const std::string thread = event.thread.empty() ? "" : run.path_of(event.thread);
      const std::string called = event.called.empty() ? "" : run.path_of(event.called);
      if (i < listed_.mailboxes.size()) places[place_key(event, called)] = i;
      const bool is_entry = i >= entries && i < entries + listed_.entries.size();
      const bool is_done = is_entry ? entered.take(event, thread) : happened.contains(key_of(event, thread, called));
      if (!is_done) outcome.place = std::min(outcome.place, i);
    }
    const bool has_all = outcome.place == listed_.size() && run.deviating.empty();
    const bool is_complete = has_all && !branch.held_somebody_in(run);
    if (has_all && !is_complete) {
      outcome.conflict = run.causes.all();
    } else if (!is_complete) {
      const auto past = past_of_failure(run, branch);
      outcome.is_by_past = past.has_value();
      outcome.conflict = past ? *past : past_of_rest(run, branch);
    }
    if (is_complete && !run.overtakings.empty()) {
      note_overtaking(run, outcome);
    } else if (listed_.has_total_order) {
      const auto violation = run.causes.against(places);
      if (violation && violation->place < outcome.place) {
        outcome.place = violation->place;
        if (is_complete) {
          outcome.conflict = violation->passages;
          outcome.is_by_past = true;
        }
        outcome.reason = "it depends on an event that is listed after it";
      }
      outcome.is_feasible = is_complete && !violation && !against;
    } else {
      outcome.is_feasible = is_complete && !against;
    }
    if (against && against->place <= outcome.place) {
      outcome.place = against->place;
      outcome.reason = against->reason;
    }
    return outcome;
  }

  // All is as listed, but for the order in which messages came to different mailboxes.
  void note_overtaking(const ForcedRun& run, Outcome& outcome) const {
    for (const Overtaking& one : run.overtakings) {
      const auto place = listed_at(listed_, one.receive);
      if (!place || *place >= outcome.place) continue;
      outcome.place = *place;
      outcome.reason =
          fmt::format("{} takes what came first of that for which it waits, and a message came to {} before",
                      one.thread, one.needed.then.mailbox);
    }
  }

  // As Causes names it.
  static std::string place_key(const Event& event, const std::string& called) {
    if (event.type == Type::else_delay) return fmt::format("{} {}", called, event.called_number);
    return fmt::format("{} {}", event.object, event.object_number);
  }

  // What a thread depended on that did, or did not, what is listed. Of several such pasts the one that leaves least to
  // try.
  std::optional<std::vector<Passage>> past_of_failure(const ForcedRun& run, const Branch& branch) const {
    std::optional<std::vector<Passage>> best;
    const auto consider = [&](const std::set<std::string>& threads) {
      std::vector<Passage> passages = run.causes.past_of(threads);
      if (!best || branch.fresh(passages).size() < branch.fresh(*best).size()) best = std::move(passages);
    };
    for (const auto& [thread, what] : run.deviating) consider({thread});
    for (const auto& [thread, has_ended] : run.ended) {
      if (has_ended && !run.cut_off.contains(thread) && has_more(run, thread)) consider({thread});
    }
    if (!listed_.before.empty()) return best;  // what waits for another mailbox is nobody's past
    const std::set<std::string> sleepers = branch.sleepers_in(run);
    const Blame blame(listed_, run, sleepers);
    for (const std::string& thread : blame.late()) {
      const Blamed blamed = blame.for_thread(thread);
      if (blamed.is_by_past) consider(blamed.threads);
    }
    return best;
  }
  // The same where what is not allowed to go on may be the reason.
  std::vector<Passage> past_of_rest(const ForcedRun& run, const Branch& branch) const {
    std::vector<Passage> least = run.causes.all();
    if (!listed_.before.empty()) return least;
    const std::set<std::string> sleepers = branch.sleepers_in(run);
    const Blame blame(listed_, run, sleepers);
    for (const std::string& thread : blame.late()) {
      std::vector<Passage> passages = run.causes.past_of(blame.for_thread(thread).threads);
      if (branch.fresh(passages).size() < branch.fresh(least).size()) least = std::move(passages);
    }
    return least;
  }
  // Did the thread end before it did all that is listed of it?
  bool has_more(const ForcedRun& run, const std::string& thread) const {
    std::uint64_t listed = 0;
    std::uint64_t done = 0;
    for (const Event& event : listed_.mailboxes) {
      if (run.path_of(event.thread) == thread || (!event.called.empty() && run.path_of(event.called) == thread))
        ++listed;
    }
    for (const Event& event : run.happened.events) {
      if (is_mailbox_type(event.type) && (event.thread == thread || event.called == thread)) ++done;
    }
    return done < listed;
  }

  // Is all of what made an earlier run go wrong decided the same way?
  bool is_ruled_out(const Branch& branch) const {
    return std::any_of(ruled_out_.begin(), ruled_out_.end(),
                       [&](const std::vector<Passage>& conflict) { return branch.has(conflict); });
  }

  // What to try after a run that went wrong.
  void go_on(const Node& node, const ForcedRun& run, const Outcome& outcome) {
    if (run.deviating.empty() && !run.overtakings.empty()) return order_arrivals(node, run);
    if (!node.learner) {
      if (outcome.is_by_past) ruled_out_.push_back(outcome.conflict);
      add_branches(node, run, outcome.conflict);
      return;
    }
    Node next = node;
    std::set<std::string> threads;
    for (const auto& one : run.deviating) {
      if (next.learner->learn_from({one})) threads.insert(one.first);
    }
    if (!threads.empty()) {
      // They did what was not known of them: again with that, where their pasts are as they were.
      next.branch = add_branches(node, run, run.causes.past_of(threads));
      open_.push_back(std::move(next));
    } else if (!run.deviating.empty()) {
      add_branches(node, run, run.causes.past_of({run.deviating.begin()->first}));
    } else {
      add_branches(node, run, run.causes.all());  // what is not known yet may be the reason that others wait
    }
  }

  // What selective waits took must come earlier. That they waited for both follows from the pasts of their threads.
  void order_arrivals(const Node& node, const ForcedRun& run) {
    Node next = node;
    std::set<std::string> threads;
    for (const Overtaking& one : run.overtakings) {
      if (next.before.insert(one.needed).second) threads.insert(one.thread);
    }
    if (threads.empty()) {
      has_strayed_ = true;  // it was forced and did not happen
      return;
    }
    next.branch = add_branches(node, run, run.causes.past_of(threads));
    listed_.before = next.before;
    if (!contradicts_itself(listed_)) open_.push_back(std::move(next));
  }

  // Each way in which one of the passages goes differently, with all before it as they were. Returns the branch in
  // which none does.
  Branch add_branches(const Node& node, const ForcedRun& run, const std::vector<Passage>& conflict) {
    Grown grown = grow(node.branch, run, conflict);
    for (Branch& branch : grown.contested) open_.push_back({std::move(branch), node.learner, node.before});
    for (Branch& branch : grown.others) later_.push_back({std::move(branch), node.learner, node.before});
    return std::move(grown.fixed);
  }

  // A free run tells most of what a simple form leaves out.
  Result<void> learn(Node& node) {
    auto free = try_out({}, {}, true);
    if (!free) return tl::unexpected(free.error());
    node.learner.emplace();
    node.learner->learn(*free);
    return {};
  }

  // Keeps the run if it came further than those before.
  Result<void> note(const ForcedRun& run, const Outcome& outcome) {
    if (result_.place && !outcome.is_feasible && outcome.place <= *result_.place) return {};
    std::error_code error;
    fs::remove_all(kept_.path, error);
    fs::copy(tried_.path, kept_.path, fs::copy_options::recursive, error);
    if (error) return fail(ErrorCode::io, fmt::format("cannot keep {}: {}", kept_.path.string(), error.message()));
    if (outcome.is_feasible) {
      result_.verdict = Feasibility::feasible;
      result_.place.reset();
      result_.instead.clear();
      result_.reason.clear();
      return {};
    }
    result_.deviates = !run.deviating.empty();
    result_.place = outcome.place;
    result_.reason = outcome.reason;
    const bool is_listed = outcome.place < listed_.size();
    result_.event = is_listed ? text_of(listed_.at(outcome.place)) : "an event that is not listed";
    result_.line = is_listed ? listed_.at(outcome.place).place : sequence::Place{};
    result_.instead.clear();
    for (const auto& [thread, what] : run.deviating) result_.instead.push_back(fmt::format("{}: {}", thread, what));
    for (const auto& [thread, what] : run.waiting) {
      const auto ended = run.ended.find(thread);
      if (ended != run.ended.end() && !ended->second && !run.deviating.contains(thread))
        result_.instead.push_back(fmt::format("{}: {}, last waited for", thread, what));
    }
    return {};
  }

  const std::vector<TargetLine>& programs_;
  const Listed& original_;
  Listed listed_;  // with what was learnt
  const Folder& kept_;
  const TestOptions& options_;
  Interrupts& interrupts_;
  Tested result_;
  bool has_shared_{false};   // a selective wait needed an order, or that another thread was faster
  bool has_strayed_{false};  // a run did not begin as it was to
  std::vector<Node> open_;
  std::vector<Node> later_;  // nobody was seen to come to the object where these go another way
  std::vector<std::vector<Passage>> ruled_out_;
  std::set<std::string> unsearched_;
  std::shared_ptr<ScratchFolder> scratch_;
  std::shared_ptr<ScratchFolder> first_;  // whose values from outside the other runs take
  std::string first_folder_;
  Folder tried_;
};

}  // namespace

Result<Tested> test_sequence(const std::vector<TargetLine>& programs, const Listed& listed, const Folder& kept,
                             const TestOptions& options, Interrupts& interrupts) {
  return Test(programs, listed, kept, options, interrupts).run();
}

}  // namespace reprise::drive
