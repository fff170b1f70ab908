#include "program/message/registry.h"

#include <dirent.h>
#include <fcntl.h>
#include <reprise/detail/gate.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "program/message/wire.h"

namespace reprise::messaging {
namespace {

constexpr std::size_t entry_bytes_max = 1024;
constexpr std::size_t peers_bytes_max = std::size_t{1} << 20;
constexpr std::string_view entry_suffix = ".party";
constexpr const char* lock_name = "lock";
constexpr const char* id_name = "run";

std::string entry_name(const std::string& name) { return name + std::string(entry_suffix); }

std::string error_text() { return std::strerror(errno); }

std::string hexadecimal(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::string read_all(int file, std::size_t bytes_max) {
  std::string text;
  char part[1024];
  for (;;) {
    const ssize_t size = read(file, part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || text.size() > bytes_max) return text.substr(0, bytes_max);
    text.append(part, static_cast<std::size_t>(size));
  }
}

int open_in(int folder, const std::string& name) { return openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC); }

// Its owner holds the lock as long as it lives.
bool is_alive(int entry) {
  if (flock(entry, LOCK_SH | LOCK_NB) != 0) return true;
  flock(entry, LOCK_UN);
  return false;
}

std::string default_path() {
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == nullptr) here[0] = '\0';
  return "/tmp/reprise-" + std::to_string(getuid()) + "/" + hexadecimal(XXH3_64bits(here, std::strlen(here)));
}

std::string random_id() {
  std::uint64_t number = 0;
  const int file = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!read(file, &number, sizeof number);
    close(file);
  }
  return hexadecimal(number);
}

// A folder of our own, that nobody else can write to.
bool make_private(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return false;
  errno = EPERM;
  return S_ISDIR(status.st_mode) && status.st_uid == getuid() && (status.st_mode & 022) == 0;
}

std::string text_of(const Located& located) {
  return std::to_string(located.incarnation) + " " + located.process + " " + located.host + "\n";
}

std::optional<Located> parse_entry(std::string_view text) {
  if (text.empty() || text.back() != '\n') return std::nullopt;
  text.remove_suffix(1);
  const auto incarnation = next_number(text);
  const auto process = next_word(text);
  const auto host = next_word(text);
  if (!incarnation || !process || !host || *incarnation > UINT32_MAX) return std::nullopt;
  Located located;
  located.incarnation = static_cast<std::uint32_t>(*incarnation);
  located.process = *process;
  located.host = *host;
  return located;
}

}  // namespace

Result<Peers> read_peers(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(ErrorCode::io, "cannot read REPRISE_PEERS=" + path + ": " + error_text());
  const std::string text = read_all(file, peers_bytes_max);
  close(file);
  Peers peers{hexadecimal(XXH3_64bits(text.data(), text.size())), {}};
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, std::min(rest.find('#'), end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto name = next_word(line);
    const std::size_t colon = line.rfind(':');
    std::string_view port_text = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    const auto port = next_number(port_text);
    if (name == "run" && colon == std::string_view::npos && !line.empty()) {
      peers.run = line;
    } else if (name && is_valid_party(*name) && port && *port > 0 && *port <= UINT16_MAX && colon > 0) {
      peers.places[std::string(*name)] = {std::string(line.substr(0, colon)), static_cast<std::uint16_t>(*port)};
    } else {
      return fail(ErrorCode::usage, path + ", line " + std::to_string(number) + ": should be `name host:port` or `run ID`");
    }
  }
  return peers;
}

Result<std::shared_ptr<Run>> Run::open() {
  std::shared_ptr<Run> run(new Run);
  const char* given = std::getenv("REPRISE_RUN");
  run->may_empty_ = given == nullptr || *given == '\0';
  const std::string path = run->may_empty_ ? default_path() : given;
  if (run->may_empty_ && !make_private(path.substr(0, path.rfind('/'))))
    return fail(ErrorCode::io, "cannot use " + path + ": " + error_text() + "; set REPRISE_RUN to a folder of your own");
  if (auto prepared = run->prepare(path); !prepared) return tl::unexpected(prepared.error());
  const bool replaying = gate::installed != nullptr && !gate::installed->lives();  // on one host, all of it
  if (const char* peers = std::getenv("REPRISE_PEERS"); peers != nullptr && *peers != '\0' && !replaying) {
    auto found = read_peers(peers);
    if (!found) return tl::unexpected(found.error());
    run->peers_ = std::move(*found);
  }
  return run;
}

Run::~Run() {
  if (folder_ >= 0) close(folder_);
}

Result<void> Run::prepare(const std::string& path) {
  if (!make_private(path))
    return fail(ErrorCode::io, "cannot use the run folder " + path + ": " + error_text() +
                                   "; it must be a folder that only you can write to (REPRISE_RUN names it)");
  folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return fail(ErrorCode::io, "cannot open the run folder " + path + ": " + error_text());
  return {};
}

// REQUIRES the folder's lock.
Result<std::string> Run::read_id() {
  if (peers_) return peers_->run;
  int file = open_in(folder_, id_name);
  if (file >= 0) {
    std::string id = read_all(file, 64);
    close(file);
    if (!id.empty()) return id;
  }
  std::string id = random_id();
  file = openat(folder_, id_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, id.data(), id.size()) == static_cast<ssize_t>(id.size());
  const std::string why = error_text();
  if (file >= 0) close(file);
  if (!written) return fail(ErrorCode::io, "cannot write into the run folder: " + why);
  return id;
}

namespace {

// The names in a folder.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = again < 0 ? nullptr : fdopendir(again);
  if (list == nullptr) {
    if (again >= 0) close(again);
    return names;
  }
  while (const dirent* entry = readdir(list)) names.emplace_back(entry->d_name);
  closedir(list);
  return names;
}

}  // namespace

bool Run::is_anybody_alive() const {
  for (const std::string& name : names_in(folder_)) {
    if (!std::string_view(name).ends_with(entry_suffix)) continue;
    const int entry = open_in(folder_, name);
    if (entry < 0) continue;
    const bool alive = is_alive(entry);
    close(entry);
    if (alive) return true;
  }
  return false;
}

void Run::empty() {
  for (const std::string& name : names_in(folder_)) {
    if (name != lock_name && name != "." && name != "..") unlinkat(folder_, name.c_str(), 0);
  }
}

Result<Run::Added> Run::begin(const std::string& name, std::uint32_t wanted) {
  Added added;
  added.lock = openat(folder_, lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (added.lock < 0) return fail(ErrorCode::io, "cannot write into the run folder: " + error_text());
  while (flock(added.lock, LOCK_EX) != 0 && errno == EINTR) {
  }
  if (may_empty_ && !is_anybody_alive()) empty();
  auto id = read_id();
  if (!id) {
    give_up(added);
    return tl::unexpected(id.error());
  }
  added.run = *id;
  const auto before = look(name);
  if (before && before->is_alive) {
    give_up(added);
    return fail(ErrorCode::usage, "there is a party " + name + " already (in process " + before->process +
                                      "); names are unique within a run");
  }
  added.incarnation = wanted != 0 ? wanted : before ? before->incarnation + 1 : 1;
  unlinkat(folder_, socket_name(name).c_str(), 0);
  return added;
}

Result<void> Run::finish(const std::string& name, const Located& located, Added& added) {
  const std::string beside = entry_name(name) + ".new";
  const std::string text = text_of(located);
  added.file = openat(folder_, beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool done = added.file >= 0 && flock(added.file, LOCK_EX | LOCK_NB) == 0 &&
                    write(added.file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                    renameat(folder_, beside.c_str(), folder_, entry_name(name).c_str()) == 0;
  const std::string why = error_text();
  if (!done) {
    give_up(added);
    return fail(ErrorCode::io, "cannot register party " + name + ": " + why);
  }
  close(added.lock);
  added.lock = -1;
  return {};
}

void Run::give_up(Added& added) {
  if (added.file >= 0) close(added.file);
  if (added.lock >= 0) close(added.lock);
  added.file = added.lock = -1;
}

std::optional<Located> Run::look(const std::string& name) const {
  const int entry = open_in(folder_, entry_name(name));
  if (entry < 0) return std::nullopt;
  auto located = parse_entry(read_all(entry, entry_bytes_max));
  if (located) located->is_alive = is_alive(entry);
  close(entry);
  return located;
}

}  // namespace reprise::messaging
