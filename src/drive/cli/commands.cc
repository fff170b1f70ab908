#include "drive/cli/commands.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "analyse/text.h"

namespace reprise::drive::cli {
namespace {

constexpr Flag json{"--json", "", "Print the facts as JSON", &Arguments::json};
constexpr Flag json_alone{"--json", "", "Print the facts as JSON; the program's own output goes to stderr",
                          &Arguments::json};
constexpr Flag quiet{"-q,--quiet", "", "Do not show the program's own output", &Arguments::quiet};
constexpr Flag favour{"--favour", "WHO", "Let one thread go first at every gate", &Arguments::favour, "first|last",
                      0,          true};

constexpr Flag delay{"--delay", "NAME:US", "Let a process wait so long at every gate", &Arguments::delay, "", 0, true};

constexpr Flag start_id{"--start-id", "PROCESS=N", "Number threads and mailboxes of a process from N on (repeat it)",
                        &Arguments::start_ids};
constexpr Flag search{"--search", "N", "Try at most N runs (default: 1000)", &Arguments::search, "", 1};
constexpr Flag inactivity{
    "--inactivity",           "S", "Give a run up that neither ends nor comes to rest in S seconds (default: 10)",
    &Arguments::inactivity_s, "",  0.001};
constexpr Flag inputs{"--inputs", "RECORDING",
                      "Values from outside are those of this recording (default: those of the first run)",
                      &Arguments::inputs};
constexpr Flag exceptions{"--exceptions", "POLICY",
                          "Errors of mailboxes and parties: simulate (default) or trace-only, on replay",
                          &Arguments::exceptions, "simulate|trace-only"};
constexpr Flag process{"--process", "NAME", "Name of the process (default: the program's name)", &Arguments::process};
constexpr Flag programs{"-f,--file", "PROCFILE", "The programs: lines `name: command`", &Arguments::procfile};

constexpr Flag force{"--force", "", "Replace a recording that has this name", &Arguments::force};

constexpr std::array record_flags{
    Flag{"-o,--output", "NAME", "Name of the recording (default: the program's name and a number)", &Arguments::output},
    force,
    Flag{"--full", "", "Write every event, also those that could be predicted", &Arguments::full},
    Flag{"--technique", "NAME", "Of MCAPI programs: the order per receiver, of all retrievals, or contents too",
         &Arguments::technique, "receiver|sender|data"},
    Flag{"--mcapi", "PROFILE", "Of programs with another MCAPI library: what `reprise mcapi-profile` made for it",
         &Arguments::mcapi},
    Flag{"--level", "LEVEL", "order, or data: also what is read from shared objects and comes from others",
         &Arguments::level, "order|data"},
    Flag{"--checkpoint", "N|Ns", "Leave a checkpoint every N events of a thread, or N seconds (with level data)",
         &Arguments::checkpoint},
    Flag{"--keep-checkpoints", "K",
         "Of each thread keep the last K (default: 3), and its log from there on only (default: all of it)",
         &Arguments::keep_checkpoints, "", 1},
    Flag{"--timeout", "S", "Kill the program after S seconds; the recording ends there", &Arguments::timeout_s, "",
         0.001},
    Flag{"--chaos", "SEED", "Yield at gates at random, the same way for the same seed", &Arguments::chaos},
    Flag{"--until-failure", "N", "Run up to N times and keep the first recording that fails", &Arguments::until_failure,
         "", 1},
    Flag{"--grep", "TEXT", "With --until-failure: TEXT in the output is a failure too", &Arguments::grep},
    Flag{"--no-image", "", "Do not keep a copy of the program", &Arguments::no_image},
    process,
    Flag{"-f,--file", "PROCFILE", "Run the programs of a file with lines `name: command`, all at once",
         &Arguments::procfile},
    Flag{"--service", "NAME", "With -f: does not end by itself; gets SIGTERM when the others have (repeat it)",
         &Arguments::services},
    Flag{"--group", "A,B",
         "Processes or MCAPI nodes (0/1) to replay together; what comes from others is recorded too (repeat)",
         &Arguments::groups},
    exceptions,
    json_alone,
    favour,
    delay,
};

constexpr std::array replay_flags{
    Flag{"--times", "N", "Replay N times", &Arguments::times, "", 1},
    Flag{"--from-checkpoint", "K|last",
         "Go on from a checkpoint, as `reprise info` numbers them (default: the last one)", &Arguments::from_checkpoint,
         "", 0, false, "last"},
    Flag{"--trace", "", "Write every event, to show and to compare step by step", &Arguments::trace},
    Flag{"--then", "live", "Let the program go on by itself where the recording ends", &Arguments::then, "live"},
    Flag{"--stall-after", "S", "Call it a stall after S seconds without a step (default: 10)",
         &Arguments::stall_after_s, "", 0.001},
    Flag{"--program", "PATH", "Run this program instead of the recorded one", &Arguments::program_path},
    Flag{"--image", "", "Run the copy of the program that the recording keeps", &Arguments::image},
    quiet,
    Flag{"--sequence", "FILE", "Not a recording: make this happen, or a folder of --files (repeat it for monitors)",
         &Arguments::sequences},
    programs,
    start_id,
    process,
    Flag{"-o,--output", "NAME", "With --sequence: name of the recording that is left (default: forced-1, -2, ...)",
         &Arguments::output},
    force,
    search,
    inactivity,
    inputs,
    Flag{"--only", "NAME",
         "Only this process (or the one of this party or MCAPI node), without the others: level data, or its group",
         &Arguments::only},
    exceptions,
    json_alone,
    favour,
    delay,
    Flag{"--gate-off", "", "Run without replaying", &Arguments::gate_off, "", 0, true},
};

constexpr std::array show_flags{
    Flag{"--process", "NAME", "This process (default: the one that was launched)", &Arguments::process},
    Flag{"--thread", "T", "Only this thread (0.1)", &Arguments::thread},
    Flag{"--object", "O", "Only this object (accounts, mutex@0.2#5)", &Arguments::object},
    Flag{"--kind", "K", "Only this kind of event (lock, wait, value)", &Arguments::kind},
    Flag{"--interleaved", "", "All threads in one possible order, causes first", &Arguments::interleaved},
    Flag{"--style", "S",
         "How it looks: reprise, care (the logs of CARE programs, party by party) or mcapi (calls, node by node)",
         &Arguments::style, "reprise|care|mcapi"},
    Flag{"--limit", "N", "At most N events", &Arguments::limit, "", 1},
    json,
};

constexpr const char* own_folder = "NAME.sequence";

constexpr std::array sequence_flags{
    Flag{"--form", "FORM", "How it is written (default: node)", &Arguments::form,
         "object|thread1|thread2|total|node|simple|monitor|simple_monitor|semaphore"},
    Flag{"--numbering", "WAY", "carc: mailbox events have numbers; all: monitor calls are counted too",
         &Arguments::numbering, "carc|all"},
    start_id,
    Flag{"--files", "DIR", "Write the files to replay and to test it into DIR (default: NAME.sequence)",
         &Arguments::files, "", 0, false, own_folder},
};

constexpr std::array test_flags{
    Flag{"--sequence", "FILE", "The events that are to happen, or a folder of --files (repeat it for monitors)",
         &Arguments::sequences},
    programs,
    start_id,
    Flag{"-o,--output", "NAME", "Name of the recording that is left (default: test-1, -2, ...)", &Arguments::output},
    force,
    process,
    search,
    inactivity,
    inputs,
    json,
};

constexpr std::array mcapi_profile_flags{
    Flag{"--include", "DIR", "Where the library's mcapi.h lies", &Arguments::include_folder},
    Flag{"--lib", "FILE", "The library", &Arguments::library},
    Flag{"-o,--output", "FILE", "The file to write (default: mcapi-profile.so)", &Arguments::output},
    json,
};

constexpr std::array verify_flags{
    Flag{"--repair", "", "Keep the good part of each damaged log", &Arguments::repair},
    json,
};

constexpr std::array pack_flags{
    Flag{"-o,--output", "FILE", "The file to write (default: NAME.reprise-pack)", &Arguments::output},
    Flag{"--force", "", "Replace a file that has this name", &Arguments::force},
    json,
};
constexpr std::array unpack_flags{
    Flag{"-o,--output", "NAME", "Name of the recording (default: the packed one's)", &Arguments::output},
    json,
};
constexpr std::array rm_flags{Flag{"--all", "", "Remove every recording of the folder", &Arguments::all}};
constexpr std::array facts_flags{json};
constexpr std::array<Flag, 0> no_flags{};

constexpr const char* one_name = "A recording: its name or its folder (default: the latest)";

constexpr std::array table{
    Command{"record", "Run a program and record what its threads decide.",
            "[options] -- PROGRAM [ARGUMENTS] | -f PROCFILE [options]",
            "reprise record -o run --timeout 5 -- ./bank 100",
            "Passes the program's exit code through (128+N for signal N; 125 when reprise itself failed).",
            record_flags, "program", "", 0, 0, Program::needed, run_record},
    Command{"replay", "Run a recording again and check that it is the same run; or make a written sequence happen.",
            "[NAME] [options] | --sequence FILE [options] -- PROGRAM | --sequence FILE [options] -f PROCFILE",
            "reprise replay run --times 20\n  reprise replay --sequence buffer.seq -f Procfile",
            "The program's own output is shown for the first run only, or never with --quiet. With --sequence, exit "
            "code 0: "
            "all of it happened, and nothing else; 3: a thread does something else; 4: all wait; 6: undecided.",
            replay_flags, "NAME", one_name, 0, 1, Program::with_sequence, run_replay},
    Command{"info", "Say what is in a recording: threads, objects, how it ended, who was blocked.", "[NAME] [--json]",
            "reprise info run", "", facts_flags, "NAME", one_name, 0, 1, Program::none, run_info},
    Command{"show", "List the events of a recording, one line each.", "[NAME] [options]",
            "reprise show run --thread 0.1 --limit 20",
            "Steps that could be predicted are not written; `reprise replay NAME --trace` writes them all.", show_flags,
            "NAME", one_name, 0, 1, Program::none, run_show},
    Command{"sequence", "Print the mailbox, monitor and semaphore events of a recording as a sequence.",
            "[NAME] [--form FORM | --files [DIR]] [options]",
            "reprise sequence run --form total --start-id server=1 --start-id client=5\n"
            "  reprise sequence run --files && reprise test --sequence run.sequence -f Procfile",
            "What a form cannot say is refused, never changed. --files writes, with threads and mailboxes numbered "
            "from 1 on "
            "unless --start-id says otherwise: Node1_channel-replay.txt (simple), Node1_channel-test.txt, "
            "Node1_channel-trace.txt (with senders and vector timestamps), and for each process P its "
            "P_monitor-replay.txt, "
            "P_monitor-test.txt, P_monitorID.txt, P_semaphore-replay.txt, P_semaphore-test.txt and P_ThreadID.txt.",
            sequence_flags, "NAME", one_name, 0, 1, Program::none, run_sequence},
    Command{
        "test", "Find out whether a sequence can happen.", "--sequence FILE [options] -- PROGRAM | -f PROCFILE",
        "reprise test --sequence buffer.seq -f Procfile",
        "Exit code 0: feasible; 1: infeasible; 6: undecided. It leaves a recording of the run that proves it, or came "
        "furthest.",
        test_flags, "program", "", 0, 0, Program::needed, run_test},
    Command{"mcapi-profile", "Prepare the recording of programs that use another MCAPI library.",
            "--include DIR --lib FILE [options]",
            "reprise mcapi-profile --include /opt/mcapi/include --lib /opt/mcapi/lib/libmcapi.so",
            "Compiles, with c++, a library that stands before that one; `reprise record --mcapi` takes it.",
            mcapi_profile_flags, "", "", 0, 0, Program::none, run_mcapi_profile},
    Command{"verify", "Check a recording against its format.", "[NAME] [--repair] [--json]",
            "reprise verify run --repair", "", verify_flags, "NAME", one_name, 0, 1, Program::none, run_verify},
    Command{"ls", "List the recordings of this folder, or of REPRISE_HOME.", "[--json]", "reprise ls", "", facts_flags,
            "", "", 0, 0, Program::none, run_ls},
    Command{"rm", "Remove recordings.", "NAME... | --all", "reprise rm run bank-1", "", rm_flags, "NAME",
            "Recordings to remove", 1, 10000, Program::none, run_rm},
    Command{"clean", "End the checkpoints of recordings, and remove what dead runs left.", "[NAME...] [--json]",
            "reprise clean", "Without names: of all recordings of this folder, or of REPRISE_HOME. Recordings stay.",
            facts_flags, "NAME", "Recordings (default: all)", 0, 10000, Program::none, run_clean},
    Command{"diff", "Find the first difference of two recordings, thread by thread.", "A B [--json]",
            "reprise diff bank-1 bank-2", "Exit code 0: the same run; 1: they differ.", facts_flags, "NAME",
            "Two recordings", 2, 2, Program::none, run_diff},
    Command{"pack", "Put a recording into one movable file.", "[NAME] [-o FILE]", "reprise pack run", "", pack_flags,
            "NAME", one_name, 0, 1, Program::none, run_pack},
    Command{"unpack", "Make a recording from a packed one.", "FILE [-o NAME]", "reprise unpack run.reprise-pack", "",
            unpack_flags, "FILE", "A packed recording", 1, 1, Program::none, run_unpack},
    Command{"merge", "Make one recording of those that one run left on several hosts.", "NAME PART... [--json]",
            "reprise merge all host-a host-b", "It replays on one host. The parts stay as they are.", facts_flags,
            "NAME", "The new recording, and those to merge", 2, 10000, Program::none, run_merge},
    Command{"demo", "Record a bank that loses money until it does, and replay that run 20 times.", "", "reprise demo",
            "", no_flags, "", "", 0, 0, Program::none, run_demo},
    Command{"completion", "Print a completion script for a shell.", "bash", "source <(reprise completion bash)", "",
            no_flags, "SHELL", "bash", 1, 1, Program::none, run_completion},
    Command{"version", "Print the version of the tool and of the formats it reads.", "[--json]", "reprise version", "",
            facts_flags, "", "", 0, 0, Program::none, run_version},
    Command{"help", "Explain a command.", "[COMMAND]", "reprise help record", "", no_flags, "COMMAND", "A command", 0,
            1, Program::none, run_help},
};

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
  for (const Command& command : table) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

int run(std::span<const std::string> words, Console& console) {
  if (words.empty()) {
    run_help({}, console);
    return usage;
  }
  std::string name = words.front();
  if (name == "-h" || name == "--help") name = "help";
  if (name == "-V" || name == "--version") name = "version";
  const Command* command = find_command(name);
  if (command == nullptr) {
    return console.fail(
        {ErrorCode::usage, fmt::format("there is no command {}; reprise help lists them", analyse::escape(name))});
  }
  auto arguments = parse(*command, words.subspan(1));
  if (!arguments) return console.fail(arguments.error(), fmt::format("reprise help {}", command->name));
  if (!arguments->help.empty()) {
    console.print(arguments->help);
    return done;
  }
  return command->run(*arguments, console);
}

}  // namespace reprise::drive::cli
