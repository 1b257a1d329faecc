#include <cstdio>

#include "base/json.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "driver/decorators/recording/replay.hpp"
#include "messages.hpp"
#include "runtime/crash_report.hpp"
#include "runtime/select.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--on", true}, {"--json"}, {"--help"}, {"-h"}};
constexpr std::string_view kHelp = R"(usage: quern replay FILE [--on DEVICE] [--json]

Repeats the driver calls of a recorded program and compares every download with the recorded one, bit for bit. The
recording holds kernels, uploads, launches and downloads: enough to reproduce a problem on another machine or device,
without the program itself. To record a program, run it with QUERN_RECORD set:

  QUERN_RECORD=problem.qrec ./my_program

The file holds the data that the program uploaded and downloaded. Consider this before you send it to others.

A recording also holds code. The simulator, which is the default, runs it under its checks. Every other device runs it
natively, with your permissions: name one only for a recording that you trust.

  --on DEVICE        where to replay: cpu, cuda, sim,seed=7 … (default: sim)
  --json             machine-readable output: {"equal", "differences", "first_difference", "calls", "downloads", …}

examples:
  QUERN_RECORD=problem.qrec quern run examples/saxpy.cu 1000 3.0 f32[1000]=iota f32[1000]=1 --on cpu
  quern replay problem.qrec                does the simulator, which checks every access, find an error?
  quern replay problem.qrec --on opencl    does another device give the same result?
  QUERN_CHECKED=1 quern replay problem.qrec --on cpu

exit code: 0 everything is equal, 1 something differs, 2 invalid usage, 3 the file or the device cannot be used
)";

using recording::Recording;

void print_json(const std::string& file, const Recording& recorded, const driver::DeviceInfo& device,
                const recording::Outcome& outcome) {
  base::JsonWriter json(2);
  json.begin_object().member("file", file);
  json.member("recorded_on", recorded.device).member("device", device.id());
  json.member("complete", recorded.is_complete).member("calls", outcome.calls);
  json.member("downloads", outcome.downloads).member("bytes", outcome.bytes);
  json.member("equal", outcome.differences == 0).member("differences", outcome.differences);
  json.key("first_difference");
  if (outcome.first.empty()) {
    json.value(nullptr);
  } else {
    json.value(outcome.first);
  }
  json.key("notes").begin_array();
  for (const std::string& note : outcome.notes) json.value(note);
  json.end_array().member("printed", outcome.printed).end_object();
  const std::string text = json.take();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_text(const Recording& recorded, const driver::DeviceInfo& device,
                const recording::Outcome& outcome) {
  std::fputs(outcome.printed.c_str(), stdout);
  std::printf("recorded on %s (%s), replayed on %s (%s)\n", recorded.device_name.c_str(),
              recorded.device.c_str(), device.name.c_str(), device.id().c_str());
  std::printf("%s made, %s with %s compared\n", base::format_plural(outcome.calls, "call").c_str(),
              base::format_plural(outcome.downloads, "download").c_str(),
              base::format_bytes(outcome.bytes).c_str());
  if (!recorded.is_complete)
    std::printf(
        "note: the program ended without closing the device; the recording ends with its last call\n");
  for (const std::string& note : outcome.notes) std::printf("note: %s\n", note.c_str());
  if (outcome.differences == 0) {
    std::printf("everything is equal\n");
    return;
  }
  std::printf("%s; the first:\n  %s\n", base::format_plural(outcome.differences, "difference").c_str(),
              outcome.first.c_str());
}

base::Result<int> run(const Arguments& arguments) {
  const std::string& file = arguments.operands()[0];
  QUERN_TRY_ASSIGN(const Recording recorded, recording::read(file));
  runtime::Request request;
  request.text = arguments.value("--on").value_or("sim");
  QUERN_TRY_ASSIGN(const auto device, runtime::open(request));
  runtime::RunningKernel running;
  if (device->runs_in_process()) running.begin_recording(file, *device);
  QUERN_TRY_ASSIGN(const recording::Outcome outcome, recording::replay(recorded, device->native()));
  running.end();
  if (arguments.has("--json")) {
    print_json(file, recorded, device->info(), outcome);
  } else {
    print_text(recorded, device->info(), outcome);
  }
  return outcome.differences == 0 ? kOk : kFailed;
}

Outcome run_replay(const Arguments& arguments) {
  if (arguments.operands().size() != 1) return fail(kUsage, message::kReplayNeedsRecording());
  auto code = run(arguments);
  return code.ok() ? Outcome(*code) : fail(kBadInput, code.error());
}

}  // namespace

constinit const Command kReplayCommand = {
    "replay", "repeat the driver calls of a recorded program and compare", kHelp, kOptions, run_replay};

}  // namespace quern::tool
