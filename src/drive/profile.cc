#include "drive/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "drive/launch.h"
#include "drive/scratch.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;

struct Source {
  const char* name;
  const char* text;
};
constexpr Source sources[] = {
#include "foreign_sources.inc"
};

// What the interposing library stands before: common to both interfaces, and of each.
constexpr std::array common_functions{"initialize",
                                      "finalize",
                                      "msg_send",
                                      "msg_send_i",
                                      "msg_recv",
                                      "msg_recv_i",
                                      "msg_available",
                                      "test",
                                      "wait",
                                      "wait_any",
                                      "cancel",
                                      "pktchan_available",
                                      "sclchan_available",
                                      "pktchan_send",
                                      "pktchan_send_i",
                                      "pktchan_recv",
                                      "pktchan_recv_i",
                                      "pktchan_recv_close_i",
                                      "pktchan_send_close_i",
                                      "sclchan_recv_close_i",
                                      "sclchan_send_close_i",
                                      "sclchan_send_uint8",
                                      "sclchan_send_uint16",
                                      "sclchan_send_uint32",
                                      "sclchan_send_uint64",
                                      "sclchan_recv_uint8",
                                      "sclchan_recv_uint16",
                                      "sclchan_recv_uint32",
                                      "sclchan_recv_uint64"};
constexpr std::array functions_1{"get_node_id",
                                 "create_endpoint",
                                 "delete_endpoint",
                                 "get_endpoint",
                                 "get_endpoint_i",
                                 "connect_pktchan_i",
                                 "open_pktchan_recv_i",
                                 "open_pktchan_send_i",
                                 "connect_sclchan_i",
                                 "open_sclchan_recv_i",
                                 "open_sclchan_send_i",
                                 "pktchan_free",
                                 "get_endpoint_attribute",
                                 "set_endpoint_attribute"};
constexpr std::array functions_2{"node_id_get",
                                 "endpoint_create",
                                 "endpoint_delete",
                                 "endpoint_get",
                                 "endpoint_get_i",
                                 "pktchan_connect_i",
                                 "pktchan_recv_open_i",
                                 "pktchan_send_open_i",
                                 "sclchan_connect_i",
                                 "sclchan_recv_open_i",
                                 "sclchan_send_open_i",
                                 "pktchan_release",
                                 "endpoint_get_attribute",
                                 "endpoint_set_attribute"};

fs::path own_library() {
  std::error_code ignored;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  for (const char* folder : {"lib", "lib/x86_64-linux-gnu", "lib64", "lib/aarch64-linux-gnu"}) {
    for (const char* name : {"libreprise.so.0", "libreprise.so"}) {
      if (fs::exists(prefix / folder / name, ignored)) return fs::canonical(prefix / folder / name, ignored);
    }
  }
  return {};
}

struct Answer {
  int code{0};
  std::string text;  // both outputs
};
Result<Answer> ask(const std::vector<std::string>& command) {
  auto program = find_program(command.front());
  if (!program) return tl::unexpected(program.error());
  Interrupts interrupts;
  Answer answer;
  Launch launch{
      .program = *program, .arguments = command, .environment = environment(), .folder = {}, .captured = true};
  auto child = Child::start(launch, interrupts, [&](std::string_view bytes, bool) { answer.text += bytes; });
  if (!child) return tl::unexpected(child.error());
  while (!child->ended()) child->wait_until(Clock::now() + std::chrono::seconds(1));
  answer.code = child->ended()->exit_code();
  return answer;
}

// Which interface a library has, by the names of its functions; 0: none.
Result<int> version_of(const fs::path& library) {
  auto names = ask({"nm", "-D", "--defined-only", library.string()});
  if (!names) return tl::unexpected(names.error());
  const auto has = [&](std::string_view name) {
    return names->text.find(fmt::format(" T {}\n", name)) != std::string::npos;
  };
  if (has("mcapi_endpoint_create")) return 2;
  return has("mcapi_create_endpoint") ? 1 : 0;
}

std::string first_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), std::size_t{300})); }

Result<void> compile(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  auto built = ask(command);
  if (!built) return tl::unexpected(built.error());
  if (built->code == 0) return {};
  const std::size_t at = built->text.find("error");
  return fail(ErrorCode::unsupported,
              fmt::format("that library's mcapi.h does not fit: {}",
                          first_line(at == std::string::npos ? built->text : built->text.substr(at))));
}

// The same for the linker: what `-Wl,--wrap` needs.
fs::path object_of(fs::path profile) { return profile.replace_extension(".o"); }

Result<std::string> wrap_line(const fs::path& profile) {
  auto version = version_of(profile);
  if (!version) return tl::unexpected(version.error());
  std::string line = fmt::format("{} -Wl", object_of(profile).string());
  for (const char* name : common_functions) line += fmt::format(",--wrap=mcapi_{}", name);
  for (const char* name : *version == 1 ? functions_1 : functions_2) line += fmt::format(",--wrap=mcapi_{}", name);
  return line + " -lreprise_inputs -lreprise";
}

}  // namespace

Result<void> make_profile(const fs::path& include, const fs::path& library, const fs::path& output) {
  std::error_code error;
  if (!fs::exists(include / "mcapi.h", error))
    return fail(ErrorCode::not_found, fmt::format("there is no mcapi.h in {}", include.string()));
  if (!fs::exists(library, error)) return fail(ErrorCode::not_found, fmt::format("there is no {}", library.string()));
  const fs::path own = own_library();
  if (own.empty()) return fail(ErrorCode::not_found, "libreprise.so is not beside this tool");
  auto version = version_of(library);
  if (!version) return tl::unexpected(version.error());
  if (*version == 0)
    return fail(ErrorCode::unsupported, fmt::format("{} exports no MCAPI function that we know", library.string()));
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  for (const Source& source : sources) {
    const fs::path path = scratch->path() / source.name;
    fs::create_directories(path.parent_path(), error);
    std::ofstream(path) << source.text;
  }
  const std::vector<std::string> common{"c++",
                                        "-std=c++17",
                                        "-O2",
                                        "-g",
                                        "-fPIC",
                                        "-fno-threadsafe-statics",
                                        "-fvisibility=hidden",
                                        fmt::format("-DFOREIGN_VERSION={}", *version),
                                        fmt::format("-I{}", include.string()),
                                        fmt::format("-I{}", scratch->path().string()),
                                        (scratch->path() / "interposer.cc").string(),
                                        "-pthread"};
  if (auto made = compile(common, {"-shared", "-o", output.string(), own.string(), "-ldl"}); !made) return made;
  return compile(common, {"-DFOREIGN_WRAP", "-c", "-o", object_of(output).string()});
}

Result<void> use_profile(const fs::path& profile, const Target& target) {
  std::error_code error;
  if (!fs::exists(profile, error)) {
    return fail(ErrorCode::not_found, fmt::format("there is no {}; reprise mcapi-profile makes it", profile.string()));
  }
  const auto version = version_of(profile);
  if (!version) return tl::unexpected(version.error());
  if (*version == 0)
    return fail(ErrorCode::usage, fmt::format("{} is no profile; reprise mcapi-profile makes one", profile.string()));
  bool imports = false;
  std::vector<fs::path> images{target.path};
  for (const Library& library : target.libraries.own) images.push_back(library.path);
  for (const fs::path& image : images) {
    auto names = ask({"nm", "-D", "--undefined-only", image.string()});
    if (!names) return tl::unexpected(names.error());
    imports = imports || names->text.find(" U mcapi_initialize") != std::string::npos;
  }
  if (!imports) {
    auto names = ask({"nm", target.path.string()});
    if (!names) return tl::unexpected(names.error());
    if (target.facts.is_dynamic && names->text.find(" T mcapi_initialize") == std::string::npos) {
      return fail(ErrorCode::usage,
                  fmt::format("{} calls no MCAPI function, or does not show that it does: it is stripped",
                              target.path.string()));
    }
  }
  if (!target.facts.is_dynamic || !imports) {
    auto line = wrap_line(profile);
    if (!line) return tl::unexpected(line.error());
    return fail(
        ErrorCode::unsupported,
        fmt::format("{} has its MCAPI library inside, where nothing can stand before it; link it with the shared "
                    "library, or add {} and record it without --mcapi",
                    target.path.string(), *line));
  }
  const fs::path own = own_library();
  if (own.empty()) return fail(ErrorCode::not_found, "libreprise.so is not beside this tool");
  std::string preload = fmt::format("{}:{}", own.string(), fs::absolute(profile, error).string());
  if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr && *before != '\0')
    preload += fmt::format(":{}", before);
  setenv("LD_PRELOAD", preload.c_str(), 1);
  return {};
}

}  // namespace reprise::drive
