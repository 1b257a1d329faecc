#include "ops_bench/bench.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "ops_arguments.hpp"
#include "quern/ops.hpp"

namespace quern::tool {

namespace {

constexpr int kRounds = 9, kRoundsOfVariant = 5;
constexpr double kMeasured = 2e-3;   // least seconds of a measurement
constexpr double kSecondsOfRow = 1;  // no further rounds after this
constexpr int kMostRepeats = 200;    // queues of drivers hold about 1000 launches

constexpr const char* kSpin = R"(
__global__ void spin(int rounds, float* out) {
  float a = *out;
  for (int i = 0; i < rounds; ++i) a = fmaf(a, 0.999f, 0.5f);
  *out = a;
}
)";

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// An empty list contains all.
bool contains(const std::vector<std::string>& list, const std::string& one) {
  return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
}

bool is_gpu(const Device& device) {
  const DeviceKind kind = device.info().kind;
  return kind == DeviceKind::discrete || kind == DeviceKind::integrated;
}

}  // namespace

std::string differs(std::size_t at, double got, double want) {
  return base::format("element %zu is %g, the host has %g", at, got, want);
}

BenchRow row_of(const char* operation, ops::Element element, const ops::Shape& shape, double work) {
  BenchRow row;
  row.operation = operation;
  row.type = ops::short_name_of(element);
  row.problem.element = element;
  row.shape = shape_text(shape);
  row.work = work;
  return row;
}

BenchClock::BenchClock(const Device& device) : device_(device), is_gpu_(is_gpu(device)) {
  if (!is_gpu_) return;
  spin_ = device.compile(kSpin, {.name = "bench"}).kernel("spin");
  out_ = device.allocate<float>(1);
  out_.fill(0);
  constexpr int kFew = 1 << 18;
  for (int i = 0; i < 2; ++i) {  // the first one compiles
    const Event begin = device.stream().record();
    device.launch(spin_, grid({1, 1, 1}, {1, 1, 1}), kFew, out_);
    rounds_per_second_ = kFew / std::max(device.stream().record().seconds_since(begin), 1e-6);
  }
}

void BenchClock::delay(double seconds) const {
  const int rounds = static_cast<int>(std::min(seconds * rounds_per_second_, 1e9));
  device_.launch(spin_, grid({1, 1, 1}, {1, 1, 1}), rounds, out_);
}

double BenchClock::measure(const BenchJob& job, int repeats) const {
  if (job.prepare) job.prepare();
  device_.synchronize();
  const auto run = [&] {
    for (int i = 0; i < repeats; ++i) job.run();
  };
  if (!is_gpu_) {
    return seconds_of([&] {
             run();
             device_.synchronize();
           }) /
           repeats;
  }
  double wait = 20e-6 * repeats;
  for (int attempt = 0;; ++attempt) {
    const Stream stream = device_.stream();
    delay(wait);
    const Event begin = stream.record();
    const double submitting = seconds_of(run);
    const bool is_covered = !begin.reached();
    const double seconds = stream.record().seconds_since(begin) / repeats;
    // Large work fills the queue: then the host waits, and the device does not.
    if (is_covered || submitting < seconds * repeats / 2 || attempt == 2 || job.prepare) return seconds;
    wait = 2 * submitting;
  }
}

bool Bench::wants(const BenchRow& row) const {
  return contains(request_.operations, row.operation) && contains(request_.types, row.type) &&
         contains(request_.shapes, row.shape);
}

bool Bench::wants_any(std::initializer_list<const char*> operations) const {
  return std::any_of(operations.begin(), operations.end(),
                     [&](const char* one) { return contains(request_.operations, one); });
}

void Bench::add(BenchRow row, const BenchJob& job) {
  if (!wants(row)) return;
  on_row_(row.operation + " " + row.type + " " + row.shape);
  std::optional<Variant> library;
  if (request_.compares) library = find_library(row, job);
  const bool has_variants = row.problem.shape.rank() != 0;
  if (request_.all_variants && has_variants) {
    for (const Variant& v : ops::find_tunable(row.operation)->variants(device_.info(), row.problem)) {
      BenchRow of_variant = row;
      of_variant.variant = v.to_string();
      measure(of_variant, job, library, &v);
      finish(std::move(of_variant));
    }
    return;
  }
  // Without a comparison, the choice of the tuner, which may be a library.
  const Variant own = library ? ops::variant_for(device_, row.operation, row.problem) : Variant();
  measure(row, job, library, library ? &own : nullptr);
  finish(std::move(row));
}

void Bench::finish(BenchRow row) {
  const double peak = !row.is_flops ? peaks_.gigabytes : row.type == "f32" ? peaks_.gigaflops : 0;
  if (peak > 0 && row.wrong.empty()) row.share = row.rate() / peak;
  if (peak > 0 && row.is_compared()) row.vendor_share = row.work / row.vendor_seconds * 1e-9 / peak;
  rows_.push_back(std::move(row));
}

// The first of the vendor's libraries that works and has the right result, as a variant. Sets the text about
// it.
std::optional<Variant> Bench::find_library(BenchRow& row, const BenchJob& job) const {
  row.vendor = "no vendor's library is known for this operation and device";
  std::string first_problem;
  for (const auto library : ops::vendor::candidates(device_.driver(), row.operation, row.problem.element,
                                                    row.problem.precision == ops::Precision::tf32)) {
    const Variant variant = ops::vendor::variant_of(library);
    const ops::VariantScope scope(row.operation, variant);
    std::string problem;
    try {
      row.vendor = job.run().kernel();
      device_.synchronize();
      problem = job.check();
      if (problem.empty()) return variant;
      problem = row.vendor + ": " + problem;
    } catch (const Error& e) {
      problem = e.message();
    }
    if (first_problem.empty()) first_problem = problem;
    row.vendor = first_problem;
  }
  return std::nullopt;
}

// Our kernels, of the variant `own` if there is one, and the library alternate.
void Bench::measure(BenchRow& row, const BenchJob& job, const std::optional<Variant>& library,
                    const Variant* own) const {
  std::optional<ops::VariantScope> scope;
  if (own != nullptr) scope.emplace(row.operation, *own);
  try {
    if (job.prepare) job.prepare();
    row.kernel = job.run().kernel();
    device_.synchronize();
    row.wrong = job.check();
  } catch (const Error& e) {
    if (row.variant.empty() || e.kind() == ErrorKind::device_lost) throw;
    row.wrong = e.message();  // others may run
  }
  if (!row.wrong.empty()) return;
  const auto repeats_of = [&](double seconds) {
    return job.prepare ? 1
                       : static_cast<int>(std::clamp(kMeasured / std::max(seconds, 1e-7), 1.0,
                                                     static_cast<double>(kMostRepeats)));
  };
  const auto run_library = [&](int repeats) {
    const ops::VariantScope inner(row.operation, *library);
    return clock_.measure(job, repeats);
  };
  const auto run_own = [&](int repeats) { return clock_.measure(job, repeats); };
  const auto quick = [](const auto& run) { return std::min(run(1), run(1)); };
  const int repeats = repeats_of(quick(run_own)),
            library_repeats = library ? repeats_of(quick(run_library)) : 0;
  std::vector<double> ours, theirs;
  const auto start = std::chrono::steady_clock::now();
  const int rounds = row.variant.empty() ? kRounds : kRoundsOfVariant;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(run_own(repeats));
    if (library) theirs.push_back(run_library(library_repeats));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (round >= 2 && spent.count() > kSecondsOfRow) break;
  }
  row.seconds = middle_of(ours);
  row.vendor_seconds = middle_of(theirs);
}

}  // namespace quern::tool
