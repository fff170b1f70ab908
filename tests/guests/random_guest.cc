// Trait: an interpreter of random programs; tests/system/random_programs.py writes them.
// Label: helper
#include <reprise/reprise.h>
#include <reprise/shared_mutex.h>

#include <chrono>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "guests/random_script.h"

namespace {

using namespace std::chrono_literals;

// Many can wait for it; it only grows.
struct Counter {
  reprise::mutex guard;
  reprise::condition_variable changed;
  reprise::condition_variable_any changed_any;
  int waiting{0};  // guarded by `guard`
  int value{0};
};

constexpr std::size_t few = 4;
constexpr std::size_t many = 8;

struct World {
  explicit World(const Script& script) {
    for (std::size_t i = 0; i < many; ++i) {
      latches.push_back(std::make_unique<reprise::latch>(script.count("arrive", static_cast<int>(i))));
      futures.push_back(promises[i].get_future().share());
    }
    for (std::size_t i = 0; i < few; ++i) {
      barriers.push_back(std::make_unique<reprise::barrier<>>(script.meeting(static_cast<int>(i))));
    }
  }

  reprise::mutex mutexes[few];
  long values[few]{};  // each guarded by its mutex
  reprise::timed_mutex timed[few];
  reprise::recursive_timed_mutex recursive[few];
  reprise::shared_mutex shared[few];
  long tables[few]{};  // each guarded by its shared mutex
  Counter counters[few];
  reprise::stop_source stop;
  reprise::atomic<int> bumps[few];
  reprise::atomic<long> cells[few];
  reprise::atomic_flag flags[few];
  long plain[few]{};
  reprise::counting_semaphore<2> slots[2]{reprise::counting_semaphore<2>(2), reprise::counting_semaphore<2>(1)};
  reprise::counting_semaphore<> gifts[many]{reprise::counting_semaphore<>(0), reprise::counting_semaphore<>(0),
                                            reprise::counting_semaphore<>(0), reprise::counting_semaphore<>(0),
                                            reprise::counting_semaphore<>(0), reprise::counting_semaphore<>(0),
                                            reprise::counting_semaphore<>(0), reprise::counting_semaphore<>(0)};
  reprise::once_flag once[many];
  reprise::promise<int> promises[many];
  std::vector<reprise::shared_future<int>> futures;
  std::vector<std::unique_ptr<reprise::latch>> latches;
  std::vector<std::unique_ptr<reprise::barrier<>>> barriers;
};

struct Self {
  World& world;
  int number;
  std::string log{};
  std::deque<reprise::future<long>> calls{};

  void tell(bool yes) { log += yes ? 'y' : 'n'; }
  void note(long what) { log += ' ' + std::to_string(what) + ' '; }
};

long section(World& world, std::size_t which, int who) {
  const std::lock_guard lock(world.mutexes[which]);
  return world.values[which] = (world.values[which] * 3 + who) % 100000;
}

void lock_some(Self& self, std::size_t which, const Operation& operation) {
  const auto other = static_cast<std::size_t>(operation.amount());
  if (other <= which || other >= few) return self.note(section(self.world, which, self.number));
  const std::scoped_lock lock(self.world.mutexes[which]);
  self.note(section(self.world, other, self.number));
  self.world.values[which] += self.number;
}

void try_section(Self& self, std::size_t which) {
  const std::unique_lock lock(self.world.mutexes[which], std::try_to_lock);
  self.tell(lock.owns_lock());
  if (lock) self.note(++self.world.values[which]);
}

void lock_in_time(Self& self, std::size_t which, const Operation& operation) {
  const std::unique_lock lock(self.world.timed[which], operation.amount() == 0 ? 1us : 10s);
  self.tell(lock.owns_lock());
}

void nest(Self& self, std::size_t which) {
  const std::lock_guard outer(self.world.recursive[which]);
  const std::unique_lock inner(self.world.recursive[which], 1us);
  self.tell(inner.owns_lock());
}

void read_or_write(Self& self, std::size_t which, bool writes) {
  if (writes) {
    const std::unique_lock lock(self.world.shared[which]);
    self.note(++self.world.tables[which]);
  } else {
    const std::shared_lock lock(self.world.shared[which]);
    self.note(self.world.tables[which]);
  }
}

bool is_for_any(std::size_t which) { return which >= few / 2; }

void signal(Self& self, std::size_t which, const Operation& operation) {
  Counter& counter = self.world.counters[which];
  const std::lock_guard lock(counter.guard);
  self.note(++counter.value);
  // Whoever takes the only notification does not hand it on, so one is enough only where one waits.
  const bool one = operation.amount() == 1 && counter.waiting <= 1;
  if (is_for_any(which)) return one ? counter.changed_any.notify_one() : counter.changed_any.notify_all();
  return one ? counter.changed.notify_one() : counter.changed.notify_all();
}

void await(Self& self, std::size_t which, const Operation& operation) {
  Counter& counter = self.world.counters[which];
  std::unique_lock lock(counter.guard);
  const auto done = [&] { return counter.value >= operation.amount(); };
  ++counter.waiting;
  if (!is_for_any(which)) {
    counter.changed.wait(lock, done);
  } else if (operation.numbers[2] == 1) {
    self.tell(counter.changed_any.wait(lock, self.world.stop.get_token(), done));
  } else {
    counter.changed_any.wait(lock, done);
  }
  --counter.waiting;
  self.note(counter.value);
}

void await_for(Self& self, std::size_t which, const Operation& operation) {
  Counter& counter = self.world.counters[which];
  std::unique_lock lock(counter.guard);
  const auto done = [&] { return counter.value >= operation.amount(); };
  ++counter.waiting;
  const bool came =
      is_for_any(which) ? counter.changed_any.wait_for(lock, 100us, done) : counter.changed.wait_for(lock, 100us, done);
  --counter.waiting;
  self.tell(came);
}

void bump(Self& self, std::size_t which) {
  self.note(self.world.bumps[which].fetch_add(1));
  self.world.bumps[which].notify_all();
}

void watch(Self& self, std::size_t which, const Operation& operation) {
  int seen = self.world.bumps[which].load();
  for (; seen < operation.amount(); seen = self.world.bumps[which].load()) self.world.bumps[which].wait(seen);
  self.note(seen);
}

void change_cell(Self& self, std::size_t which, const Operation& operation) {
  reprise::atomic<long>& cell = self.world.cells[which];
  switch (operation.amount()) {
    case 0:
      return self.note(cell.fetch_add(self.number));
    case 1:
      return self.note(cell.exchange(self.number));
    case 2:
      return cell.store(self.number * 100);
    case 3: {
      long expected = cell.load();
      self.tell(cell.compare_exchange_strong(expected, expected + 7));
      return self.note(expected);
    }
    case 4:
      return self.note(reprise::atomic_ref(self.world.plain[which]).fetch_add(self.number));
    case 5:
      self.tell(self.world.flags[which].test_and_set());
      return self.world.flags[which].clear();
    default:
      return self.note(cell.load());
  }
}

void use_slot(Self& self, std::size_t which, const Operation& operation) {
  reprise::counting_semaphore<2>& slots = self.world.slots[which % 2];
  bool got = true;
  if (operation.amount() == 0) slots.acquire();
  if (operation.amount() == 1) got = slots.try_acquire();
  if (operation.amount() == 2) got = slots.try_acquire_for(1us);
  self.tell(got);
  self.note(self.world.cells[which % few].fetch_add(1));
  if (got) slots.release();
}

void peek(Self& self, std::size_t which) {
  const bool got = self.world.gifts[which].try_acquire();
  self.tell(got);
  if (got) self.world.gifts[which].release();
}

void meet(Self& self, std::size_t which, const Operation& operation) {
  reprise::barrier<>& barrier = *self.world.barriers[which];
  if (operation.amount() == 0) return barrier.arrive_and_wait();
  auto token = barrier.arrive();
  self.note(section(self.world, 0, self.number));
  barrier.wait(std::move(token));
}

void set(Self& self, std::size_t which, const Operation& operation) {
  try {
    if (operation.amount() == 0) self.world.promises[which].set_value(self.number);
    if (operation.amount() != 0)
      self.world.promises[which].set_exception(std::make_exception_ptr(std::logic_error("set")));
    self.tell(true);
  } catch (const reprise::future_error&) {
    self.tell(false);
  }
}

void get(Self& self, std::size_t which) {
  const reprise::shared_future<int> own = self.world.futures[which];
  try {
    self.note(own.get());
  } catch (const std::logic_error&) {
    self.log += 'e';
  }
}

void poll(Self& self, std::size_t which, const Operation& operation) {
  const auto status = self.world.futures[which].wait_for(operation.amount() == 0 ? 0us : 50us);
  self.tell(status == reprise::future_status::ready);
}

void call(Self& self, std::size_t which, const Operation& operation) {
  const auto work = [&world = self.world, which, who = self.number] { return section(world, which, who + 10); };
  if (operation.amount() == 0) self.calls.push_back(reprise::async(reprise::launch::async, work));
  if (operation.amount() == 1) self.calls.push_back(reprise::async(reprise::launch::deferred, work));
  if (operation.amount() == 2) {
    reprise::packaged_task<long()> task(work);
    self.calls.push_back(task.get_future());
    reprise::thread(std::move(task)).detach();
  }
}

void collect(Self& self) {
  if (self.calls.empty()) return;
  self.note(self.calls.front().get());
  self.calls.pop_front();
}

void once(Self& self, std::size_t which) {
  reprise::call_once(self.world.once[which], [&] { self.note(section(self.world, which % few, 50)); });
  self.log += 'o';
}

void from_outside(Self& self, const Operation& operation) {
  if (operation.amount() == 0) self.note(reprise::steady_clock::now().time_since_epoch().count() % 1000);
  if (operation.amount() == 1) self.note(static_cast<long>(reprise::random_device()() % 1000));
  if (operation.amount() == 2) reprise::this_thread::sleep_for(1us);
  if (operation.amount() == 3) reprise::out << self.number;
}

// Operations of one name; see the generator for what their numbers mean.
void perform(Self& self, const Operation& operation) {
  const auto which = static_cast<std::size_t>(operation.object());
  const std::string& name = operation.name;
  if (name == "section") return lock_some(self, which, operation);
  if (name == "try_section") return try_section(self, which);
  if (name == "timed") return lock_in_time(self, which, operation);
  if (name == "nest") return nest(self, which);
  if (name == "share") return read_or_write(self, which, operation.amount() == 0);
  if (name == "signal") return signal(self, which, operation);
  if (name == "await") return await(self, which, operation);
  if (name == "await_for") return await_for(self, which, operation);
  if (name == "stop") return self.tell(self.world.stop.request_stop());
  if (name == "bump") return bump(self, which);
  if (name == "watch") return watch(self, which, operation);
  if (name == "cell") return change_cell(self, which, operation);
  if (name == "slot") return use_slot(self, which, operation);
  if (name == "give") return self.world.gifts[which].release();
  if (name == "take") return self.world.gifts[which].acquire();
  if (name == "peek") return peek(self, which);
  if (name == "arrive") return self.world.latches[which]->count_down();
  if (name == "pass") return self.world.latches[which]->wait();
  if (name == "try_pass") return self.tell(self.world.latches[which]->try_wait());
  if (name == "barrier") return meet(self, which, operation);
  if (name == "leave_barrier") return self.world.barriers[which]->arrive_and_drop();
  if (name == "set") return set(self, which, operation);
  if (name == "get") return get(self, which);
  if (name == "poll") return poll(self, which, operation);
  if (name == "call") return call(self, which, operation);
  if (name == "collect") return collect(self);
  if (name == "once") return once(self, which);
  if (name == "outside") return from_outside(self, operation);
  if (name != "nothing") throw std::runtime_error("no operation is called " + name);
}

void run(const Script& script, World& world, std::vector<std::string>& logs, std::size_t number) {
  std::vector<reprise::thread> children;
  for (std::size_t child = 1; child < script.threads(); ++child) {
    if (script.parent(child) != number) continue;
    children.emplace_back([&script, &world, &logs, child] { run(script, world, logs, child); });
  }
  Self self{world, static_cast<int>(number)};
  for (const Operation& operation : script.of(number)) perform(self, operation);
  while (!self.calls.empty()) collect(self);
  logs[number] = std::move(self.log);
  for (reprise::thread& child : children) child.join();
}

}  // namespace

int main(int count, char** arguments) {
  std::ifstream text(count > 1 ? arguments[1] : "");
  if (!text) {
    std::cerr << "random_guest: cannot read a script; give its file as argument\n";
    return 2;
  }
  const Script script(text);
  if (script.threads() == 0) return 0;
  const auto world = std::make_unique<World>(script);
  std::vector<std::string> logs(script.threads());
  run(script, *world, logs, 0);
  for (const std::string& log : logs) reprise::out << log << '\n';
}
