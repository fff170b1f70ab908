#include "drive/cli/replay_text.h"

#include "drive/cli/commands.h"

#include <fmt/format.h>

#include "analyse/text.h"

namespace reprise::drive::cli {
namespace {

using analyse::Divergence;
using analyse::grouped;

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::identical:
      return "identical";
    case Verdict::different:
      return "different";
    case Verdict::diverged:
      return "diverged";
    case Verdict::stalled:
      return "stalled";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::interrupted:
      return "interrupted";
  }
  return "?";
}

void add_divergence(const Divergence& divergence, std::vector<std::string>& lines) {
  lines.push_back(divergence.bracketed
                      ? fmt::format("diverged: thread {}, after step {} and at step {} at the latest",
                                    divergence.thread, grouped(divergence.step_after), grouped(divergence.step))
                      : fmt::format("diverged: thread {}, step {}", divergence.thread, grouped(divergence.step)));
  if (!divergence.detail.empty()) lines.push_back(fmt::format("  {}", divergence.detail));
  for (const std::string& line : divergence.recorded_context) lines.push_back(fmt::format("    recorded   {}", line));
  lines.push_back(fmt::format("  - expected   step {}: {}", grouped(divergence.step), divergence.expected));
  if (divergence.program_context.empty()) {
    if (!divergence.recorded_context.empty())
      lines.emplace_back(
          "    the program took the recorded steps above as well; its own events are kept with --trace only");
  } else {
    for (const std::string& line : divergence.program_context) lines.push_back(fmt::format("    program    {}", line));
  }
  lines.push_back(fmt::format("  + actual     step {}: {}", grouped(divergence.step), divergence.actual));
}

void add_stack(const std::vector<Frame>& stack, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    lines.push_back(fmt::format("    #{} {}", i, analyse::escape(stack[i].text())));
  }
}

Json stack_json(const std::vector<Frame>& frames) {
  Json stack = Json::array();
  for (const Frame& frame : frames) {
    stack.push(Json::object(
        {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}, {"module", frame.module}}));
  }
  return stack;
}

Json divergence_json(const Divergence& divergence) {
  Json recorded = Json::array();
  for (const std::string& line : divergence.recorded_context) recorded.push(line);
  Json program = Json::array();
  for (const std::string& line : divergence.program_context) program.push(line);
  return Json::object({{"thread", divergence.thread},
                       {"step", divergence.step},
                       {"bracketed", divergence.bracketed},
                       {"step_after", divergence.step_after},
                       {"expected", divergence.expected},
                       {"actual", divergence.actual},
                       {"detail", divergence.detail},
                       {"recorded_context", recorded},
                       {"program_context", program}});
}

Json stall_json(const analyse::Stall& stall) {
  Json threads = Json::array();
  for (const analyse::StalledThread& thread : stall.threads) {
    threads.push(Json::object({{"thread", thread.path},
                               {"steps", thread.steps},
                               {"recorded_steps", thread.recorded_steps},
                               {"waits_for", thread.waits_for},
                               {"order", thread.order},
                               {"supplier", thread.supplier},
                               {"supplier_step", thread.supplier_step},
                               {"supplier_state", thread.supplier_state}}));
  }
  Json unborn = Json::array();
  for (const std::string& path : stall.unborn) unborn.push(path);
  return Json::object({{"proven", stall.proven}, {"threads", threads}, {"not_started", unborn}});
}

}  // namespace

int exit_code_of(const ReplayReport& report) {
  switch (report.verdict) {
    case Verdict::identical:
      return done;
    case Verdict::different:
      return finding;
    case Verdict::diverged:
      return diverged;
    case Verdict::stalled:
      return stalled;
    case Verdict::unsupported:
      return unsupported;
    case Verdict::interrupted:
      return 128 + report.interrupted;
  }
  return own_failure;
}

std::string ended_text(const Ended& ended) {
  return ended.signalled ? analyse::signal_name(ended.code) : fmt::format("exit code {}", ended.code);
}

std::vector<std::string> report_lines(const ReplayReport& report) {
  std::vector<std::string> lines;
  if (report.verdict == Verdict::different) {
    lines.emplace_back("different:");
    for (const analyse::Difference& difference : report.differences) lines.push_back("  " + difference.text());
  }
  if (report.divergence) add_divergence(*report.divergence, lines);
  if (!report.stack.empty()) lines.emplace_back("  the program's stack:");
  add_stack(report.stack, lines);
  if (report.verdict == Verdict::stalled) {
    if (report.stall) {
      for (const std::string& line : report.stall->lines()) lines.push_back(line);
    } else {
      lines.emplace_back("stalled: the program met no gate; is it linked with libreprise?");
    }
  }
  for (const std::vector<Frame>& stack : report.outside) {
    lines.emplace_back("  a thread outside the gates stands at:");
    add_stack(stack, lines);
  }
  if (report.verdict == Verdict::unsupported)
    lines.push_back(fmt::format("unsupported: {}", analyse::escape(report.reason)));
  return lines;
}

Json report_json(const Subject& subject, const ReplayReport& report, std::uint64_t identical, std::uint64_t times) {
  Json json =
      Json::object({{"name", subject.folder.name()},
                    {"verdict", name(report.verdict)},
                    {"identical", identical},
                    {"times", times},
                    {"end", Json::object({{"signalled", report.ended.signalled}, {"code", report.ended.code}})}});
  Json differences = Json::array();
  for (const analyse::Difference& difference : report.differences) {
    differences.push(Json::object({{"process", difference.process},
                                   {"thread", difference.thread},
                                   {"what", difference.what},
                                   {"recorded", difference.recorded},
                                   {"replayed", difference.replayed}}));
  }
  json.add("differences", differences);
  if (!report.process.empty()) json.add("process", report.process);
  if (report.divergence) json.add("divergence", divergence_json(*report.divergence));
  if (report.stall) json.add("stall", stall_json(*report.stall));
  Json outside = Json::array();
  for (const std::vector<Frame>& stack : report.outside) outside.push(stack_json(stack));
  json.add("stack", stack_json(report.stack)).add("outside", outside);
  if (!report.reason.empty()) json.add("reason", report.reason);
  if (report.traced != 0) json.add("traced", report.traced);
  return json;
}

}  // namespace reprise::drive::cli
