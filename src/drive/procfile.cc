#include "drive/procfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/file.h"
#include "recording/folder.h"

namespace reprise::drive {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Words as a shell would split them; quotes are taken off. Nothing: a quote is not closed.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

bool needs_shell(std::string_view text) { return text.find_first_of("$`|&;<>(){}*?[]~") != std::string_view::npos; }

}  // namespace

Result<std::vector<Line>> parse_procfile(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    const auto wrong = [&](std::string_view what) {
      return fail(ErrorCode::usage, fmt::format("line {}: {}; it should be `name: command`", number, what));
    };
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return wrong("there is no ':'");
    const std::string name(trimmed(line.substr(0, colon)));
    const std::string_view command = trimmed(line.substr(colon + 1));
    if (!recording::is_valid_name(name)) return wrong(fmt::format("\"{}\" is no name for a process", name));
    if (recording::launched_as(name) != name)
      return wrong(fmt::format("\"{}\" is how a process is named that another one starts", name));
    const auto same = [&name](const Line& other) { return other.name == name; };
    if (std::any_of(lines.begin(), lines.end(), same)) return wrong(fmt::format("{} stands there twice", name));
    auto words = words_of(command);
    if (!words) return wrong("a quote is not closed");
    if (words->empty()) return wrong("there is no command");
    if (needs_shell(command)) words = {"/bin/sh", "-c", fmt::format("exec {}", command)};
    lines.push_back({name, std::move(*words)});
  }
  if (lines.empty()) return fail(ErrorCode::usage, "there is no line `name: command` in it");
  return lines;
}

Result<std::vector<Line>> read_procfile(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return fail(file.error().code, fmt::format("cannot read {}: {}", path.string(), file.error().message));
  const std::span<const std::uint8_t> bytes = file->bytes();
  auto lines = parse_procfile({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!lines) return fail(lines.error().code, fmt::format("{}, {}", path.string(), lines.error().message));
  return lines;
}

}  // namespace reprise::drive
