// Trait: the steps of each thread are read from a file, which stands for the program: to change a line is to change it.
// Label: helper
//
// Use: script_guest SCRIPT    Each line is `THREAD OPERATION NUMBER`, threads from 0; operations: lock unlock add load
// store compare notify notify_all value clock sleep output. Each is one step of its thread.
#include <reprise/reprise.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "guests/together.h"

namespace {

constexpr int objects = 4;

struct Operation {
  std::string name;
  int number;
};

std::array<reprise::mutex, objects> mutexes;
std::array<reprise::atomic<int>, objects> atomics;
std::array<reprise::condition_variable, objects> conditions;

// Names every object in a fixed order, so that which one a step is at is known from the first step on.
void name_objects() {
  for (int i = 0; i < objects; ++i) {
    mutexes[i].lock();
    mutexes[i].unlock();
    atomics[i].store(0);
    conditions[i].notify_one();
  }
}

void perform(const Operation& operation) {
  const std::string_view name = operation.name;
  const auto number = static_cast<std::size_t>(operation.number);
  if (name == "lock") mutexes[number].lock();
  if (name == "unlock") mutexes[number].unlock();
  if (name == "add") atomics[number].fetch_add(1);
  if (name == "load") atomics[number].load();
  if (name == "store") atomics[number].store(7);
  if (name == "compare") {
    int expected = -1;  // always fails
    atomics[number].compare_exchange_strong(expected, 0);
  }
  if (name == "notify") conditions[number].notify_one();
  if (name == "notify_all") conditions[number].notify_all();
  if (name == "value") reprise::value("value " + std::to_string(number), [] { return 3; });
  if (name == "clock") reprise::steady_clock::now();
  if (name == "sleep") reprise::this_thread::sleep_for(std::chrono::microseconds(1));
  if (name == "output") reprise::out << name << ' ' << number << '\n';
}

std::vector<std::vector<Operation>> read_script(const char* path) {
  std::vector<std::vector<Operation>> threads;
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) std::exit(2);
  char name[32];
  unsigned thread = 0;
  for (int number = 0; std::fscanf(file, "%u %31s %d", &thread, name, &number) == 3;) {
    if (threads.size() <= thread) threads.resize(thread + 1);
    threads[thread].push_back({name, number});
  }
  std::fclose(file);
  return threads;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto script = read_script(argv[1]);
  name_objects();
  Together start(static_cast<int>(script.size()));
  std::vector<reprise::thread> threads;
  for (const auto& operations : script) {
    threads.emplace_back([&] {
      start.arrive();
      for (const Operation& operation : operations) perform(operation);
    });
  }
  for (auto& thread : threads) thread.join();
}
