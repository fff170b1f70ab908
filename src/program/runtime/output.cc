#include <fcntl.h>
#include <reprise/out.h>
#include <reprise/value.h>
#include <unistd.h>

#include <cerrno>

#include "base/ids.h"
#include "gate/output_lock.h"
#include "program/runtime/run_turn.h"
#include "program/runtime/turn.h"

namespace reprise {

int runtime::write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

namespace {

gate::Object output("output", output_object);
std::uint64_t output_digest = 0;
gate::run_order::Place output_place{.index = 0, .written = 0, .is_shared = true};

// What the program is told of something done to a file: the recorded error number. On replay it is done all the same.
template <typename Act>
int recorded_error(std::string_view name, Act act) {
  bool is_done = false;
  const int error = value(name, [&] {
    is_done = true;
    return act();
  });
  if (!is_done && error == 0) act();
  return error;
}

int open_flags(std::ios_base::openmode mode) {
  const bool appends = (mode & std::ios_base::app) != 0;
  return O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC);
}

}  // namespace

void Output::write(std::string_view text) {
  const runtime::Turn turn(gate::output_mutex, output);
  turn.wrote(output_digest, text);
  const runtime::RunTurn run_turn(output_place);
  runtime::write_all(STDOUT_FILENO, text);  // as a stream whose file is gone: silent
}

namespace detail {

constexpr std::size_t buffer_size = 8192;

class OrderedFile::Turn : public runtime::Turn {
 public:
  explicit Turn(OrderedFile& file) : runtime::Turn(file.mutex_, file.object_) {}
};

bool OrderedFile::open(const std::filesystem::path& path, std::ios_base::openmode mode) {
  if (is_open_ || (mode & std::ios_base::in) != 0) return false;
  const int error = recorded_error("open " + path.string(), [&] {
    file_ = ::open(path.c_str(), open_flags(mode), 0666);
    return file_ < 0 ? errno : 0;
  });
  if (error != 0) return false;
  is_open_ = true;
  path_ = path;
  // Only what is appended to keeps what several processes write.
  place_ = (mode & std::ios_base::app) != 0 ? gate::run_order::place_of(path.string()) : gate::run_order::Place{};
  name_ = path.filename().string();
  if (object_.name == nullptr) object_.name = name_.c_str();
  if ((mode & std::ios_base::ate) != 0) seekoff(0, std::ios_base::end, std::ios_base::out);
  return true;
}

bool OrderedFile::close() {
  if (!is_open_) return false;
  const Turn turn(*this);
  const bool emptied = empty_buffer();
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  is_open_ = false;
  gate::run_order::give_back(place_);
  return emptied;
}

bool OrderedFile::append(std::string_view text, bool flush) {
  if (!is_open_) return false;
  const Turn turn(*this);
  turn.wrote(digest_, text);
  buffer_ += text;
  return (!flush && buffer_.size() < buffer_size) || empty_buffer();
}

bool OrderedFile::empty_buffer() {
  if (buffer_.empty()) return true;
  const runtime::RunTurn run_turn(place_);
  const int error = recorded_error("write", [this] { return file_ < 0 ? 0 : runtime::write_all(file_, buffer_); });
  buffer_.clear();
  return error == 0;
}

std::streamsize OrderedFile::xsputn(const char* text, std::streamsize size) {
  return append(std::string_view(text, static_cast<std::size_t>(size)), false) ? size : 0;
}

OrderedFile::int_type OrderedFile::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char text = traits_type::to_char_type(character);
  return append(std::string_view(&text, 1), false) ? character : traits_type::eof();
}

int OrderedFile::sync() { return append({}, true) ? 0 : -1; }

OrderedFile::pos_type OrderedFile::seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) {
  const pos_type failed(off_type(-1));
  if (!is_open_) return failed;
  const Turn turn(*this);
  if (!empty_buffer()) return failed;
  const int whence = from == std::ios_base::beg ? SEEK_SET : from == std::ios_base::cur ? SEEK_CUR : SEEK_END;
  const auto seek = [&] { return static_cast<std::int64_t>(::lseek(file_, offset, whence)); };
  bool is_done = false;
  const std::int64_t position = value("seek", [&] {
    is_done = true;
    return seek();
  });
  if (!is_done && file_ >= 0) seek();
  return position < 0 ? failed : pos_type(position);
}

OrderedFile::pos_type OrderedFile::seekpos(pos_type position, std::ios_base::openmode which) {
  return seekoff(off_type(position), std::ios_base::beg, which);
}

}  // namespace detail
}  // namespace reprise
