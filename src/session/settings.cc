#include "session/settings.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace reprise::session {
namespace {

std::optional<std::string> take(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::string value = text;
  unsetenv(name);
  return value;
}

// These stay: the message layer reads them too.
std::string look(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string program_name() {
  std::error_code error;
  std::string name = std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
  for (char& c : name) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!fine) c = '_';
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "main" : name.substr(0, 64);
}

}  // namespace

gate::perturb::Options Settings::perturbation() const {
  gate::perturb::Options options;
  if (!chaos.empty()) options.chaos_seed = std::strtoull(chaos.c_str(), nullptr, 10);
  if (favour == "first") options.favour = gate::perturb::Favour::first;
  if (favour == "last") options.favour = gate::perturb::Favour::last;
  const std::size_t colon = delay.find(':');
  if (colon != std::string::npos && process == delay.substr(0, colon))
    options.delay_ns = std::strtoll(delay.c_str() + colon + 1, nullptr, 10) * 1000;
  return options;
}

std::vector<std::string> Settings::environment() const {
  std::vector<std::string> variables;
  const auto set = [&variables](const char* name, const std::string& value) {
    if (!value.empty()) variables.push_back(std::string(name) + "=" + value);
  };
  if (mode == Mode::record) set("REPRISE_RECORD", folder);
  if (mode == Mode::replay) set("REPRISE_REPLAY", folder);
  set("REPRISE_PROCESS", process);
  set("REPRISE_SCRATCH", scratch);
  set("REPRISE_LEVEL", full && contents ? "full,data" : full ? "full" : contents ? "data" : "");
  set("REPRISE_TRACE", trace ? "1" : "");
  set("REPRISE_THEN", then_live ? "live" : "");
  // Whoever comes after this image finds the folder made, launched or not.
  set("REPRISE_LAUNCHED", mode == Mode::record || launched ? "1" : "");
  set("REPRISE_CHAOS", chaos);
  set("REPRISE_FAVOUR", favour);
  set("REPRISE_DELAY", delay);
  if (mode == Mode::record) set("REPRISE_CHECKPOINT", checkpoint);
  set("REPRISE_RUN", run);
  set("REPRISE_ONLY", only);
  set("REPRISE_ALONE", alone);
  set("REPRISE_GROUPS", groups);
  set("REPRISE_EXCEPTIONS", exceptions);
  set("REPRISE_ROUTES", routes);
  set("REPRISE_OUTPUTS", outputs);
  set("REPRISE_INPUTS", inputs);
  set("REPRISE_STEER", steer);
  return variables;
}

Settings take_settings() {
  Settings settings;
  const auto record = take("REPRISE_RECORD");
  const auto replay = take("REPRISE_REPLAY");
  settings.folder = record ? *record : replay.value_or("");
  settings.process = take("REPRISE_PROCESS").value_or(program_name());
  settings.scratch = take("REPRISE_SCRATCH").value_or("");
  const std::string level = take("REPRISE_LEVEL").value_or("");
  settings.full = level.find("full") != std::string::npos;
  settings.contents = level.find("data") != std::string::npos;
  settings.trace = take("REPRISE_TRACE").has_value();
  settings.then_live = take("REPRISE_THEN") == "live";
  settings.launched = take("REPRISE_LAUNCHED").has_value();
  settings.chaos = take("REPRISE_CHAOS").value_or("");
  settings.favour = take("REPRISE_FAVOUR").value_or("");
  settings.delay = take("REPRISE_DELAY").value_or("");
  settings.checkpoint = take("REPRISE_CHECKPOINT").value_or("");
  if (!settings.checkpoint.empty()) settings.contents = true;
  settings.run = look("REPRISE_RUN");
  settings.only = look("REPRISE_ONLY");
  settings.alone = look("REPRISE_ALONE");
  settings.groups = look("REPRISE_GROUPS");
  settings.exceptions = look("REPRISE_EXCEPTIONS");
  settings.routes = look("REPRISE_ROUTES");
  settings.outputs = take("REPRISE_OUTPUTS").value_or("");
  settings.inputs = take("REPRISE_INPUTS").value_or("");
  settings.steer = take("REPRISE_STEER").value_or("");
  if (record) {
    settings.mode = Mode::record;
  } else if (replay) {
    settings.mode = Mode::replay;
  } else if (settings.perturbation().any()) {
    settings.mode = Mode::free;
  }
  return settings;
}

}  // namespace reprise::session
