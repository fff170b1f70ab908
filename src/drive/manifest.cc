#include "drive/manifest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/file.h"
#include "recording/folder.h"

namespace reprise::drive {
namespace {

using Json = nlohmann::ordered_json;  // members are written in the order of the document
using Read = nlohmann::json;          // and found fast when there are many

constexpr std::size_t text_bytes_max = std::size_t{16} << 20;
constexpr std::size_t items_max = 100'000;
constexpr std::size_t members_max = 1000;
constexpr std::array end_names{"unknown", "exit", "signal", "time_limit", "interrupted"};
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < left ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= left ? base64_digits[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t letters = 4;
    if (i + 4 == text.size()) letters -= text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = k < letters ? base64_digits.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k + 1 < letters; ++k) bytes += static_cast<char>(group >> (16 - 8 * k));
  }
  return bytes;
}

// The lengths and ranges of well-formed UTF-8: no over-long forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<std::uint8_t>(text[i + k]) : 0u; };
    const unsigned first = byte(0);
    const std::size_t size = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : (first & 0xF0) == 0xE0        ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
    if (size == 0) return false;
    for (std::size_t k = 1; k < size; ++k) {
      if ((byte(k) & 0xC0) != 0x80) return false;
    }
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0)) return false;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) return false;
    i += size;
  }
  return true;
}

// Arguments and variables are bytes, JSON is UTF-8: what is not UTF-8 stands as {"base64": "..."}.
Json json_of(const std::string& text) {
  if (is_utf8(text)) return text;
  return Json{{"base64", to_base64(text)}};
}

Json json_of(const ManifestImage& image) {
  Json json = Json::object();
  json["path"] = json_of(image.path);
  json["build_id"] = json_of(image.build_id);
  json["image"] = json_of(image.image);
  return json;
}

Json json_of(const ManifestLine& line) {
  Json json = Json::object();
  json["name"] = json_of(line.name);
  json["command"] = Json::array();
  for (const std::string& word : line.command) json["command"].push_back(json_of(word));
  json["program"] = json_of(line.program);
  json["libraries"] = Json::array();
  for (const ManifestImage& library : line.libraries) json["libraries"].push_back(json_of(library));
  json["service"] = line.service;
  json["end"] = std::string(name(line.end));
  json["code"] = line.end_code;
  if (line.part == 0) return json;
  json["part"] = line.part;
  json["host"] = json_of(line.host);
  json["directory"] = json_of(line.directory);
  json["environment"] = Json::array();
  for (const std::string& variable : line.environment) json["environment"].push_back(json_of(variable));
  return json;
}

// Reads members, remembers the first thing that is wrong, and which names were asked for.
class Members {
 public:
  Members(const Read& object, std::string where, std::string& wrong)
      : object_(object), where_(std::move(where)), wrong_(wrong) {
    if (!object.is_object() || object.size() > members_max) complain("", "an object of sensible size");
  }

  const Read* find(const char* member) {
    asked_.insert(member);
    if (!object_.is_object()) return nullptr;
    const auto at = object_.find(member);
    if (at != object_.end()) return &*at;
    complain(member, "there");
    return nullptr;
  }

  bool has(const char* member) const { return object_.is_object() && object_.contains(member); }

  void text(const char* member, std::string& to) {
    if (const Read* json = find(member)) text_of(*json, member, to);
  }
  void flag(const char* member, bool& to) {
    const Read* json = find(member);
    if (json == nullptr) return;
    if (!json->is_boolean()) return complain(member, "true or false");
    to = json->get<bool>();
  }
  void number(const char* member, std::int64_t low, std::int64_t high, std::int64_t& to) {
    const Read* json = find(member);
    if (json == nullptr) return;
    const bool fits = json->is_number_unsigned() ? json->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                                                 : json->is_number_integer() && json->get<std::int64_t>() >= low;
    if (!fits || json->get<std::int64_t>() > high || json->get<std::int64_t>() < low) {
      return complain(member, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    to = json->get<std::int64_t>();
  }
  const Read* list(const char* member) {
    const Read* json = find(member);
    if (json == nullptr) return nullptr;
    if (json->is_array() && json->size() <= items_max) return json;
    complain(member, "a list of at most " + std::to_string(items_max) + " items");
    return nullptr;
  }
  void texts(const char* member, std::vector<std::string>& to) {
    const Read* json = list(member);
    if (json == nullptr) return;
    for (const Read& item : *json) text_of(item, member, to.emplace_back());
  }

  void text_of(const Read& json, const std::string& member, std::string& to) {
    std::string found;
    if (json.is_string()) {
      found = json.get<std::string>();
    } else if (json.is_object() && json.size() == 1 && json.contains("base64") && json["base64"].is_string()) {
      auto bytes = from_base64(json["base64"].get<std::string>());
      if (!bytes) return complain(member, "base64");
      found = std::move(*bytes);
    } else {
      return complain(member, "a text");
    }
    if (found.size() > text_bytes_max)
      return complain(member, "a text of at most " + std::to_string(text_bytes_max) + " bytes");
    if (found.find('\0') != std::string::npos) return complain(member, "without zero bytes");
    to = std::move(found);
  }

  void complain(const std::string& member, const std::string& wanted) {
    if (wrong_.empty())
      wrong_ = "\"" + where_ + (where_.empty() || member.empty() ? "" : ".") + member + "\" is not " + wanted;
  }

  Read others() const {
    Read rest = Read::object();
    for (const auto& [key, value] : object_.items()) {
      if (!asked_.contains(key)) rest[key] = value;
    }
    return rest;
  }

 private:
  const Read& object_;
  std::string where_;
  std::string& wrong_;
  std::set<std::string> asked_;
};

bool is_relative_inside(const std::string& path) {
  if (path.starts_with('/')) return false;
  for (const auto& part : std::filesystem::path(path)) {
    if (part == "..") return false;
  }
  return true;
}

ManifestImage read_image(const Read& json, const std::string& where, std::string& wrong) {
  ManifestImage image;
  Members members(json, where, wrong);
  members.text("path", image.path);
  members.text("build_id", image.build_id);
  members.text("image", image.image);
  if (!is_relative_inside(image.image)) members.complain("image", "a path inside the recording");
  return image;
}

void read_options(Members& members, Manifest& manifest, std::string& wrong) {
  const Read* json = members.find("options");
  if (json == nullptr) return;
  Members options(*json, "options", wrong);
  options.flag("full", manifest.full);
  if (const Read* chaos = options.find("chaos"); chaos != nullptr && !chaos->is_null()) {
    if (chaos->is_number_unsigned()) {
      manifest.chaos = chaos->get<std::uint64_t>();
    } else {
      options.complain("chaos", "a seed or null");
    }
  }
  if (const Read* timeout = options.find("timeout"); timeout != nullptr && !timeout->is_null()) {
    const double seconds = timeout->is_number() ? timeout->get<double>() : -1;
    if (seconds >= 0 && std::isfinite(seconds)) {
      manifest.timeout_s = seconds;
    } else {
      options.complain("timeout", "a number of seconds or null");
    }
  }
}

void read_end(Members& members, Manifest& manifest, std::string& wrong) {
  const Read* json = members.find("end");
  if (json == nullptr) return;
  Members end(*json, "end", wrong);
  std::string kind;
  std::int64_t code = 0;
  end.text("kind", kind);
  end.number("code", INT32_MIN, INT32_MAX, code);
  manifest.end_code = static_cast<std::int32_t>(code);
  for (std::size_t i = 0; i < end_names.size(); ++i) {
    if (kind == end_names[i]) {
      manifest.end = static_cast<ManifestEnd>(i);
      return;
    }
  }
  end.complain("kind", "one of exit, signal, time_limit, interrupted, unknown");
}

ManifestEnd end_named(const std::string& kind) {
  const auto found = std::find(end_names.begin(), end_names.end(), kind);
  return found == end_names.end() ? ManifestEnd::unknown : static_cast<ManifestEnd>(found - end_names.begin());
}

void read_part(Members& members, ManifestLine& line) {
  std::int64_t part = 0;
  members.number("part", 1, static_cast<std::int64_t>(items_max), part);
  line.part = static_cast<std::uint32_t>(part);
  members.text("host", line.host);
  members.text("directory", line.directory);
  members.texts("environment", line.environment);
}

ManifestLine read_line(const Read& json, std::string& wrong) {
  ManifestLine line;
  Members members(json, "lines", wrong);
  members.text("name", line.name);
  members.texts("command", line.command);
  if (const Read* program = members.find("program")) line.program = read_image(*program, "lines.program", wrong);
  if (const Read* libraries = members.list("libraries")) {
    for (const Read& library : *libraries) line.libraries.push_back(read_image(library, "lines.libraries", wrong));
  }
  members.flag("service", line.service);
  std::string end;
  std::int64_t code = 0;
  members.text("end", end);
  members.number("code", INT32_MIN, INT32_MAX, code);
  line.end = end_named(end);
  line.end_code = static_cast<std::int32_t>(code);
  if (members.has("part")) read_part(members, line);
  if (!recording::is_valid_name(line.name)) members.complain("name", "a name");
  if (line.command.empty()) members.complain("command", "a command");
  return line;
}

void read_members(Members& members, Manifest& manifest, std::string& wrong) {
  members.text("name", manifest.name);
  members.text("created", manifest.created);
  members.text("reprise", manifest.reprise_version);
  members.texts("command", manifest.command);
  members.text("directory", manifest.directory);
  members.texts("environment", manifest.environment);
  if (const Read* program = members.find("program")) manifest.program = read_image(*program, "program", wrong);
  if (const Read* libraries = members.list("libraries")) {
    for (const Read& library : *libraries) manifest.libraries.push_back(read_image(library, "libraries", wrong));
  }
  members.texts("processes", manifest.processes);
  for (const std::string& process : manifest.processes) {
    if (!recording::is_valid_process(process)) members.complain("processes", "a list of names");
  }
  members.text("level", manifest.level);
  if (manifest.level != "order" && manifest.level != "data") members.complain("level", "order or data");
  read_options(members, manifest, wrong);
  members.flag("randomize_off", manifest.randomize_off);
  members.text("host", manifest.host);
  read_end(members, manifest, wrong);
  members.flag("gates_met", manifest.gates_met);
  if (members.has("lines")) {
    if (const Read* lines = members.list("lines")) {
      for (const Read& line : *lines) manifest.lines.push_back(read_line(line, wrong));
    }
  }
  if (members.has("groups")) members.texts("groups", manifest.groups);
  if (members.has("exceptions")) {
    std::string exceptions;
    members.text("exceptions", exceptions);
    if (exceptions != "simulate" && exceptions != "trace-only")
      members.complain("exceptions", "simulate or trace-only");
    manifest.simulates_errors = exceptions != "trace-only";
  }
  if (!recording::is_valid_name(manifest.name)) members.complain("name", "a name");
  if (manifest.command.empty()) members.complain("command", "a command");
}

}  // namespace

std::string_view name(ManifestEnd end) { return end_names[static_cast<std::size_t>(end)]; }

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.size() > manifest_bytes_max) return fail(ErrorCode::damaged, "the manifest is larger than 64 MiB");
  // Nesting costs stack when the value is destroyed: bounded while it is read.
  const auto not_too_deep = [](int depth, Read::parse_event_t, const Read&) { return depth <= 16; };
  const Read json = Read::parse(text, not_too_deep, /*allow_exceptions=*/false);
  if (json.is_discarded()) return fail(ErrorCode::damaged, "the manifest is not JSON");
  std::string wrong;
  Members members(json, "", wrong);
  std::int64_t version = 0;
  members.number("version", 1, UINT32_MAX, version);
  if (wrong.empty() && version != manifest_version) {
    return fail(ErrorCode::version_unsupported, "the manifest has version " + std::to_string(version) +
                                                    "; this reprise reads version " + std::to_string(manifest_version) +
                                                    ": use the reprise that recorded it");
  }
  Manifest manifest;
  if (wrong.empty()) read_members(members, manifest, wrong);
  if (!wrong.empty()) return fail(ErrorCode::damaged, "the manifest is damaged: " + wrong);
  if (const Read others = members.others(); !others.empty()) manifest.unknown = others.dump();
  return manifest;
}

std::string format_manifest(const Manifest& manifest) {
  Json json = Json::object();
  json["version"] = manifest.version;
  json["name"] = json_of(manifest.name);
  json["created"] = json_of(manifest.created);
  json["reprise"] = json_of(manifest.reprise_version);
  json["command"] = Json::array();
  for (const std::string& word : manifest.command) json["command"].push_back(json_of(word));
  json["directory"] = json_of(manifest.directory);
  json["environment"] = Json::array();
  for (const std::string& variable : manifest.environment) json["environment"].push_back(json_of(variable));
  json["program"] = json_of(manifest.program);
  json["libraries"] = Json::array();
  for (const ManifestImage& library : manifest.libraries) json["libraries"].push_back(json_of(library));
  json["processes"] = manifest.processes;
  json["level"] = manifest.level;
  Json& options = json["options"] = Json::object();
  options["full"] = manifest.full;
  options["chaos"] = manifest.chaos ? Json(*manifest.chaos) : Json();
  options["timeout"] = manifest.timeout_s ? Json(*manifest.timeout_s) : Json();
  json["randomize_off"] = manifest.randomize_off;
  json["host"] = json_of(manifest.host);
  json["end"] = Json{{"kind", std::string(name(manifest.end))}, {"code", manifest.end_code}};
  json["gates_met"] = manifest.gates_met;
  for (const ManifestLine& line : manifest.lines) json["lines"].push_back(json_of(line));
  for (const std::string& group : manifest.groups) json["groups"].push_back(json_of(group));
  if (!manifest.simulates_errors) json["exceptions"] = "trace-only";
  const Json others = Json::parse(manifest.unknown, nullptr, /*allow_exceptions=*/false);
  if (others.is_object()) {
    for (const auto& [key, value] : others.items()) {
      if (!json.contains(key)) json[key] = value;
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Manifest> read_manifest(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const std::span<const std::uint8_t> bytes = file->bytes();
  auto manifest = parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!manifest) return fail(manifest.error().code, path.string() + ": " + manifest.error().message);
  return manifest;
}

Result<void> write_manifest(const std::filesystem::path& path, const Manifest& manifest, bool durable) {
  auto file = base::AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  file->write(format_manifest(manifest));
  return file->commit(durable);
}

}  // namespace reprise::drive
