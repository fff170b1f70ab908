// Shared objects of CARE: many readers or one writer, and versions.
#include <reprise/shared_mutex.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "program/message/care.h"

namespace {

struct SharedObject : Object {
  explicit SharedObject(const std::string& label) : Object{}, mutex(name) {
    std::memcpy(name, label.c_str(), label.size() + 1);
  }

  reprise::shared_mutex mutex;
  std::atomic<int> readers{0};  // of this version
  int version{1};               // guarded by the mutex
};

// At level data: what this thread found, each time, as CARE did: its log shows it also where it is no news.
void keep_contents(const Object& object) {
  reprise::gate::Thread* thread = reprise::gate::current;
  if (thread == nullptr || !thread->keeps_contents) return;
  if (std::string bytes; thread->is_detached) {
    if (reprise::gate::take_contents(*thread, bytes) && bytes.size() == object.size)
      std::memcpy(object.data, bytes.data(), bytes.size());
    return;
  }
  reprise::gate::keep_or_compare(*thread, std::string_view(object.data, object.size));
}

SharedObject& shared(Object* object) { return *static_cast<SharedObject*>(object); }

}  // namespace

Object* care_object(void* data, const char* name, unsigned long size) {
  auto* object = new (std::nothrow) SharedObject(reprise::care::cut(name, OBJ_NAME_SIZE));
  if (object == nullptr) return nullptr;
  object->data = static_cast<char*>(data);
  object->size = size;
  return object;
}

void care_read_entry(Pinfo* pinfo, Object* object) {
  SharedObject& self = shared(object);
  self.mutex.lock_shared();
  keep_contents(self);
  self.readers.fetch_add(1, std::memory_order_relaxed);
  reprise::care::note("read", {reprise::care::name_of(pinfo), std::to_string(self.version), self.name});
}

void care_read_exit(Pinfo*, Object* object) { shared(object).mutex.unlock_shared(); }

void care_write_entry(Pinfo* pinfo, Object* object) {
  SharedObject& self = shared(object);
  self.mutex.lock();
  // CARE did not keep what a writer finds; one that goes on from a checkpoint without the others needs it.
  const reprise::gate::Thread* thread = reprise::gate::current;
  if (thread != nullptr && (thread->has_checkpoints || !thread->gate->lives())) keep_contents(self);
  const int readers = self.readers.exchange(0, std::memory_order_relaxed);
  reprise::care::note(
      "wrote", {reprise::care::name_of(pinfo), std::to_string(self.version), std::to_string(readers), self.name});
  ++self.version;
}

void care_write_exit(Pinfo*, Object* object) { shared(object).mutex.unlock(); }
