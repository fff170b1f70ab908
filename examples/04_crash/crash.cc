// A server answers requests while its settings are reloaded. Now and then it dies of a null pointer.
//
// The bug: answer() looks at `settings` twice. Between the two looks reload() may take the old settings away.
#include <reprise/reprise.h>

#include <memory>
#include <random>

namespace {

constexpr int reloads = 10;
constexpr int requests = 20;

struct Settings {
  int version;
  int limit;
};

reprise::atomic<Settings*> settings{nullptr, "settings"};

// Something to do that takes about `nanoseconds` and touches nothing shared.
void spend(unsigned nanoseconds) {
  volatile unsigned work = 0;
  for (unsigned i = 0; i < nanoseconds; ++i) work = work + i;
}

void reload() {
  std::minstd_rand times(reprise::random_device{}());
  static Settings versions[reloads];
  for (int version = 0; version < reloads; ++version) {
    settings = nullptr;  // nobody may use the old ones from here on
    spend(500);          // read the new ones
    versions[version] = {version, 10 * version};
    settings = &versions[version];
    spend(times() % 80'000);
  }
}

// The limit that holds for a request, or 0 while there is none.
[[gnu::noinline]] int answer() {
  if (settings == nullptr) return 0;  // the first look ...
  spend(50);                          // read the request
  return settings.load()->limit;      // ... and the second: it may be null by now
}

}  // namespace

int main() {
  reprise::thread reloader(reload);
  std::minstd_rand times(reprise::random_device{}());
  long answered = 0;
  for (int request = 0; request < requests; ++request) {
    spend(times() % 40'000);
    answered += answer() >= 0 ? 1 : 0;
  }
  reloader.join();
  reprise::out << answered << " requests answered\n";
}
