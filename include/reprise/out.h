// reprise::out and reprise::ofstream: output whose writes are ordered among threads, so that the replayed bytes come in
// the same order.
//
//   reprise::out << "balance " << balance << '\n';      // one write, whole, at the end of the statement
//   reprise::ofstream log("log.txt");
//   log << "balance " << balance << std::endl;          // whole, too; buffered until it is flushed or closed
//
// Threads   Any; statements do not mix. That holds for what is written with << to the ofstream itself: through a
//           std::ostream&, and with write() and put(), each piece is ordered for itself. To open, close or change the
//           format is for one thread at a time, as with std's.
// Processes What a launcher (`reprise record`) started shares one order for standard output, and one for each file that
// is
//           opened to be appended to (`app`) and not twice by one process at a time; up to 255 files in a run.
// Replay    Standard output and the files are written again, with the same bytes in the same order. A file that cannot
// be
//           opened or written any more is left out; the program is told what it was told when recorded.
// Cost      One passage of the gate per statement; out has a write(2) for each, ofstream one for each 8 KiB.
#pragma once

#include <reprise/detail/gate.h>
#include <reprise/detail/line.h>
#include <reprise/detail/place.h>

#include <cstdint>
#include <filesystem>
#include <ios>
#include <memory>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

namespace reprise {

class Output {
 public:
  using Line = detail::Line<const Output>;

  template <typename T>
  Line operator<<(const T& part) const {
    return Line(*this, nullptr, part);
  }
  Line operator<<(std::ostream& (*manipulator)(std::ostream&)) const { return Line(*this, nullptr, manipulator); }

  // Writes `text` to standard output in this thread's turn.
  REPRISE_API static void write(std::string_view text);
  void write_line(std::string_view text, bool, const std::ostream&) const { write(text); }
};

inline constexpr Output out{};

namespace detail {

// The file behind an ofstream. Behind a gate each call is one passage of its object.
class REPRISE_API OrderedFile final : public std::streambuf {
 public:
  OrderedFile() = default;
  ~OrderedFile() override { close(); }

  bool open(const std::filesystem::path& path, std::ios_base::openmode mode);
  bool close();
  bool is_open() const noexcept { return is_open_; }

  // Appends `text`, and empties the buffer into the file if asked. Returns false when the file could not be written.
  bool append(std::string_view text, bool flush);

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type character) override;
  int sync() override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

 private:
  class Turn;
  bool empty_buffer();

  std::mutex mutex_;  // held in a turn
  gate::Object object_;
  std::filesystem::path path_;
  std::string name_;
  std::string buffer_;
  std::uint64_t digest_{0};  // of all that was appended
  gate::run_order::Place place_;
  int file_{-1};  // below 0 while open: it is not written any more
  bool is_open_{false};
};

}  // namespace detail

// A drop-in for std::ofstream.
class ofstream : public std::ostream {
 public:
  using Line = detail::Line<ofstream>;

  ofstream() : std::ostream(nullptr) { rdbuf(file_.get()); }
  explicit ofstream(const std::filesystem::path& path, std::ios_base::openmode mode = std::ios_base::out) : ofstream() {
    open(path, mode);
  }
  ofstream(ofstream&& other) noexcept : std::ostream(std::move(other)), file_(std::move(other.file_)) {
    set_rdbuf(file_.get());
    other.set_rdbuf(nullptr);  // NOLINT(bugprone-use-after-move): the base does not move it
  }
  ofstream& operator=(ofstream&& other) noexcept {
    ofstream moved(std::move(other));
    swap(moved);
    return *this;
  }
  void swap(ofstream& other) noexcept {
    std::ostream::swap(other);
    file_.swap(other.file_);
    set_rdbuf(file_.get());
    other.set_rdbuf(other.file_.get());
  }

  // Errors: failbit, as recorded. `mode` may have out, app, trunc, ate and binary.
  void open(const std::filesystem::path& path, std::ios_base::openmode mode = std::ios_base::out) {
    if (file_ == nullptr) {  // it was moved away
      file_ = make_file();
      set_rdbuf(file_.get());
    }
    if (file_->open(path, mode | std::ios_base::out)) {
      clear();
    } else {
      setstate(failbit);
    }
  }
  bool is_open() const noexcept { return file_ != nullptr && file_->is_open(); }
  void close() {
    if (!is_open() || !file_->close()) setstate(failbit);
  }

  template <typename T>
  Line operator<<(const T& part) {
    return Line(*this, this, part);
  }
  Line operator<<(std::ostream& (*manipulator)(std::ostream&)) { return Line(*this, this, manipulator); }

  void write_line(std::string_view text, bool flush, const std::ostream& line) {
    if (!good()) return;
    if (file_ == nullptr || !file_->append(text, flush)) setstate(badbit);
    const bool same = line.flags() == flags() && line.precision() == precision() && line.fill() == fill();
    if (!same) copyfmt(line);
  }

 private:
  static std::unique_ptr<detail::OrderedFile> make_file() { return std::make_unique<detail::OrderedFile>(); }
  std::unique_ptr<detail::OrderedFile> file_ = make_file();
};

}  // namespace reprise
