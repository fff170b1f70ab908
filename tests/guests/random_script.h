// The script of a random program: one line per operation, in an order in which the program could run alone, line by
// line.
//
//   threads 3
//   parent 2 1            thread 2 is started by thread 1; main is thread 0 and starts the others
//   1 signal 0            an operation of thread 1, with up to three numbers
//   0,1,2 barrier 0       an operation of several threads together
//
// No script deadlocks, whatever lines are left out: an operation waits only for what stands in lines before it, and is
// made weaker where these are not there any more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <istream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

struct Operation {
  std::string name;
  std::array<int, 3> numbers{};
  int& object() { return numbers[0]; }
  int object() const { return numbers[0]; }
  int& amount() { return numbers[1]; }
  int amount() const { return numbers[1]; }
};

class Script {
 public:
  explicit Script(std::istream& text) {
    for (std::string line; std::getline(text, line);) read(line);
    weaken();
    for (Line& line : lines_) {
      for (const int thread : line.threads) operations_.at(static_cast<std::size_t>(thread)).push_back(line.operation);
    }
    spread_barriers();
  }

  std::size_t threads() const { return operations_.size(); }
  const std::vector<Operation>& of(std::size_t thread) const { return operations_[thread]; }
  std::size_t parent(std::size_t thread) const { return parents_.at(thread); }

  // How many lines have this operation on this object.
  int count(const std::string& name, int object) const {
    return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&](const Line& line) {
      return line.operation.name == name && line.operation.object() == object;
    }));
  }
  // How many threads meet at a barrier at first.
  int meeting(int barrier) const {
    const auto found = members_.find(barrier);
    return found == members_.end() ? 0 : static_cast<int>(found->second);
  }

 private:
  struct Line {
    std::vector<int> threads;
    Operation operation;
  };

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first)) return;
    std::size_t a = 0;
    std::size_t b = 0;
    if (first == "threads" && words >> a) {
      operations_.resize(a);
      parents_.assign(a, 0);
    } else if (first == "parent" && words >> a >> b) {
      parents_.at(a) = b;
    } else {
      Line read;
      std::istringstream numbers(first);
      for (std::string number; std::getline(numbers, number, ',');) read.threads.push_back(std::stoi(number));
      words >> read.operation.name;
      for (int& number : read.operation.numbers) words >> number;
      lines_.push_back(std::move(read));
    }
  }

  // What stands before a line decides how long it may wait.
  void weaken() {
    std::map<std::pair<std::string, int>, int> before;
    std::map<int, std::set<int>> waiters;
    for (const Line& line : lines_) {
      if (line.operation.name == "await") waiters[line.operation.object()].insert(line.threads.front());
    }
    for (Line& line : lines_) {
      Operation& operation = line.operation;
      const int object = operation.object();
      const auto so_far = [&](const char* name) { return before[{name, object}]; };
      if (operation.name == "await") operation.amount() = std::min(operation.amount(), so_far("signal"));
      if (operation.name == "watch") operation.amount() = std::min(operation.amount(), so_far("bump"));
      if (operation.name == "take" && so_far("take") >= so_far("give")) operation.name = "peek";
      if (operation.name == "pass" && so_far("arrive") < count("arrive", object)) operation.name = "try_pass";
      if (operation.name == "get" && so_far("set") == 0) operation.name = "poll";
      if (operation.name == "signal" && waiters[object].size() > 1) operation.amount() = 0;  // all must hear it
      ++before[{operation.name, object}];
    }
  }

  // A thread that does not come to the next meeting leaves at its last one; nobody joins later.
  void spread_barriers() {
    std::map<int, std::set<int>> members;
    for (const Line& line : lines_) {
      if (line.operation.name != "barrier") continue;
      const std::set<int> here(line.threads.begin(), line.threads.end());
      auto [found, is_first] = members.try_emplace(line.operation.object(), here);
      if (is_first) members_[line.operation.object()] = here.size();
    }
    for (std::size_t thread = 0; thread < operations_.size(); ++thread) drop_out(static_cast<int>(thread), members);
  }

  void drop_out(int thread, const std::map<int, std::set<int>>& members) {
    std::map<int, std::size_t> meetings;  // that this thread comes to, before it misses one
    for (const auto& [barrier, first] : members) {
      if (!first.contains(thread)) continue;
      for (const Line& line : lines_) {
        if (line.operation.name != "barrier" || line.operation.object() != barrier) continue;
        if (std::find(line.threads.begin(), line.threads.end(), thread) == line.threads.end()) break;
        ++meetings[barrier];
      }
    }
    std::map<int, std::size_t> met;
    for (Operation& operation : operations_[static_cast<std::size_t>(thread)]) {
      if (operation.name != "barrier") continue;
      const std::size_t now = ++met[operation.object()];
      const std::size_t last = meetings[operation.object()];
      if (now == last) operation.name = "leave_barrier";
      if (now > last) operation.name = "nothing";
    }
  }

  std::vector<Line> lines_;
  std::vector<std::vector<Operation>> operations_;
  std::vector<std::size_t> parents_;
  std::map<int, std::size_t> members_;  // barrier -> how many meet there at first
};
