// quern run: a kernel from a file, on a device, with arguments from the command line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/json.hpp"
#include "base/npy.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "command.hpp"
#include "compare_runs.hpp"
#include "device_run.hpp"
#include "messages.hpp"

namespace quern::tool {

namespace {

using base::Error;
using base::ErrorKind;

constexpr Arguments::Option kOptions[] = {{"--on", true},
                                          {"--against", true},
                                          {"--grid", true},
                                          {"--block", true},
                                          {"--threads", true},
                                          {"--shared", true},
                                          {"--cluster", true},
                                          {"--repeat", true},
                                          {"--print", true},
                                          {"--values", true},
                                          {"--save", true},
                                          {"--check"},
                                          {"--checks", true},
                                          {"--seed", true},
                                          {"--time"},
                                          {"--json"},
                                          {"--time-limit", true},
                                          {"--tolerance", true},
                                          {"-I", true},
                                          {"--no-include"},
                                          {"-D", true},
                                          {"--math", true},
                                          {"--max-registers", true},
                                          {"--debug"},
                                          {"--check-device"},
                                          {"--help"},
                                          {"-h"}};

constexpr std::string_view kHelp = R"(usage: quern run FILE[:KERNEL] ARG… [--on DEVICE] [options]

Runs a kernel of a CUDA C++ file, or an entry point of a SPIR-V module (.spv). Pass one argument per parameter, in order
(SPIR-V: one per buffer by set and binding, then the push constants):
  3  0.5  true                 a number, for scalars
  f32[1024]=0                  a buffer of 1024 floats, all 0; types: i8 … u64, f16, f32, f64, and f32x2, f32x4, i32x3 …
  f32[1024]=iota               0, 1, 2, …
  f32[1024]=rand:7             random numbers from seed 7: floats in [0, 1), integers in [0, 100)
  f32[1024]                    uninitialized memory
  @in.npy  i32[64]=@raw.bin    from a file; .npy files contain their type and shape
  {1, 2.5, {3, 4}}             a struct, field by field
  Particle[64]={1, 2.5, 0}     a buffer of equal structs, for a parameter Particle*; also =0 and =@raw.bin

device and checks
  --on DEVICE        cpu, sim, cuda:1, part of a name …; default: the best (`quern devices` lists them);
                     std.gpu is the simulator for SPIR-V, and the default for a .spv file
  --against DEVICE   also run on this device, and compare every buffer that the kernel may write
  --tolerance X      largest relative difference of floats for --against (default: 1e-5)
  --check-device     detect out-of-bounds accesses and failed asserts on the device itself (QUERN_CHECK=1)
  --check            run on the simulator first, which finds races, out-of-bounds accesses and more
launch configuration
  --grid X,Y,Z       number of blocks; default: enough for the largest buffer
  --block X,Y,Z      threads per block; default: 256, or the limit of __launch_bounds__; SPIR-V defines its own
  --threads N        total number of threads, in one dimension
  --shared BYTES     dynamic shared memory
  --cluster X,Y,Z    blocks per cluster; default: __cluster_dims__
output
  --print NAME[a:b]  print these values of a parameter afterwards (default: 8 values of each buffer it may write)
  --save NAME=F.npy  write a buffer to a file afterwards
  --repeat N         launch the kernel N times
  --time             print the best, median and worst launch times and, if the device reports them, the kernel's
                     registers, memory and occupancy
  --json             machine-readable output: {"runs": [{…, "buffers": [{"name", "type", "count", "first", "values"}]}], …}
  --values N         print at most N values of each buffer in --json (default: 1000), or all
  --time-limit S     abort after S seconds; the simulator then reports where
simulator
  --seed N           use another interleaving of the threads
  --checks LIST      additional checks: overflow, shifts, all; or none
compilation
  --math HOW         exact (default): the same rounding on all devices; fused: products and sums may be fused, as
                     nvcc does; fast: also approximate functions, division and square roots
  --max-registers N  limit the registers per thread, if the device's compiler supports it
  --debug            generate code for a debugger
  --no-include       allow built-in headers only. For source text that you do not trust, also use --on sim: on other
                     devices a kernel is native code with your permissions
  -I FOLDER, -D NAME[=VALUE]; for SPIR-V, -D sets a specialization constant by its name or number

examples:
  quern run examples/saxpy.cu 1000 3.0 f32[1000]=iota f32[1000]=1
  quern run nbody.cu:step 4096 0.01 f32x4[4096]=rand:1 f32x4[4096]=0 --on cpu --against sim
  quern run hist.cu:count i32[100]=rand:3 i32[8]=0 --on sim
  quern run scale.spv f32[1000]=iota '{2.5, 1000}' --grid 4

exit code: 0 success, 1 an error was found or results differ, 2 invalid usage, 3 the kernel, an argument or the device
cannot be used
)";

std::string spell(const driver::Dim3& d) {
  if (d.z != 1) return base::format("(%u, %u, %u)", d.x, d.y, d.z);
  if (d.y != 1) return base::format("(%u, %u)", d.x, d.y);
  return std::to_string(d.x);
}

// The simulator's options and the time limit are part of the device's name.
base::Result<std::string> device_text(const Arguments& arguments, std::string_view usual) {
  const std::string on = arguments.value("--on").value_or(std::string(usual));
  std::string text = on;
  for (const auto& [option, key] :
       {std::pair{"--seed", "seed"}, {"--time-limit", "time_limit"}, {"--checks", "check"}}) {
    const auto value = arguments.value(option);
    if (!value) continue;
    const bool is_simulated = on.substr(0, 3) == "sim" || on == "std.gpu";
    if (!is_simulated && std::string_view(key) != "time_limit")
      return Error(ErrorKind::invalid_use, message::kNeedsSimulator(option));
    std::string list = *value;
    std::replace(list.begin(), list.end(), ',', '+');
    text += std::string(",") + key + "=" + list;
  }
  return text;
}

struct Part {
  const RunArgument* buffer = nullptr;
  uint64_t first = 0, last = 0;
};

Error unknown_buffer(const DeviceRun& run, const std::string& name) {
  std::vector<std::string> names;
  for (const RunArgument& a : run.arguments()) {
    if (a.is_buffer) names.push_back(a.param.name);
  }
  Error error(ErrorKind::invalid_use, message::kUnknownBuffer(run.kernel(), name));
  if (!names.empty()) error.add_hint(message::kUseOneOf(base::join(names, ", ")).text);
  return error;
}

// "y[0:5]", "y[3]", "y[:4]", "y[2:]", "y".
base::Result<Part> parse_part(const DeviceRun& run, const std::string& text) {
  const size_t open = text.find('[');
  const std::string name = text.substr(0, open);
  Part part;
  part.buffer = run.buffer(name);
  if (part.buffer == nullptr) return unknown_buffer(run, name);
  const uint64_t count = part.buffer->count();
  part.last = std::min<uint64_t>(count, 8);
  if (open == std::string::npos) return part;
  const std::string inside = text.back() == ']' ? text.substr(open + 1, text.size() - open - 2) : "?";
  const size_t colon = inside.find(':');
  const auto first = base::parse_uint(colon == 0 ? "0" : inside.substr(0, colon));
  std::optional<uint64_t> last;
  if (colon == std::string::npos) {
    last = first ? std::optional<uint64_t>(*first + 1) : std::nullopt;
  } else {
    last = colon + 1 == inside.size() ? count : base::parse_uint(inside.substr(colon + 1));
  }
  if (!first || !last || *first > *last || *last > count) {
    return Error(ErrorKind::invalid_use,
                 message::kOutsideBuffer(text, name, base::format_plural(count, "element"), name));
  }
  part.first = *first;
  part.last = *last;
  return part;
}

// For each buffer, in JSON.
base::Result<uint64_t> most_values(const Arguments& arguments) {
  const std::string text = arguments.value("--values").value_or("1000");
  if (text == "all") return std::numeric_limits<uint64_t>::max();
  if (const auto number = base::parse_uint(text)) return *number;
  return Error(ErrorKind::invalid_use, message::kInvalidValue(text, "--values", "a number or 'all'"));
}

std::string values(const RunArgument& a, uint64_t first, uint64_t last) {
  std::string out;
  for (uint64_t i = first; i < last; ++i) out += (i > first ? " " : "") + a.text(i);
  return out;
}

std::string headline(const DeviceRun& run) {
  return base::format("%s<<<%s, %s>>> on %s (%s)", run.kernel().c_str(), spell(run.launch().grid).c_str(),
                      spell(run.launch().block).c_str(), run.device().info().name.c_str(),
                      run.device().info().driver.c_str());
}

void print_headline(const DeviceRun& run, size_t width) {
  const std::string text = headline(run);
  std::string software;
  for (const driver::Feature f : run.software())
    software += ", " + std::string(driver::name(f)) + " in software";
  if (run.segments() > 1) software += base::format(", split into %u segments", run.segments());
  std::printf("%s%*s   %s   compiled in %s%s%s\n", text.c_str(),
              static_cast<int>(width - base::display_width(text)), "",
              base::format_duration(run.best()).c_str(), base::format_duration(run.compile_seconds()).c_str(),
              run.is_from_cache() ? ", from cache" : "", software.c_str());
}

// Resource usage of a thread and occupancy of such blocks, if the driver reports them.
void print_use(const DeviceRun& run) {
  const driver::Kernel& code = run.code();
  if (code.registers != 0) {
    std::printf("per thread: %u registers, %s of local memory; per block: %s of shared memory\n",
                code.registers, base::format_bytes(code.local_bytes).c_str(),
                base::format_bytes(code.info.shared_bytes + run.launch().shared_bytes).c_str());
  }
  const driver::Occupancy o = run.occupancy();
  if (o.max_blocks_per_unit == 0 || o.max_threads_per_unit == 0) return;
  const uint64_t threads = run.launch().block.count();
  std::printf(
      "%s of %s fill a compute unit to %llu %%%s\n",
      base::format_plural(o.max_blocks_per_unit, "block").c_str(),
      base::format_plural(threads, "thread").c_str(),
      static_cast<unsigned long long>(o.max_blocks_per_unit * threads * 100 / o.max_threads_per_unit),
      o.best_block == 0 ? "" : ("; blocks of " + std::to_string(o.best_block) + " fill it best").c_str());
}

void print_times(const DeviceRun& run) {
  std::vector<double> sorted = run.seconds();
  std::sort(sorted.begin(), sorted.end());
  const std::string count = sorted.size() == 1 ? "1 launch" : base::format_count(sorted.size()) + " launches";
  std::printf(
      "%s: best %s, median %s, worst %s\n", count.c_str(), base::format_duration(sorted.front()).c_str(),
      base::format_duration(sorted[sorted.size() / 2]).c_str(), base::format_duration(sorted.back()).c_str());
  print_use(run);
}

void print_findings(const DeviceRun& run) {
  for (const driver::Finding& f : run.findings()) std::printf("%s\n", f.rendered.c_str());
  if (run.findings().empty() && run.fault()) std::printf("%s\n", run.fault()->to_string().c_str());
}

base::Result<void> print_buffers(const DeviceRun& run, const Arguments& arguments) {
  const std::vector<std::string> wanted = arguments.values("--print");
  for (const std::string& text : wanted) {
    QUERN_TRY_ASSIGN(const Part p, parse_part(run, text));
    std::printf("%s[%llu:%llu]: %s\n", p.buffer->param.name.c_str(), static_cast<unsigned long long>(p.first),
                static_cast<unsigned long long>(p.last), values(*p.buffer, p.first, p.last).c_str());
  }
  if (!wanted.empty()) return {};
  for (const RunArgument& a : run.arguments()) {
    if (!a.is_buffer || !a.param.is_written || a.count() == 0) continue;
    const uint64_t n = std::min<uint64_t>(a.count(), 8);
    std::printf("%s: %s%s\n", a.param.name.c_str(), values(a, 0, n).c_str(), n < a.count() ? " …" : "");
  }
  return {};
}

void print_comparison(const std::vector<BufferComparison>& all) {
  for (const BufferComparison& c : all) {
    if (c.differ == 0) {
      std::printf("%s: %s agree%s%s\n", c.name.c_str(), base::format_plural(c.numbers, "value").c_str(),
                  c.numbers == 1 ? "s" : "",
                  c.largest > 0 ? base::format(", largest relative difference %.1e", c.largest).c_str() : "");
    } else {
      std::printf("%s: %s of %s differ%s, first number %llu: %s and %s\n", c.name.c_str(),
                  base::format_count(c.differ).c_str(), base::format_plural(c.numbers, "value").c_str(),
                  c.differ == 1 ? "s" : "", static_cast<unsigned long long>(c.first), c.left.c_str(),
                  c.right.c_str());
    }
  }
}

// A value as `quern run` prints it, in JSON: structs and vectors are arrays, numbers are numbers, and values
// that JSON cannot represent are strings ("nan", "0x7f00").
void write_value(base::JsonWriter& json, std::string_view text) {
  if (text.starts_with('{')) {
    json.begin_array();
    size_t start = 1, depth = 0;
    for (size_t i = 1; i < text.size(); ++i) {
      const bool is_end = i + 1 == text.size();
      if (depth == 0 && (is_end || text[i] == ',')) {
        if (i > start) write_value(json, text.substr(start, i - start));
        start = i + 2;  // ", "
      }
      depth += text[i] == '{' ? 1 : 0;
      depth -= text[i] == '}' && !is_end ? 1 : 0;
    }
    json.end_array();
  } else if (text == "true" || text == "false") {
    json.value(text == "true");
  } else if (const auto unsigned_value = base::parse_uint(text)) {
    json.value(*unsigned_value);
  } else if (int64_t whole = 0; std::from_chars(text.data(), text.data() + text.size(), whole).ptr ==
                                    text.data() + text.size() &&
                                whole != 0) {
    json.value(whole);
  } else if (const auto real = base::parse_double(text);
             real && std::isfinite(*real) && !text.starts_with("0x")) {
    json.value(*real);
  } else {
    json.value(text);
  }
}

// The parts that --print names, otherwise the start of each buffer that the kernel may write.
base::Result<void> write_buffers(base::JsonWriter& json, const DeviceRun& run, const Arguments& arguments) {
  QUERN_TRY_ASSIGN(const uint64_t most, most_values(arguments));
  std::vector<Part> parts;
  for (const std::string& text : arguments.values("--print")) {
    QUERN_TRY_ASSIGN(const Part part, parse_part(run, text));
    parts.push_back(part);
  }
  for (const RunArgument& a : run.arguments()) {
    if (arguments.has("--print") || !a.is_buffer || !a.param.is_written) continue;
    parts.push_back({&a, 0, a.count()});
  }
  json.key("buffers").begin_array();
  for (const Part& p : parts) {
    json.begin_object().member("name", p.buffer->param.name).member("type", p.buffer->param.spelling);
    json.member("count", p.buffer->count()).member("first", p.first);
    json.key("values").begin_array();
    const uint64_t end = p.last - p.first > most ? p.first + most : p.last;
    for (uint64_t i = p.first; i < end; ++i) write_value(json, p.buffer->text(i));
    json.end_array().end_object();
  }
  json.end_array();
  return {};
}

base::Result<void> write_run(base::JsonWriter& json, const DeviceRun& run, const Arguments& arguments) {
  json.begin_object().member("kernel", run.kernel()).member("device", run.device().info().id());
  json.member("name", run.device().info().name).member("seconds", run.best());
  json.member("compile_seconds", run.compile_seconds())
      .member("from_cache", run.is_from_cache())
      .member("clean", run.clean())
      .member("printed", run.printed());
  json.member("segments", run.segments());
  json.key("software").begin_array();
  for (const driver::Feature f : run.software()) json.value(driver::name(f));
  json.end_array();
  json.key("times").begin_array();
  for (double s : run.seconds()) json.value(s);
  json.end_array().key("reports").begin_array();
  for (const driver::Finding& f : run.findings()) {
    json.begin_object().member("kind", f.kind).member("message", f.message).member("kernel", f.kernel);
    json.member("file", f.file).member("line", f.line).member("column", f.column).member("place", f.place);
    json.member("extent", f.extent).member("count", f.count).member("hint", f.hint).end_object();
  }
  json.end_array();
  QUERN_TRY(write_buffers(json, run, arguments));
  json.end_object();
  return {};
}

base::Result<void> save(const DeviceRun& run, const Arguments& arguments) {
  for (const std::string& text : arguments.values("--save")) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos)
      return Error(ErrorKind::invalid_use, message::kInvalidValue(text, "--save", "NAME=FILE.npy"));
    const RunArgument* a = run.buffer(text.substr(0, equals));
    if (a == nullptr) return unknown_buffer(run, text.substr(0, equals));
    QUERN_TRY(base::write_npy(text.substr(equals + 1), *runtime::npy_type(a->given.type), a->given.shape,
                              a->content));
  }
  return {};
}

base::Result<double> tolerance(const Arguments& arguments) {
  const auto text = arguments.value("--tolerance");
  if (!text) return 1e-5;
  const auto value = base::parse_double(*text);
  if (!value || !(*value >= 0))
    return Error(ErrorKind::invalid_use,
                 message::kInvalidValue(*text, "--tolerance", "a number of at least 0"));
  return *value;
}

base::Result<int> run(const Arguments& arguments) {
  QUERN_TRY_ASSIGN(const RunRequest request, parse_request(arguments));
  const bool is_spirv = request.source.raw == driver::CodeKind::kSpirv;
  QUERN_TRY_ASSIGN(const std::string on, device_text(arguments, is_spirv ? "std.gpu" : ""));
  QUERN_TRY_ASSIGN(const double allowed, tolerance(arguments));
  const bool as_json = arguments.has("--json");
  bool clean = true;
  if (arguments.has("--check")) {
    QUERN_TRY_ASSIGN(const auto checked, DeviceRun::run(request, is_spirv ? "std.gpu" : "sim"));
    clean = checked->clean();
    if (!as_json) print_findings(*checked);
  }
  QUERN_TRY_ASSIGN(const auto first, DeviceRun::run(request, on));
  std::unique_ptr<DeviceRun> second;
  std::vector<BufferComparison> comparison;
  if (auto against = arguments.value("--against")) {
    QUERN_TRY_ASSIGN(second, DeviceRun::run(request, *against));
    comparison = compare(*first, *second, allowed);
    for (const BufferComparison& c : comparison) clean &= c.differ == 0;
    clean &= second->clean();
  }
  clean &= first->clean();
  if (as_json) {
    base::JsonWriter json(2);
    json.begin_object().key("runs").begin_array();
    QUERN_TRY(write_run(json, *first, arguments));
    if (second != nullptr) QUERN_TRY(write_run(json, *second, arguments));
    json.end_array().key("comparison").begin_array();
    for (const BufferComparison& c : comparison) {
      json.begin_object().member("buffer", c.name).member("values", c.numbers).member("differ", c.differ);
      json.member("largest_relative_difference", c.largest).end_object();
    }
    json.end_array().end_object();
    QUERN_TRY(save(*first, arguments));
    std::fputs(json.take().c_str(), stdout);
  } else {
    std::fputs(first->printed().c_str(), stdout);
    print_findings(*first);
    if (second != nullptr) print_findings(*second);
    size_t width = base::display_width(headline(*first));
    if (second != nullptr) width = std::max(width, base::display_width(headline(*second)));
    print_headline(*first, width);
    if (arguments.has("--time")) print_times(*first);
    if (second != nullptr) {
      print_headline(*second, width);
      if (arguments.has("--time")) print_times(*second);
      print_comparison(comparison);
    }
    if (second == nullptr || arguments.has("--print")) QUERN_TRY(print_buffers(*first, arguments));
    QUERN_TRY(save(*first, arguments));
  }
  return clean ? kOk : kFailed;
}

Outcome run_command(const Arguments& arguments) {
  if (arguments.operands().empty()) return fail(kUsage, message::kRunNeedsFile());
  auto code = run(arguments);
  if (code.ok()) return *code;
  const ErrorKind kind = code.error().kind();
  return fail(kind == ErrorKind::invalid_use    ? kUsage
              : kind == ErrorKind::kernel_fault ? kFailed  // an error was found
                                                : kBadInput,
              code.error());
}

}  // namespace

constinit const Command kRunCommand = {"run", "run a kernel with arguments from the command line", kHelp,
                                       kOptions, run_command};

}  // namespace quern::tool
