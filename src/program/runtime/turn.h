// One passage of an ordered output: whole statements, one after the other, in the recorded order.
//
//   const Turn turn(mutex, object);
//   turn.wrote(digest, text);            // and then really write it
#pragma once

#include <reprise/detail/gate.h>

#include <mutex>
#include <string_view>

namespace reprise::runtime {

class Turn {
 public:
  Turn(std::mutex& mutex, gate::Object& object) : thread_(gate::current), mutex_(mutex), object_(object) {
    if (thread_ != nullptr) thread_->gate->arrive(*thread_, object_, Kind::output);
    mutex_.lock();
    if (thread_ != nullptr) thread_->gate->pass(*thread_, object_, Kind::output);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    mutex_.unlock();
    if (thread_ != nullptr) thread_->gate->left(*thread_, object_);
  }

  // `digest` is that of all the object wrote so far.
  void wrote(std::uint64_t& digest, std::string_view text) const {
    if (thread_ != nullptr) thread_->gate->wrote(*thread_, digest, text.data(), text.size());
  }

 private:
  gate::Thread* thread_;
  std::mutex& mutex_;
  gate::Object& object_;
};

// Writes all of `text`. Returns 0 or the error's number.
int write_all(int file, std::string_view text);

}  // namespace reprise::runtime
