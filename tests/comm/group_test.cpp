// Device groups: splits, launches, errors and lost members.
#include <cmath>
#include <numeric>

#include <stdlib.h>

#include "comm/exercise.hpp"
#include "comm/group_case.hpp"
#include "quern/inline.hpp"

QUERN_KERNEL(group_axpy, (int n, float a, const float* x, float* y), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})

namespace quern::test {
namespace {

using comm::error_of;

std::vector<std::uint64_t> sizes_of(const Split& split) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < split.size(); ++i) out.push_back(split[i].size());
  return out;
}
using Sizes = std::vector<std::uint64_t>;

TEST(GroupSplit, IsInProportionToTheWeights) {
  const auto sizes = [](std::uint64_t total, std::vector<double> weights) {
    return sizes_of(Split::by_weights(total, weights));
  };
  EXPECT_EQ(sizes(10, {1, 1}), (Sizes{5, 5}));
  EXPECT_EQ(sizes(10, {3, 0, 1}), (Sizes{8, 0, 2}));
  EXPECT_EQ(sizes(7, {0, 1, 0}), (Sizes{0, 7, 0}));
  EXPECT_EQ(sizes(0, {1, 2}), (Sizes{0, 0}));
  EXPECT_EQ(sizes(1, {1, 1, 1}), (Sizes{0, 1, 0}));
  for (std::uint64_t total = 0; total < 40; ++total) {
    const Split split = Split::by_weights(total, std::vector<double>{0.1, 0.2, 0.3, 0.7});
    EXPECT_EQ(split.total(), total);
    for (std::uint64_t at = 0; at < total; ++at) {
      const IndexRange range = split[split.owner(at)];
      EXPECT_TRUE(range.begin <= at && at < range.end);
    }
  }
  EXPECT_EQ(Split::by_sizes(Sizes{2, 0, 3})[2], (IndexRange{2, 5}));
  EXPECT_COMM_ERROR(invalid_use, "the weight of member 1 is -1", sizes(3, {1, -1}));
  EXPECT_COMM_ERROR(invalid_use, "the weight of member 0 is nan", sizes(3, {std::nan(""), 1}));
  EXPECT_COMM_ERROR(invalid_use, "the sum of the weights is not positive", sizes(3, {0, 0}));
}

TEST(GroupMembers, AreChecked) {
  const Device sim = quern::open("sim");
  EXPECT_COMM_ERROR(invalid_use, "the list of devices is empty", DeviceGroup(std::span<const Device>()));
  EXPECT_COMM_ERROR(invalid_use, "the device of member 1 is not open", DeviceGroup({sim, Device()}));
  const DeviceGroup group{sim, sim, quern::open("cpu")};
  EXPECT_TRUE(static_cast<bool>(group));
  EXPECT_EQ(group.size(), 3u);
  EXPECT_EQ(group.name(1), "sim:0");
  EXPECT_EQ(group.device(2).driver(), "cpu");
  EXPECT_EQ(group.route(0, 1), Route::local);
  EXPECT_EQ(group.route(0, 2), Route::host_memory);
  EXPECT_EQ(to_string(Route::host_memory), "host memory");
  EXPECT_EQ(group.weights(), std::vector<double>(3, 1.0 / 3));
  EXPECT_EQ(sizes_of(group.with_weights({1, 2, 1}).split(8)), (Sizes{2, 4, 2}));
  EXPECT_TRUE(group.has_same_members(group.with_weights({1, 2, 1})));
  EXPECT_EQ(group.without(1).size(), 2u);
  EXPECT_EQ(group.without(1).name(1), "cpu:0");
  EXPECT_TRUE(group.lost().empty());
  EXPECT_COMM_ERROR(invalid_use, "member 3 does not exist in a group of 3", group.stream(3));
  EXPECT_COMM_ERROR(invalid_use, "2 weights were given for 3 members", group.with_weights({1, 2}));
  EXPECT_COMM_ERROR(invalid_use, "no member with a weight remains", group.with_weights({0, 1, 0}).without(1));
  EXPECT_GE(DeviceGroup::all().size(), 1u);
}

TEST_P(GroupPairs, LaunchesOnParts) {
  for (const std::int64_t n : {0, 1, 5, 1000}) {
    Distributed<float> x(group, n), y(group, n);
    std::vector<float> from(static_cast<std::size_t>(n));
    std::iota(from.begin(), from.end(), 1.0f);
    x.scatter(from);
    y.fill(10);
    const Distributed<float>& read_only = x;
    const auto receipts =
        group.launch(group_axpy, over(static_cast<std::uint64_t>(n)), part::count, 2.0f, read_only, y);
    EXPECT_EQ(receipts.size(), group.size());
    group.launch(group_axpy, over(static_cast<std::uint64_t>(n)).block(64), part::count, 1.0f, x, y);
    for (float& v : from) v = 10 + 3 * v;
    EXPECT_EQ(y.gather(), from) << n;
  }
}

TEST_P(GroupPairs, KernelsGetTheirPositions) {
  if (is_slow()) return;
  const GroupModule module = group.compile(
      "__global__ void where(long long begin, int end, int count, unsigned total, int member, int* out) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) out[i] = (int)begin + i + 1000 * member + (end - (int)begin - count) + (int)total;\n"
      "}\n"
      "__global__ void rows(int rows, int columns, int first, int* out) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (x < columns && y < rows) out[y * columns + x] = (first + y) * 100 + x;\n"
      "}\n");
  Distributed<int> out(group, 101);
  group.launch(module.kernel("where"), over(101), part::begin, part::end, part::count, part::total,
               part::member, out);
  std::vector<int> wanted(101);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = static_cast<int>(i + 101 + 1000 * out.split().owner(i));
  EXPECT_EQ(out.gather(), wanted);
  EXPECT_EQ(module.kernel("rows").name(), "rows");
  EXPECT_EQ(module.kernel("rows").size(), group.size());

  for (const Dim3& block : {Dim3{0, 0, 0}, Dim3{8, 4}}) {
    Distributed<int> grid(group, {13, 17});
    group.launch(module.kernel("rows"), over(13).by(17).block(block), part::count, 17, part::begin, grid);
    const std::vector<int> values = grid.gather();
    for (int y = 0; y < 13; ++y) {
      for (int x = 0; x < 17; ++x) EXPECT_EQ(values[static_cast<std::size_t>(y * 17 + x)], y * 100 + x);
    }
  }
}

TEST(GroupLaunch, ChecksArrays) {
  const Device sim = quern::open("sim");
  const DeviceGroup group{sim, sim}, other{sim, sim};
  Distributed<float> x(group, 10), y(group.with_weights({1, 4}), 10), z(other, 10);
  EXPECT_COMM_ERROR(invalid_use, "argument 3 is divided as 2 + 8, and the launch as 5 + 5",
                    group.launch(group_axpy, over(10), part::count, 1.0f, x, y));
  EXPECT_COMM_ERROR(invalid_use, "argument 2 is an array of another group",
                    group.launch(group_axpy, over(10), part::count, 1.0f, z, x));
  EXPECT_COMM_ERROR(invalid_use, "argument 2 is divided as 5 + 5, and the launch as 6 + 6",
                    group.launch(group_axpy, over(12), part::count, 1.0f, x, x));
  EXPECT_COMM_ERROR(invalid_use, "member 0 does not exist in a kernel of 0 members",
                    group.launch(GroupKernel(), over(10), x));
}

// An error names the member and the operation, and the others have done their work.
TEST(GroupErrors, NameTheMember) {
  const DeviceGroup group{quern::open("cpu"), quern::open("sim")};
  const GroupModule module = group.compile(
      "__global__ void bad(int member, int* x) { x[threadIdx.x + (member == 1 ? 1000 : 0)] = 7; }");
  Distributed<int> x(group, 8);
  x.fill(1);
  group.launch(module.kernel("bad"), over(8).block(4), part::member, x);
  try {
    group.synchronize();
    FAIL() << "nothing is thrown";
  } catch (const GroupError& error) {
    EXPECT_EQ(error.member(), 1u);
    EXPECT_EQ(error.kind(), ErrorKind::kernel_fault);
    EXPECT_EQ(error.message().find("DeviceGroup::synchronize failed on member 1 (sim:0) after the launch of "
                                   "'bad': "),
              0u)
        << error.message();
  }
  EXPECT_TRUE(group.lost().empty());
  group.synchronize();
  EXPECT_EQ(x.local(0).download(), std::vector<int>(4, 7));
  EXPECT_COMM_ERROR(compile, "DeviceGroup::compile failed on member 0 (cpu:0): ",
                    group.compile("__global__ void k() { what }").kernel("k"));
}

// The first device that is opened while it exists.
class GroupFaults {
 public:
  explicit GroupFaults(const char* plan) { ::setenv("QUERN_FAULTS", plan, 1); }
  ~GroupFaults() { ::unsetenv("QUERN_FAULTS"); }
  GroupFaults(const GroupFaults&) = delete;
  GroupFaults& operator=(const GroupFaults&) = delete;
};

Device faulty(const char* plan) {
  const GroupFaults faults(plan);
  return quern::open("sim");
}

TEST(GroupLosses, TheGroupContinuesWithoutTheMember) {
  const DeviceGroup group{quern::open("cpu"), faulty("launch:1=lost"), quern::open("sim")};
  std::vector<float> from(100);
  std::iota(from.begin(), from.end(), 0.0f);
  Distributed<float> x(group, 100, {.host_backed = true}), y(group, 100);
  x.scatter(from);
  y.scatter(from);
  group.launch(group_axpy, over(100), part::count, 1.0f, y, x);
  group.synchronize();
  x.backup();  // 2i
  try {
    group.launch(group_axpy, over(100), part::count, 1.0f, y, x);
    group.synchronize();
    FAIL() << "nothing is thrown";
  } catch (const GroupError& error) {
    EXPECT_EQ(error.member(), 1u);
    EXPECT_EQ(error.kind(), ErrorKind::device_lost);
    EXPECT_NE(error.message().find("failed on member 1 (sim:0)"), std::string::npos) << error.message();
  }
  EXPECT_EQ(group.lost(), std::vector<std::size_t>{1});
  group.stream(0).synchronize();
  group.stream(2).synchronize();

  const DeviceGroup rest = group.without(1);
  EXPECT_TRUE(rest.lost().empty());
  const std::vector<IndexRange> old = x.redistribute(rest);
  EXPECT_EQ(x.split().size(), 2u);
  // The new parts begin within the lost part: it is restored in two pieces.
  std::vector<float> wanted(100);
  for (std::size_t i = 0; i < 100; ++i) wanted[i] = 3 * from[i];
  std::uint64_t restored = 0;
  for (const IndexRange& range : old) {
    restored += range.size();
    for (std::uint64_t i = range.begin; i < range.end; ++i) wanted[i] = 2 * from[i];
  }
  EXPECT_EQ(restored, group.split(100)[1].size());
  EXPECT_EQ(x.gather(), wanted);
  rest.launch(group_axpy, over(100), part::count, 1.0f, x, x);
  for (float& v : wanted) v *= 2;
  EXPECT_EQ(x.gather(), wanted);
  x.restore();
  for (std::size_t i = 0; i < 100; ++i) wanted[i] = 2 * from[i];
  EXPECT_EQ(x.gather(), wanted);

  const Split before = y.split();
  EXPECT_COMM_ERROR(device_lost, "rows 33 to 50 are lost with their device", y.redistribute(rest));
  EXPECT_EQ(y.split(), before);
}

// A loss at any call is an error of that member, and the data of the others remain.
TEST(GroupLosses, AtAnyCall) {
  int losses = 0;
  for (int call = 0; call < 80; ++call) {
    SCOPED_TRACE(call);
    const std::string plan = "any:" + std::to_string(call) + "=lost";
    std::vector<int> from(50);
    std::iota(from.begin(), from.end(), 0);
    std::optional<Device> bad;
    try {
      bad = faulty(plan.c_str());
    } catch (const Error&) {
      continue;  // lost while it was opened
    }
    std::optional<DeviceGroup> group;
    try {
      group.emplace(DeviceGroup{quern::open("cpu"), *bad});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device_lost);
      continue;
    }
    Distributed<int> x;
    try {
      x = Distributed<int>(*group, 50, {.halo = 1, .host_backed = true});
      x.scatter(from);
      x.exchange_halos();
      EXPECT_EQ(distributed::sum(x), 50 * 49 / 2);
      EXPECT_EQ(x.gather(), from);
      distributed::run(ops::Stencil({}, "[](auto u) { return u(-1) + u(1); }"), 2, x);
      group->synchronize();
      x.restore();
      EXPECT_EQ(x.gather(), from);
    } catch (const GroupError& error) {
      ++losses;
      EXPECT_EQ(error.member(), 1u) << error.what();
      EXPECT_EQ(error.kind(), ErrorKind::device_lost) << error.what();
      EXPECT_EQ(group->lost(), std::vector<std::size_t>{1});
      const DeviceGroup rest = group->without(1);
      try {
        if (x.is_open()) {
          x.redistribute(rest);
          x.restore();
        }
      } catch (const Error& lost) {  // lost before scatter()
        EXPECT_TRUE(lost.kind() == ErrorKind::device_lost || lost.kind() == ErrorKind::invalid_use);
        continue;
      }
      if (x.is_open()) {
        EXPECT_EQ(x.gather(), from);
      }
    }
  }
  EXPECT_GT(losses, 5);
}

TEST(GroupMeasured, TheSlowMemberGetsLittle) {
  const DeviceGroup group{quern::open("cpu"), quern::open("sim")};
  const GroupModule module = group.compile(
      "__global__ void spin(int n, float* x) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  float v = x[i];\n"
      "  for (int k = 0; k < 50; ++k) v = v * 0.5f + 1.0f;\n"
      "  x[i] = v;\n"
      "}");
  constexpr std::uint64_t kTotal = 2000;
  std::vector<Buffer<float>> scratch;
  for (std::size_t i = 0; i < group.size(); ++i) {
    scratch.push_back(group.device(i).allocate<float>(kTotal));
    scratch.back().fill(1);
  }
  const GroupKernel spin = module.kernel("spin");
  const auto work = [&](std::size_t member, IndexRange range) {
    group.stream(member).launch(spin.on(member), threads(range.size()), static_cast<int>(range.size()),
                                scratch[member]);
  };
  const DeviceGroup chosen = group.measured(kTotal, work, {.rounds = 3});
  EXPECT_TRUE(chosen.has_same_members(group));
  EXPECT_GT(chosen.weights()[0], chosen.weights()[1]);
  EXPECT_EQ(group.measured(0, work).weights(), group.weights());
  EXPECT_COMM_ERROR(invalid_use, "the number of rounds is 0", group.measured(10, work, {.rounds = 0}));
}

}  // namespace
}  // namespace quern::test
