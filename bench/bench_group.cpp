// The division of work that a group measures, compared with the best one that a search finds:
// bench_group [DEVICE DEVICE]   (default: cpu and opencl)
//
// The search runs the work with the shares 0, 1/8, … 1 of the first device. Times are medians of interleaved
// runs. Then the measured division and the best one are compared in the same way. Results are checked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "quern/group.hpp"
#include "quern/quern.hpp"

namespace {

using namespace quern;  // NOLINT(google-build-using-namespace)
using base::format;

constexpr std::uint64_t kPoints = std::uint64_t{1} << 15;
constexpr int kShares = 8, kRounds = 5, kFinalRounds = 21;

// Divisions of integers have no vector instructions, so that software devices have similar speeds.
constexpr const char* kText = R"(
__global__ void orbit(int n, const unsigned* x, unsigned* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  for (int k = 0; k < 200; ++k) v = (v * 48271u + 11u) % (1000003u + (v & 15u));
  y[i] = v;
})";

unsigned orbit_on_host(unsigned v) {
  for (int k = 0; k < 200; ++k) v = (v * 48271U + 11U) % (1000003U + (v & 15U));
  return v;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The work with one division.
class Run {
 public:
  Run(DeviceGroup group, const GroupKernel& kernel, const std::vector<unsigned>& from)
      : group_(std::move(group)), kernel_(kernel), x_(group_, kPoints), y_(group_, kPoints) {
    x_.scatter(from);
    run();  // compiles
  }
  const DeviceGroup& group() const { return group_; }
  double run() {
    const auto start = std::chrono::steady_clock::now();
    group_.launch(kernel_, over(kPoints), part::count, x_, y_);
    group_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  bool is_right(const std::vector<unsigned>& wanted) const { return y_.gather() == wanted; }

 private:
  DeviceGroup group_;
  GroupKernel kernel_;
  Distributed<unsigned> x_, y_;
};

std::vector<double> medians(std::vector<Run>& runs, int rounds) {
  std::vector<std::vector<double>> seconds(runs.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) seconds[i].push_back(runs[i].run());
  }
  std::vector<double> out;
  for (const std::vector<double>& s : seconds) out.push_back(median(s));
  return out;
}

DeviceGroup measured(const DeviceGroup& group, const GroupKernel& kernel, const std::vector<unsigned>& from) {
  std::vector<Buffer<unsigned>> in, out;
  for (std::size_t i = 0; i < group.size(); ++i) {
    in.push_back(group.device(i).upload(from));
    out.push_back(group.device(i).allocate<unsigned>(kPoints));
  }
  return group.measured(kPoints, [&](std::size_t member, IndexRange range) {
    group.stream(member).launch(kernel.on(member), threads(range.size()), range.size(),
                                in[member].slice(range.begin, range.size()),
                                out[member].slice(range.begin, range.size()));
  });
}

int compare(const DeviceGroup& group) {
  const GroupKernel kernel = group.compile(kText).kernel("orbit");
  std::vector<unsigned> from(kPoints), wanted(kPoints);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned>(i % 1000);
  std::transform(from.begin(), from.end(), wanted.begin(), orbit_on_host);

  std::vector<Run> runs;
  for (int share = 0; share <= kShares; ++share)
    runs.emplace_back(group.with_weights({1.0 * share, 1.0 * (kShares - share)}), kernel, from);
  const std::vector<double> times = medians(runs, kRounds);
  base::Table table{{{"share of " + group.name(0)}, {"time", base::Align::kRight}}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    table.add_row({format("%.3f", runs[i].group().weights()[0]), format("%.2f ms", times[i] * 1e3)});
  std::printf("%s", table.to_string().c_str());

  const auto best = static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
  const auto begin = std::chrono::steady_clock::now();
  const DeviceGroup chosen = measured(group, kernel, from);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<Run> last;
  last.emplace_back(runs[best].group(), kernel, from);
  last.emplace_back(chosen, kernel, from);
  const std::vector<double> end = medians(last, kFinalRounds);
  std::printf("best share found by search: %.3f, %.2f ms\n", last[0].group().weights()[0], end[0] * 1e3);
  std::printf("share chosen by measured(): %.3f, %.2f ms (the choice took %.2f s)\n", chosen.weights()[0],
              end[1] * 1e3, took);
  std::printf("ratio: %.2f (goal: at most 1.10)\n", end[1] / end[0]);
  for (const std::vector<Run>* const list : {&runs, &last}) {
    for (const Run& run : *list) {
      if (!run.is_right(wanted)) {
        std::printf("wrong result with the share %.3f\n", run.group().weights()[0]);
        return 1;
      }
    }
  }
  std::printf("all results are right\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string first = count > 2 ? words[1] : "cpu", second = count > 2 ? words[2] : "opencl";
    return compare(DeviceGroup::open({first, second}));
  } catch (const Error& e) {
    std::printf("bench_group: %s\n", e.what());
    return 2;
  }
}
