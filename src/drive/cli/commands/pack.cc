// reprise pack [NAME] and reprise unpack FILE - a recording as one movable file, and back.
#include <fmt/format.h>

#include <filesystem>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "drive/pack.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

int run_pack(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  const std::filesystem::path to = arguments.output.empty() ? folder->name() + ".reprise-pack" : arguments.output;
  std::error_code error;
  if (!arguments.force && std::filesystem::exists(to, error)) {
    return console.fail({ErrorCode::usage, fmt::format("{} is there already; --force replaces it", to.string())});
  }
  if (auto packed = pack(*folder, to); !packed) return console.fail(packed.error());
  const std::uint64_t bytes = std::filesystem::file_size(to, error);
  if (arguments.json) {
    console.print_json(Json::object({{"file", to.string()}, {"bytes", bytes}}));
  } else {
    console.note(fmt::format("packed {} into {} ({})", folder->name(), to.string(), analyse::human_bytes(bytes)));
    console.next(fmt::format("reprise unpack {}", to.string()));
  }
  return done;
}

int run_unpack(const Arguments& arguments, Console& console) {
  auto folder = unpack(arguments.names[0], recording::home(), arguments.output);
  if (!folder) return console.fail(folder.error());
  if (arguments.json) {
    console.print_json(Json::object({{"name", folder->name()}, {"folder", folder->path.string()}}));
  } else {
    console.note(fmt::format("unpacked {}", folder->name()));
    console.next(fmt::format("reprise replay {}", folder->name()));
  }
  return done;
}

}  // namespace reprise::drive::cli
