#include "program/adapters/mcapi/segment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <new>
#include <vector>

#include "program/adapters/mcapi/queue.h"

namespace reprise::mcapi {
namespace {

constexpr std::uint64_t magic = 0x31495041434D5052u;
constexpr std::uint32_t default_memory_mib = 8;
constexpr std::uint32_t memory_mib_max = 4096;
constexpr off_t starter_byte = 0;

std::string prefix() { return "mcapi-" + std::to_string(getuid()) + "-"; }

std::string segment_name() {
  std::string run;
  if (const char* given = std::getenv("MCAPI_RUN"); given != nullptr && *given != '\0') {
    run = std::string(given).substr(0, 200);
    for (char& letter : run) {
      if (letter == '/') letter = '_';
    }
  } else {
    run = "session" + std::to_string(getsid(0));
  }
  return "/" + prefix() + run;
}

flock range(short type, off_t start, off_t length) {
  flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

// Nobody else makes, joins or leaves while this is held.
class Starter {
 public:
  explicit Starter(int file) : file_(file) {
    flock lock = range(F_WRLCK, starter_byte, 1);
    while (fcntl(file_, F_SETLKW, &lock) != 0 && errno == EINTR) continue;
  }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter() {
    if (file_ < 0) return;
    flock lock = range(F_UNLCK, starter_byte, 1);
    fcntl(file_, F_SETLK, &lock);
  }

  // The file is about to be closed, which drops the lock.
  void dismiss() { file_ = -1; }

 private:
  int file_;
};

std::size_t blocks_offset() { return (sizeof(Header) + 4095) / 4096 * 4096; }

std::uint32_t memory_asked(std::uint32_t memory_mib) {
  if (memory_mib == 0) {
    const char* given = std::getenv("MCAPI_MEMORY");
    memory_mib = given == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
  }
  if (memory_mib == 0) return default_memory_mib;
  return memory_mib > memory_mib_max ? memory_mib_max : memory_mib;
}

void rest_ms(long ms) {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace

Segment& the_segment = *new Segment;  // never destroyed; not local to a function, whose guard would be a step

Lock lock_registry() {
  Header& header = segment().header();
  return Lock(
      header.registry, [](void* context) { static_cast<Header*>(context)->sweeping.store(0); }, &header);
}

namespace {
void repair_endpoint(void* context) { repair_queue(*static_cast<Endpoint*>(context)); }
}  // namespace

Lock lock_endpoint(Endpoint& endpoint) { return Lock(endpoint.mutex, repair_endpoint, &endpoint); }

Lock try_lock_endpoint(Endpoint& endpoint) { return Lock(endpoint.mutex, repair_endpoint, &endpoint, Lock::Try::once); }

// Opens the object that has the name now; it may be removed between open and lock.
bool Segment::open_current() {
  file_ = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return file_ >= 0;
}

bool Segment::map(std::size_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (place == MAP_FAILED) return false;
  header_ = static_cast<Header*>(place);
  blocks_ = reinterpret_cast<Block*>(static_cast<char*>(place) + blocks_offset());
  return true;
}

bool Segment::make(std::uint32_t memory_mib) {
  const std::size_t room = std::size_t{memory_asked(memory_mib)} << 20;
  const std::size_t bytes = blocks_offset() + room;
  if (ftruncate(file_, 0) != 0 || posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0 || !map(bytes)) {
    (void)!ftruncate(file_, 0);
    return false;
  }
  Header& header = *header_;
  header.bytes = bytes;
  header.block_count = static_cast<std::uint32_t>(room / sizeof(Block));
  make_robust(header.registry);
  make_robust(header.pool);
  for (ProcessSlot& process : header.processes) make_robust(process.life);
  for (Endpoint& endpoint : header.endpoints) {
    make_robust(endpoint.mutex);
    clear_queue(endpoint);
  }
  header.free_block = none;
  header.free_blocks = header.block_count;
  for (Index index = header.block_count; index > 0; --index) {
    block(index - 1).more = header.free_block;
    header.free_block = index - 1;
  }
  header.magic = magic;
  return true;
}

bool Segment::is_locked(Index process) const {
  flock lock = range(F_WRLCK, 1 + static_cast<off_t>(process), 1);
  return fcntl(file_, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Segment::anybody_else() const {
  flock lock = range(F_WRLCK, 1, processes_max);
  return fcntl(file_, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Segment::join(std::uint32_t memory_mib) {
  if (joined()) return true;
  name_ = segment_name();
  for (;;) {
    if (!open_current()) return false;
    Starter starter(file_);
    struct stat mine {};
    struct stat now {};
    const std::string path = "/dev/shm" + name_;
    if (fstat(file_, &mine) != 0) return false;
    if (stat(path.c_str(), &now) != 0 || now.st_ino != mine.st_ino) {
      starter.dismiss();
      close(file_);
      continue;
    }
    const bool fresh = !anybody_else();
    if (fresh) remove_stale_ones();
    if (fresh ? make(memory_mib) : map(static_cast<std::size_t>(mine.st_size))) {
      if (header_->magic == magic && take_slot()) break;
      munmap(header_, fresh ? header_->bytes : static_cast<std::size_t>(mine.st_size));
    }
    header_ = nullptr;
    starter.dismiss();
    close(file_);
    file_ = -1;
    return false;
  }
  keep_alive();
  return true;
}

bool Segment::take_slot() {
  for (Index index = 0; index < processes_max; ++index) {
    if (is_locked(index)) continue;
    flock lock = range(F_WRLCK, 1 + static_cast<off_t>(index), 1);
    if (fcntl(file_, F_SETLK, &lock) != 0) continue;
    process_ = index;
    ProcessSlot& slot = header_->processes[index];
    if (slot.used.load() != 0) {
      const Lock registry = lock_registry();
      clear_slot(index);
    }
    make_robust(slot.life);
    slot.pid = static_cast<std::uint32_t>(getpid());
    slot.used.store(1);
    return true;
  }
  return false;
}

// While another thread holds the life lock the segment must stay mapped: the lock is in that thread's list.
void Segment::leave() {
  if (!joined()) return;
  thread_ends();
  if (holds_life_.load()) return;
  {
    const Starter starter(file_);
    header_->processes[process_].used.store(0);
    if (!anybody_else()) shm_unlink(name_.c_str());
    munmap(header_, header_->bytes);
    header_ = nullptr;
    flock lock = range(F_UNLCK, 1 + static_cast<off_t>(process_), 1);
    fcntl(file_, F_SETLK, &lock);
  }
  close(file_);
  file_ = -1;
  process_ = none;
}

void Segment::forget() {
  if (!joined()) return;
  munmap(header_, header_->bytes);
  close(file_);
  header_ = nullptr;
  file_ = -1;
  process_ = none;
  holds_life_.store(false);
}

// Segments of this user that nobody holds: their processes were killed.
void Segment::remove_stale_ones() const {
  DIR* folder = opendir("/dev/shm");
  if (folder == nullptr) return;
  const std::string start = prefix();
  while (const dirent* entry = readdir(folder)) {
    const std::string other = std::string("/") + entry->d_name;
    if (std::strncmp(entry->d_name, start.c_str(), start.size()) != 0 || other == name_) continue;
    const int file = shm_open(other.c_str(), O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) continue;
    flock lock = range(F_WRLCK, 0, 1 + processes_max);
    if (fcntl(file, F_SETLK, &lock) == 0) shm_unlink(other.c_str());
    close(file);
  }
  closedir(folder);
}

// ---- who lives ----

void Segment::hold_life() {
  bool nobody = false;
  if (!holds_life_.compare_exchange_strong(nobody, true)) return;
  pthread_mutex_t& life = header_->processes[process_].life;
  const int result = pthread_mutex_trylock(&life);
  if (result == EOWNERDEAD) pthread_mutex_consistent(&life);
  if (result != 0 && result != EOWNERDEAD) return;
  life_holder_.store(pthread_self());
}

void Segment::thread_ends() {
  if (!joined() || !holds_life_.load() || pthread_equal(life_holder_.load(), pthread_self()) == 0) return;
  pthread_mutex_unlock(&header_->processes[process_].life);
  holds_life_.store(false);
}

bool Segment::has_died(const NodeSlot& node) {
  // The kernel marks the life lock a little before it drops the record lock. A process whose holder thread alone ended
  // hands the life lock on, so this takes long only if that thread was ended in some unusual way.
  for (int i = 0; i < 50; ++i) {
    if (!is_locked(node.process)) {
      reap();
      return true;
    }
    rest_ms(1);
  }
  return false;
}

void Segment::clear_slot(Index process) {
  for (Index index = 0; index < header_->nodes_used.load(); ++index) {
    NodeSlot& slot = node(index);
    if (slot.state.load() == State::live && slot.process == process) bury(index, End::died_with_owner);
  }
  header_->processes[process].used.store(0);
}

void Segment::reap() {
  bool buried = false;
  for (Index index = 0; index < processes_max; ++index) {
    if (index == process_ || header_->processes[index].used.load() == 0 || is_locked(index)) continue;
    const Lock registry = lock_registry();
    clear_slot(index);
    buried = true;
  }
  if (header_->needs_sweep.exchange(0) != 0) sweep();
  if (!buried) return;
  signal_all_nodes();
  header_->room.signal();
  for (Turn& turn : header_->turns) turn.event.signal();
}

bool Segment::has_other_nodes(Index than) {
  for (Index index = 0; index < header_->nodes_used.load(); ++index) {
    if (index != than && node(index).state.load() == State::live && !is_dead(node(index))) return true;
  }
  return false;
}

void Segment::signal_all_nodes() {
  for (Index index = 0; index < header_->nodes_used.load(); ++index) {
    node(index).event.signal();
    node(index).room.signal();
  }
}

void Segment::bury(Index index, End end) {
  for (Index each = 0; each < header_->endpoints_used.load(); ++each) {
    if (endpoint(each).state.load() == State::live && endpoint(each).node == index) end_endpoint(each, end);
  }
  node(index).state.store(end == End::died_with_owner ? State::dead : State::unused);
}

void Segment::end_endpoint(Index index, End end) {
  Endpoint& endpoint = header_->endpoints[index];
  Index peer = none;
  {
    const Lock lock = lock_endpoint(endpoint);
    peer = endpoint.connected ? endpoint.peer : none;
    if (end == End::died_with_owner) {
      // Its node died, perhaps with blocks in its hands.
      clear_queue(endpoint);
      header_->needs_sweep.store(1);
    } else {
      drop_queue(endpoint);
    }
    endpoint.connected = endpoint.opening = endpoint.open = endpoint.closed = endpoint.orphan = false;
    endpoint.peer = none;
    endpoint.state.store(end == End::unknown_since ? State::unused : State::dead);
  }
  if (peer == none) return;
  Endpoint& other = header_->endpoints[peer];
  {
    const Lock lock = lock_endpoint(other);
    if (other.connected && other.peer == index) other.orphan = true;
  }
  if (other.state.load() == State::live) node(other.node).event.signal();
}

void Segment::stop_taking() {
  header_->sweeping.store(1, std::memory_order_seq_cst);
  for (Index index = 0; index < header_->nodes_used.load(); ++index) {
    const NodeSlot& slot = node(index);
    while (slot.state.load() == State::live && slot.taking.load() != 0) {
      if (slot.process != process_ && !is_locked(slot.process)) break;  // it died there
      sched_yield();
    }
  }
}

// Blocks that are in no list were in the hands of one who died. Nobody moves a block while all locks are held and no
// node takes.
void Segment::sweep() {
  const Lock registry = lock_registry();
  stop_taking();
  std::deque<Lock> locks;
  const Index endpoints = header_->endpoints_used.load();
  for (Index index = 0; index < endpoints; ++index)
    locks.emplace_back(endpoint(index).mutex, repair_endpoint, &endpoint(index));
  const Lock pool(header_->pool);
  std::vector<bool> found(header_->block_count, false);
  for (Index index = 0; index < endpoints; ++index) mark_queue(endpoint(index), found);
  Index last = none;
  std::uint32_t count = 0;
  for (Index index = header_->block_count; index > 0; --index) {
    if (found[index - 1]) continue;
    block(index - 1).more = last;
    last = index - 1;
    ++count;
  }
  header_->free_block = last;
  header_->free_blocks.store(count);
  header_->sweeping.store(0);
}

}  // namespace reprise::mcapi
