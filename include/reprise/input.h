// What a program reads from the world besides clocks and random numbers: files, standard input, the names of the host
// and of the process, folders, and how its children ended. All of it is recorded and given back on replay.
//
//   reprise::ifstream config("config.txt");           // a std::istream
//   for (std::string line; std::getline(config, line);) use(line);
//   for (const std::string& name : reprise::list_directory(".")) use(name);
//
// Threads   A stream is for one thread at a time, as std's. The functions are for any.
// Replay    Nothing is opened or listed: every byte and every error comes from the recording. With
//           `--then live` a file is opened where the recording ends, at the recorded position.
// Errors    Streams set their bits, functions throw std::system_error, each as recorded.
// Cost      Off: one read(2) per 8 KiB. Recording: the bytes read.
#pragma once

#include <reprise/detail/gate.h>

#include <cstdint>
#include <filesystem>
#include <ios>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace reprise {

namespace detail {

// The file behind an ifstream, or standard input. Each read(2) is one recorded value.
class REPRISE_API RecordedFile final : public std::streambuf {
 public:
  RecordedFile() = default;
  // Reads from a descriptor that stays open; it cannot seek.
  explicit RecordedFile(int file) noexcept : file_(file), is_open_(true), is_borrowed_(true) {}
  ~RecordedFile() override { close(); }

  bool open(const std::filesystem::path& path, std::ios_base::openmode mode);
  bool close();
  bool is_open() const noexcept { return is_open_; }

 protected:
  int_type underflow() override;
  int_type pbackfail(int_type character) override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override;
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

 private:
  std::string read_some();
  int file();
  std::int64_t end_of_file();

  std::filesystem::path path_;
  std::string buffer_;       // one character that may be put back, and what was read last
  std::uint64_t offset_{0};  // where in the file the buffer ends
  int file_{-1};             // below 0 while open: not needed yet, since all came from the recording
  bool is_open_{false};
  bool is_borrowed_{false};
  bool can_seek_{false};
};

}  // namespace detail

// A drop-in for std::ifstream.
class ifstream : public std::istream {
 public:
  ifstream() : std::istream(nullptr) { rdbuf(file_.get()); }
  explicit ifstream(const std::filesystem::path& path, std::ios_base::openmode mode = std::ios_base::in) : ifstream() {
    open(path, mode);
  }
  ifstream(ifstream&& other) noexcept : std::istream(std::move(other)), file_(std::move(other.file_)) {
    set_rdbuf(file_.get());
    other.set_rdbuf(nullptr);  // NOLINT(bugprone-use-after-move): the base does not move it
  }
  ifstream& operator=(ifstream&& other) noexcept {
    ifstream moved(std::move(other));
    swap(moved);
    return *this;
  }
  void swap(ifstream& other) noexcept {
    std::istream::swap(other);
    file_.swap(other.file_);
    set_rdbuf(file_.get());
    other.set_rdbuf(other.file_.get());
  }

  // Errors: failbit, as recorded. `mode` may have in, ate and binary.
  void open(const std::filesystem::path& path, std::ios_base::openmode mode = std::ios_base::in) {
    if (file_ == nullptr) {  // it was moved away
      file_ = make_file();
      set_rdbuf(file_.get());
    }
    if (file_->open(path, mode | std::ios_base::in)) {
      clear();
    } else {
      setstate(failbit);
    }
  }
  bool is_open() const noexcept { return file_ != nullptr && file_->is_open(); }
  void close() {
    if (!is_open() || !file_->close()) setstate(failbit);
  }

 private:
  static std::unique_ptr<detail::RecordedFile> make_file() { return std::make_unique<detail::RecordedFile>(); }
  std::unique_ptr<detail::RecordedFile> file_ = make_file();
};

// Standard input. It has a buffer of its own: do not read from std::cin besides.
extern REPRISE_API std::istream& cin;

// The name of the host. Errors: std::system_error.
REPRISE_API std::string hostname();

// The number of the process: on replay the recorded one, which may be nobody's or somebody else's by then.
REPRISE_API int process_id();

// The names in the folder, in the order in which the system gives them, without "." and "..". Errors:
// std::system_error.
REPRISE_API std::vector<std::string> list_directory(const std::filesystem::path& path);

// As waitpid(2), errno included. On replay the answer is the number that the same child has in this run, and a child
// that had ended is waited for; one that neither was forked through fork() nor asked for by number keeps its recorded
// number.
REPRISE_API int waitpid(int process, int* status, int options);

}  // namespace reprise
