#include "record/inputs.h"

#include <filesystem>

#include "recording/log.h"
#include "recording/outside.h"

namespace reprise::record {
namespace {

std::string key_of(std::string_view path, Kind kind, std::string_view name) {
  std::string key(path);
  key += ' ';
  key += std::to_string(static_cast<int>(kind));
  key += ' ';
  key += name;
  return key;
}

}  // namespace

std::unique_ptr<Inputs> Inputs::open(const std::string& folder, const std::string& process) {
  auto inputs = std::make_unique<Inputs>();
  std::error_code error;
  for (const char* suffix : {".log", ".live"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / (process + suffix);
    if (!std::filesystem::exists(path, error)) continue;
    const auto log = recording::Log::open(path);
    if (!log) return inputs;
    for (const recording::ThreadInfo& thread : log->threads()) {
      recording::StreamReader stream = log->stream(thread.index);
      for (auto next = stream.next(); next && *next; next = stream.next()) {
        const recording::Event& event = **next;
        if (!recording::is_from_outside(event.kind, event.name)) continue;
        std::string value(event.value);
        if (event.kind == Kind::clock) value.assign(reinterpret_cast<const char*>(&event.number), sizeof event.number);
        inputs->values_[key_of(thread.path, event.kind, event.name)].list.push_back(std::move(value));
      }
    }
    return inputs;
  }
  return inputs;
}

const std::string* Inputs::next(const char* path, Kind kind, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key_of(path, kind, name));
  if (found == values_.end() || found->second.next >= found->second.list.size()) return nullptr;
  return &found->second.list[found->second.next++];
}

}  // namespace reprise::record
