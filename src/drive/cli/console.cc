#include "drive/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "analyse/text.h"

namespace reprise::drive::cli {
namespace {

bool is_terminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

bool is_capable_terminal(std::FILE* file) {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") != 0 && is_terminal(file);
}

bool wants_colour(std::FILE* file) {
  const char* off = std::getenv("NO_COLOR");
  return (off == nullptr || *off == '\0') && is_capable_terminal(file);
}

}  // namespace

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
    case ErrorCode::not_a_recording:
    case ErrorCode::damaged:
      return bad_recording;
    case ErrorCode::version_unsupported:
    case ErrorCode::unsupported:
      return unsupported;
    case ErrorCode::usage:
      return usage;
    case ErrorCode::io:
      return own_failure;
    case ErrorCode::interrupted:
      return interrupted;
  }
  return own_failure;
}

Console::Console(std::FILE* out, std::FILE* err)
    : out_(out), err_(err), colour_(wants_colour(out)), progress_(is_capable_terminal(err)) {}

void Console::print(std::string_view text) {
  end_progress();
  std::fwrite(text.data(), 1, text.size(), out_);
  if (text.empty() || text.back() != '\n') std::fputc('\n', out_);
}

void Console::print_json(const Json& json, bool compact) { print(json.text(compact)); }

void Console::note(std::string_view text) {
  end_progress();
  std::fflush(out_);
  fmt::print(err_, "reprise: {}\n", analyse::escape(text));
}

void Console::next(std::string_view command) { note(fmt::format("next: {}", command)); }

void Console::progress(std::string_view text) {
  if (!progress_) return;
  fmt::print(err_, "\r\033[Kreprise: {}", analyse::escape(text));
  std::fflush(err_);
  progress_shown_ = true;
}

void Console::end_progress() {
  if (!progress_shown_) return;
  fmt::print(err_, "\r\033[K");
  std::fflush(err_);
  progress_shown_ = false;
}

ExitCode Console::fail(const Error& error, std::string_view next_command) {
  note(error.message);
  if (!next_command.empty()) next(next_command);
  return exit_code_of(error.code);
}

std::string Console::styled(Style style, std::string_view text) const {
  if (!colour_ || style == Style::plain) return std::string(text);
  const char* code = "";
  switch (style) {
    case Style::strong:
      code = "1";
      break;
    case Style::good:
      code = "32";
      break;
    case Style::bad:
      code = "31";
      break;
    case Style::dim:
      code = "2";
      break;
    case Style::plain:
      break;
  }
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace reprise::drive::cli
