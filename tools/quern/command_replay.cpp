#include <cstdio>

#include "base/json.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "driver/recording/replay.hpp"
#include "runtime/select.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--on", true}, {"--json"}, {"--help"}, {"-h"}};
constexpr std::string_view kHelp = R"(usage: quern replay FILE [--on DEVICE] [--json]

Makes the driver calls of a recorded program again and compares every download with what the program got then, bit
for bit. The recording holds kernels, uploads, launches and downloads: all that is needed to see a problem again, on
another machine or device, without the program itself. To make one, run the program with QUERN_RECORD set:

  QUERN_RECORD=problem.qrec ./my_program

The file holds the data that the program uploaded and downloaded; think of that before you send it to somebody.

  --on DEVICE        where to replay: cuda, sim, sim,seed=7 …; not given: the device of the recording
  --json             for machines: {"equal", "differences", "first_difference", "calls", "downloads", "bytes", …}

examples:
  quern replay problem.qrec
  quern replay problem.qrec --on sim       does the simulator, which checks every access, find a mistake?
  QUERN_CHECKED=1 quern replay problem.qrec

exit code: 0 everything is equal, 1 something differs, 2 wrong usage, 3 the file or the device cannot be used
)";

using recording::Outcome;
using recording::Recording;

void print_json(const std::string& file, const Recording& recorded, const driver::DeviceInfo& device,
                const Outcome& outcome) {
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

void print_text(const Recording& recorded, const driver::DeviceInfo& device, const Outcome& outcome) {
  std::fputs(outcome.printed.c_str(), stdout);
  std::printf("recorded on %s (%s), replayed on %s (%s)\n", recorded.device_name.c_str(),
              recorded.device.c_str(), device.name.c_str(), device.id().c_str());
  std::printf("%s made, %s with %s compared\n", base::format_plural(outcome.calls, "call").c_str(),
              base::format_plural(outcome.downloads, "download").c_str(),
              base::format_bytes(outcome.bytes).c_str());
  if (!recorded.is_complete)
    std::printf("note: the program ended without closing the device; its last call is the last one here\n");
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
  request.text = arguments.value("--on").value_or(recorded.device);
  auto device = runtime::open(request);
  if (!device.ok()) {
    base::Error error = std::move(device).error();
    if (!arguments.has("--on") && error.hint().empty()) error.add_hint("--on DEVICE chooses another device");
    return error;
  }
  QUERN_TRY_ASSIGN(const Outcome outcome, recording::replay(recorded, (*device)->native()));
  if (arguments.has("--json")) {
    print_json(file, recorded, (*device)->info(), outcome);
  } else {
    print_text(recorded, (*device)->info(), outcome);
  }
  return outcome.differences == 0 ? kOk : kFailed;
}

int run_replay(const Arguments& arguments) {
  if (arguments.operands().size() != 1)
    return fail(kUsage, "replay wants one recording", "quern replay --help shows how to make one");
  auto code = run(arguments);
  return code.ok() ? *code : fail(kBadInput, code.error());
}

}  // namespace

constinit const Command kReplayCommand = {
    "replay", "make the driver calls of a recorded program again and compare", kHelp, kOptions, run_replay};

}  // namespace quern::tool
