// quern bench: throughput of operations on a device.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "device_bench.hpp"
#include "messages.hpp"
#include "ops_arguments.hpp"
#include "ops_bench/rows.hpp"
#include "output.hpp"
#include "quern/quern.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kBenchOptions[] = {
    {"--on", true}, {"--against", true}, {"--only", true}, {"--type", true}, {"--shape", true},
    {"--variants"}, {"--plot", true},    {"--quick"},      {"--json"},       {"--help"},
    {"-h"}};

constexpr std::string_view kBenchHelp =
    R"(usage: quern bench ops [--on DEVICE] [--against vendor] [--only OPERATION] [--type TYPE] [--shape SHAPE]
                       [--variants] [--quick] [--plot FILE.svg] [--json]

Measures operations of the library <quern/ops.hpp> on a device: median times of interleaved rounds, with the data on the
device. Every result is compared with one that the host computes: all elements, or samples of products, transforms and
rows. On GPUs, the time is that of the device's work, without that of submitting it. In products of 8-bit elements, the
second matrix is stored by column. Products that would take longer than 0.5 s are left out.

The share is that of the device's copy bandwidth (rows in GB/s) or of its multiply-add throughput in float (rows of f32
in GFLOP/s). Both are measured first.

  --on DEVICE         as for `quern run` (default: the best)
  --against vendor    also measures the vendor's library where there is one: cuBLAS and cuFFT on cuda, rocBLAS on hip,
                      OpenBLAS or BLIS on cpu. Other rows say why there is none. Ratio: its time divided by ours
  --only OPERATION    only these rows: matmul, fft, …; several are separated by commas
  --type TYPE         only these types: f16,tf32
  --shape SHAPE       only these shapes: 1024x1024x1024
  --variants          a row for each variant of the operations that `quern tune` knows
  --quick             tiny shapes: a check of the results, not of the speed
  --plot FILE.svg     also draws the shares, and those of the vendor's library
  --json              machine-readable output: times in seconds

examples:
  quern bench ops --on cpu --against vendor
  quern bench ops --on gpu --json --plot ops.svg
  quern bench ops --on cuda --against vendor --only matmul --type f16 --variants

exit code: 0; 1: a result is wrong; 2: the command line is invalid; 3: the device or the file cannot be used
)";

struct BenchReport {
  std::string device, driver;
  BenchPeaks peaks;
  std::vector<BenchRow> rows;
  bool has_vendor = false;
};

void print_json(const BenchReport& report) {
  base::JsonWriter json(2);
  json.begin_object().member("device", report.device).member("driver", report.driver);
  json.member("copy_gigabytes_per_second", report.peaks.gigabytes);
  json.member("multiply_add_gigaflops", report.peaks.gigaflops).key("rows").begin_array();
  for (const BenchRow& r : report.rows) {
    json.begin_object().member("operation", r.operation).member("type", r.type).member("shape", r.shape);
    if (!r.variant.empty()) json.member("variant", r.variant);
    json.member("kernel", r.kernel).member("correct", r.wrong.empty());
    if (r.wrong.empty()) {
      json.member("seconds", r.seconds).member("rate", r.rate()).member("unit", r.unit());
      if (r.share > 0) json.member("share", r.share);
    } else {
      json.member("wrong", r.wrong);
    }
    if (report.has_vendor && r.is_compared()) {
      json.member("vendor", r.vendor).member("vendor_seconds", r.vendor_seconds);
      json.member("vendor_rate", r.work / r.vendor_seconds * 1e-9);
      if (r.vendor_share > 0) json.member("vendor_share", r.vendor_share);
      json.member("ratio", r.vendor_seconds / r.seconds);
    } else if (report.has_vendor) {
      json.key("vendor").value(nullptr).member("no_vendor", r.vendor);
    }
    json.end_object();
  }
  json.end_array().end_object();
  std::fputs(json.take().c_str(), stdout);
}

// Without namespaces: "matmul_tiles<float, …>".
std::string short_kernel(const std::string& kernel) {
  constexpr std::string_view kNamespace = "quern_ops::";
  return kernel.starts_with(kNamespace) ? kernel.substr(kNamespace.size()) : kernel;
}

std::string share_text(double share) { return share > 0 ? base::format("%.0f %%", share * 100) : "–"; }

// The kernel that ran, and with what it was compared.
std::string remark_of(const BenchReport& report, const BenchRow& r) {
  if (!r.wrong.empty()) return r.variant + (r.variant.empty() ? "" : ": ") + r.wrong;
  const std::string own = !r.variant.empty() ? r.variant : short_kernel(r.kernel);
  return report.has_vendor ? own + "; " + r.vendor : own;
}

void print_table(const BenchReport& report) {
  std::printf("%s (%s): copies %.1f GB/s, float multiply-add %.1f GFLOP/s\n", report.device.c_str(),
              report.driver.c_str(), report.peaks.gigabytes, report.peaks.gigaflops);
  std::vector<base::Column> columns{{"operation"},
                                    {"type"},
                                    {"shape"},
                                    {"time", base::Align::kRight},
                                    {"rate", base::Align::kRight},
                                    {"share", base::Align::kRight}};
  if (report.has_vendor) {
    for (const char* const name : {"vendor time", "vendor share", "ratio"})
      columns.push_back({name, base::Align::kRight});
  }
  columns.push_back({"", base::Align::kLeft, 110});
  base::Table table(columns);
  for (const BenchRow& r : report.rows) {
    std::vector<base::Cell> cells{r.operation, r.type, r.shape};
    if (r.wrong.empty()) {
      cells.emplace_back(base::format_duration(r.seconds));
      cells.emplace_back(base::format("%.2f %s", r.rate(), r.unit()));
      cells.emplace_back(share_text(r.share));
    } else {
      cells.insert(cells.end(), {"–", "–", base::Cell("wrong", base::Style::kRed)});
    }
    if (report.has_vendor) {
      cells.emplace_back(r.is_compared() ? base::format_duration(r.vendor_seconds) : "–");
      cells.emplace_back(share_text(r.vendor_share));
      cells.emplace_back(r.is_compared() ? base::format("%.2f", r.vendor_seconds / r.seconds) : "–");
    }
    cells.emplace_back(remark_of(report, r));
    table.add_row(std::move(cells));
  }
  std::fputs(table.to_string(base::wants_colour(stdout)).c_str(), stdout);
}

BenchPeaks peaks_of(const Device& device) {
  const std::string options = device.driver() == "cpu" ? ",effort=full" : "";
  const auto measured = bench(device.info().id() + options);
  if (!measured.ok()) return {};
  return {measured->gigabytes, measured->gigaflops};
}

BenchSize size_of(const Device& device, bool is_quick) {
  const DeviceKind kind = device.info().kind;
  if (is_quick || kind == DeviceKind::simulated) return BenchSize::kTiny;
  const bool is_gpu = kind == DeviceKind::discrete || kind == DeviceKind::integrated;
  return is_gpu ? BenchSize::kGpu : BenchSize::kHost;
}

// OpenBLAS takes its slowest kernels for processors that are newer than the library, and the comparison would
// flatter ours. The user's variable has priority.
void select_blas_kernels() {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!has_avx2) return;
  ::setenv("OPENBLAS_CORETYPE", has_avx512 ? "SkylakeX" : "Haswell", 0);
#endif
}

// Words separated by commas; none without the option.
std::vector<std::string> list_of(const Arguments& arguments, const char* option) {
  std::vector<std::string> out;
  if (const auto text = arguments.value(option)) {
    for (const std::string_view word : base::split(*text, ',')) out.emplace_back(word);
  }
  return out;
}

Outcome bench_operations(const Device& device, const Arguments& arguments) {
  BenchReport report;
  report.device = device.name();
  report.driver = device.driver();
  report.has_vendor = arguments.has("--against");
  report.peaks = peaks_of(device);
  {
    base::ProgressOptions options = base::default_progress_options(stderr);
    options.control = control_stream(stderr);
    base::Progress progress("bench", 0, "rows", options);
    if (report.has_vendor) select_blas_kernels();
    const BenchRequest request{list_of(arguments, "--only"), list_of(arguments, "--type"),
                               list_of(arguments, "--shape"), report.has_vendor, arguments.has("--variants")};
    report.rows = measure_operations(device, size_of(device, arguments.has("--quick")), report.peaks, request,
                                     [&](const std::string& row) {
                                       progress.set_detail(row);
                                       progress.advance();
                                     });
  }
  if (arguments.has("--json")) {
    print_json(report);
  } else {
    print_table(report);
  }
  if (const auto path = arguments.value("--plot")) {
    const std::string title = "Operations on " + report.device + " (" + report.driver + ")";
    if (auto written = base::write_file(*path, bench_plot(title, report.rows)); !written.ok())
      return fail(kBadInput, written.error());
  }
  for (const BenchRow& r : report.rows) {
    if (!r.wrong.empty()) return kFailed;
  }
  return kOk;
}

Outcome run_bench(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  if (words.empty()) return fail(kUsage, message::kBenchNeedsOps());
  if (words[0] != "ops") return fail(kUsage, message::kUnknownSubcommand(words[0], "ops"));
  if (words.size() > 1)
    return fail(kUsage, message::kUnexpectedArgument(words[1], "`quern bench ops` takes options only"));
  if (const auto against = arguments.value("--against"); against && *against != "vendor")
    return fail(kUsage, message::kInvalidValue(*against, "--against", "vendor"));
  return with_device(arguments.value("--on").value_or(""),
                     [&](const Device& device) { return bench_operations(device, arguments); });
}

}  // namespace

constinit const Command kBenchCommand = {"bench", "measure the throughput of operations on a device",
                                         kBenchHelp, kBenchOptions, run_bench};

}  // namespace quern::tool
