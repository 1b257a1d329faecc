// quern tune: measures the variants of operations, and lists the results.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "messages.hpp"
#include "ops_arguments.hpp"
#include "output.hpp"
#include "quern/ops/tune.hpp"
#include "quern/quern.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kTuneOptions[] = {
    {"--on", true}, {"--type", true}, {"--seconds", true}, {"--rounds", true},
    {"--list"},     {"--json"},       {"--help"},          {"-h"}};

constexpr std::string_view kTuneHelp =
    R"(usage: quern tune OPERATION SHAPE… [--type TYPE] [--on DEVICE] [--seconds S] [--rounds N] [--json]
       quern tune --list [--json]

Measures the variants of an operation's kernels on a device: tile sizes, threads of a block, elements of a thread. Every
variant is checked before it may win: its results must equal those of the default variant. The fastest variant is kept
in the cache folder, and programs use it for shapes of the same class (extents rounded up to powers of two) unless
QUERN_TUNE=off. With QUERN_TUNE=on, programs measure on the first call of a class.

  matmul MxNxK                product of matrices of M rows, N columns and depth K
  reduce N, scan N            sum, inclusive scan
  layer_norm ROWSxCOLUMNS, rms_norm ROWSxCOLUMNS
  fft BATCHxN                 complex Fourier transforms of N elements

Libraries of vendors are candidates, too: cuBLAS and cuFFT on cuda, rocBLAS on hip, OpenBLAS and BLIS on cpu.
QUERN_VENDOR_LIBRARIES=off excludes them.

  --type TYPE    f64, f32, f16 or bf16 (default: f32); for matmul also tf32, i8, e4m3 or e5m2, where the second operand
                 of 8-bit types is stored by column; for fft c64 or c128 (default: c64)
  --on DEVICE    as for `quern run` (default: the best)
  --seconds S    limit of the total time per shape (default: 60)
  --rounds N     measurements of each variant, at least 3 (default: 7)
  --list         print what was chosen, and why; all devices
  --json         machine-readable output: times in seconds

examples:
  quern tune matmul 512x512x512 1024x1024x1024 --on cpu
  quern tune rms_norm 4096x4096 --type f16
  quern tune --list

exit code: 0; 1: no variant could be measured; 2: the command line is invalid; 3: the device cannot be opened
)";

std::string time_text(double seconds) { return seconds > 0 ? base::format_duration(seconds) : "–"; }

void write_variant(base::JsonWriter& json, const Variant& variant) {
  json.begin_object();
  for (const auto& [name, value] : variant.parameters()) json.member(name, value);
  json.end_object();
}

void write_result(base::JsonWriter& json, const TuneResult& result) {
  json.key("variant");
  write_variant(json, result.variant);
  json.member("source", to_string(result.source)).member("reason", result.reason);
  json.member("complete", result.is_complete).member("tuning_seconds", result.seconds);
  json.key("candidates").begin_array();
  for (const TuneCandidate& c : result.candidates) {
    json.begin_object().key("variant");
    write_variant(json, c.variant);
    json.member("state", to_string(c.state)).member("seconds", c.seconds).member("samples", c.samples);
    json.member("reason", c.reason).end_object();
  }
  json.end_array();
}

// Relative to the default variant, which is the first one: more than 1 is faster.
std::string ratio_text(const TuneResult& result, const TuneCandidate& c) {
  const double standard = result.candidates.front().seconds;
  return standard > 0 && c.seconds > 0 ? base::format("%.2f", standard / c.seconds) : "–";
}

void print_result(const TuneResult& result) {
  base::Table table({{"variant"},
                     {"time", base::Align::kRight},
                     {"speed", base::Align::kRight},
                     {"state"},
                     {"", base::Align::kLeft, 90}});
  for (const TuneCandidate& c : result.candidates) {
    const bool is_chosen = c.variant == result.variant;
    const std::string_view remark = is_chosen ? "chosen" : std::string_view(c.reason);
    table.add_row({base::Cell(c.variant.to_string(), is_chosen ? base::Style::kBold : base::Style::kPlain),
                   time_text(c.seconds), ratio_text(result, c), to_string(c.state), remark});
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
  std::printf("%s: %s\n", result.variant.to_string().c_str(), result.reason.c_str());
}

Outcome list_tunings(bool as_json) {
  const std::vector<StoredTuning> all = stored_tunings();
  if (as_json) {
    base::JsonWriter json(2);
    json.begin_object().key("tunings").begin_array();
    for (const StoredTuning& t : all) {
      json.begin_object().member("name", t.name).member("shape_class", t.shape_class);
      json.member("types", t.types).member("alignment", t.alignment).member("device", t.device);
      json.member("driver_version", t.driver_version).member("time", t.time).member("key", t.key);
      write_result(json, t.result);
      json.end_object();
    }
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
    return kOk;
  }
  if (all.empty()) {
    std::printf("nothing was tuned: run `quern tune OPERATION SHAPE`\n");
    return kOk;
  }
  base::Table table({{"operation"},
                     {"shapes up to"},
                     {"type"},
                     {"device", base::Align::kLeft, 40},
                     {"variant"},
                     {"", base::Align::kLeft, 70}});
  for (const StoredTuning& t : all)
    table.add_row({t.name, t.shape_class, t.types, t.device, t.result.variant.to_string(), t.result.reason});
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
  return kOk;
}

struct TuneRequestOfUser {
  std::string operation;
  std::vector<ops::Shape> shapes;
  ElementOption type;
  TuneOptions options;
};

// A line for each step on a terminal; a log gets a line now and then.
class TuneReport {
 public:
  explicit TuneReport(const std::string& label) : progress_(label, 0, "steps", options()) {}
  void operator()(const TuneProgress& p) {
    static constexpr const char* kStages[] = {"compile", "check", "measure"};
    progress_.set_detail(base::format("%s %zu/%zu %s", kStages[static_cast<std::size_t>(p.stage)], p.done,
                                      p.total, p.variant.c_str()));
    progress_.advance();
  }

 private:
  static base::ProgressOptions options() {
    base::ProgressOptions out = base::default_progress_options(stderr);
    out.control = control_stream(stderr);
    return out;
  }
  base::Progress progress_;
};

Outcome tune_shapes(const Device& device, const TuneRequestOfUser& request, bool as_json) {
  base::JsonWriter json(2);
  json.begin_object().member("device", device.name()).member("driver", device.driver());
  json.member("operation", request.operation).key("results").begin_array();
  bool is_any_missing = false;
  for (const ops::Shape& shape : request.shapes) {
    const std::string title = request.operation + " " + shape_text(shape);
    TuneOptions options = request.options;
    TuneResult result;
    {
      TuneReport report(title);
      if (!as_json) options.progress = [&report](const TuneProgress& p) { report(p); };
      result =
          ops::tune(device, request.operation, shape, request.type.element, options, request.type.precision);
    }
    is_any_missing = is_any_missing || result.source != TuneSource::measured;
    if (as_json) {
      json.begin_object().member("shape", shape_text(shape)).member("type", type_text(request.type));
      write_result(json, result);
      json.end_object();
      continue;
    }
    std::printf("%s, %s, %s\n", title.c_str(), type_text(request.type).c_str(), device.name().c_str());
    print_result(result);
  }
  json.end_array().end_object();
  if (as_json) std::fputs(json.take().c_str(), stdout);
  return is_any_missing ? kFailed : kOk;
}

Outcome run_tune(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  const bool as_json = arguments.has("--json");
  if (arguments.has("--list")) {
    if (!words.empty())
      return fail(kUsage, message::kUnexpectedArgument(words[0], "`quern tune --list` takes no operation"));
    return list_tunings(as_json);
  }
  if (words.size() < 2) return fail(kUsage, message::kTuneNeedsShape());
  TuneRequestOfUser request;
  request.operation = words[0];
  request.options.seconds = 60;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto shape = parse_shape(words[i]);
    if (!shape)
      return fail(kUsage, message::kInvalidValue(words[i], "the shape", "extents, as in 512x512x512"));
    request.shapes.push_back(*shape);
  }
  const std::string type = arguments.value("--type").value_or(words[0] == "fft" ? "c64" : "f32");
  const auto parsed = parse_type(type);
  if (!parsed) return fail(kUsage, message::kInvalidValue(type, "--type", kTypeNames));
  request.type = *parsed;
  if (const auto text = arguments.value("--seconds")) {
    const auto seconds = base::parse_double(*text);
    if (!seconds || !(*seconds > 0))
      return fail(kUsage, message::kInvalidValue(*text, "--seconds", "a number of seconds above 0"));
    request.options.seconds = *seconds;
  }
  if (const auto text = arguments.value("--rounds")) {
    const auto rounds = base::parse_uint(*text);
    if (!rounds || *rounds < 3 || *rounds > 1000)
      return fail(kUsage, message::kInvalidValue(*text, "--rounds", "a number from 3 to 1000"));
    request.options.rounds = static_cast<int>(*rounds);
  }
  return with_device(arguments.value("--on").value_or(""),
                     [&](const Device& device) { return tune_shapes(device, request, as_json); });
}

}  // namespace

constinit const Command kTuneCommand = {"tune", "find the fastest variants of operations on a device",
                                        kTuneHelp, kTuneOptions, run_tune};

}  // namespace quern::tool
