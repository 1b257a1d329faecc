// Profiles of programs, on every available device.
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.hpp"
#include "profile/trace_check.hpp"
#include "quern/quern.hpp"
#include "support/devices.hpp"

namespace quern::test {

namespace {

constexpr const char* kSource = R"(
__global__ void scale(int n, float a, float* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] * a; }
__global__ void add(int n, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + y[i]; }
)";
constexpr int kCount = 4096;

std::string trace_path(const std::string& name) {
  return (std::filesystem::temp_directory_path() /
          ("quern-" + name + "-" + std::to_string(::getpid()) + ".json"))
      .string();
}

CheckedTrace checked_file(const std::string& path) {
  const auto text = base::read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  std::filesystem::remove(path);
  return check_trace(text.ok() ? *text : std::string());
}

void expect_no_violations(const CheckedTrace& trace) {
  for (const std::string& v : trace.violations) ADD_FAILURE() << v;
}

const ProfileRow* find(const std::vector<ProfileRow>& rows, const std::string& name) {
  for (const ProfileRow& r : rows) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

class Profiled : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string why = why_not(GetParam(), {});
    if (!why.empty()) GTEST_SKIP() << why;
    device_ = open(GetParam());
  }
  void work() {
    const ProfileRange all("all");
    const Module module = device_.compile(kSource);
    const Kernel scale = module.kernel("scale"), add = module.kernel("add");
    const std::vector<float> ones(kCount, 1.0F);
    auto x = device_.upload(ones), y = device_.upload(ones);
    {
      const ProfileRange loop("loop");
      for (int i = 0; i < 10; ++i) device_.launch(scale, threads(kCount), kCount, 2.0F, x);
    }
    const Stream other = device_.create_stream();
    device_.synchronize();
    for (int i = 0; i < 5; ++i) {
      other.launch(add, threads(kCount), kCount, x, y);
      device_.launch(scale, threads(kCount), kCount, 0.5F, x);
      device_.synchronize();
    }
    device_.stream().fill(y.slice(0, 100), 3.0F);
    device_.stream().copy(y.slice(0, 1000), x.slice(0, 1000));
    EXPECT_EQ(x.download()[7], 32.0F);
  }
  Device device_;
};

TEST_P(Profiled, ItsTraceKeepsTheRules) {
  ::setenv("QUERN_PROFILE_ALL", "1", 1);
  device_ = open(GetParam());
  const std::string path = trace_path(GetParam());
  start_profile(path);
  work();
  const std::vector<ProfileRow> rows = stop_profile();
  ::unsetenv("QUERN_PROFILE_ALL");
  const CheckedTrace trace = checked_file(path);
  expect_no_violations(trace);
  EXPECT_EQ(trace.slices("kernel").size(), 20u);
  EXPECT_EQ(trace.slices("range").size(), 2u);
  EXPECT_GE(trace.flows, 25u);
  EXPECT_EQ(profile_dropped(), 0u);
  const ProfileRow* scale = find(rows, "scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->calls, 15u);
  EXPECT_EQ(scale->bytes, 15u * kCount * 4);
  EXPECT_GT(scale->total, 0);
  EXPECT_LE(scale->min, scale->mean);
  EXPECT_LE(scale->mean, scale->max);
  ASSERT_NE(find(rows, "upload"), nullptr);
  EXPECT_EQ(find(rows, "upload")->bytes, 2u * kCount * 4);
  ASSERT_NE(find(rows, "copy"), nullptr);
  EXPECT_EQ(find(rows, "copy")->bytes, 2u * 1000 * 4);  // read and written
  double shares = 0;
  for (const ProfileRow& r : rows) shares += r.share;
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST_P(Profiled, GraphsAreSeen) {
  const Module module = device_.compile(kSource);
  const Kernel scale = module.kernel("scale");
  auto x = device_.upload(std::vector<float>(kCount, 1.0F));
  const Graph graph = device_.record([&](const Stream& s) {
    for (int i = 0; i < 3; ++i) s.launch(scale, threads(kCount), kCount, 2.0F, x);
  });
  const std::string path = trace_path(std::string("graph-") + GetParam());
  start_profile(path);
  for (int i = 0; i < 4; ++i) device_.stream().run(graph);
  device_.synchronize();
  const std::vector<ProfileRow> rows = stop_profile();
  expect_no_violations(checked_file(path));
  const ProfileRow* row = find(rows, graph.is_native() ? "graph of 3 commands" : "scale");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->calls, graph.is_native() ? 4u : 12u);
  EXPECT_EQ(x.download()[1], 4096.0F);
}

// If times come from events, which cost as much as a short command, most short commands are not measured:
// they get the mean, and are still counted.
TEST_P(Profiled, ShortCommandsAreSampled) {
  const Kernel scale = device_.compile(kSource).kernel("scale");
  auto x = device_.upload(std::vector<float>(1, 1.0F));
  const std::string path = trace_path(std::string("short-") + GetParam());
  start_profile(path);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100; ++i) device_.launch(scale, grid(1, 1), 1, 1.0F, x);
    device_.synchronize();
    (void)profile_rows();  // completed commands are processed
  }
  const std::vector<ProfileRow> rows = stop_profile();
  const CheckedTrace trace = checked_file(path);
  expect_no_violations(trace);
  const ProfileRow* row = find(rows, "scale");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->calls + profile_dropped(), 1000u);
  EXPECT_LE(row->min, row->max);
  const auto kernels = trace.slices("kernel");
  const auto unmeasured = std::count_if(kernels.begin(), kernels.end(), [](const base::JsonValue* k) {
    const base::JsonValue* const args = k->find("args");
    return args != nullptr && args->text_of("clock") == "mean";
  });
  const std::string_view driver = GetParam();
  const bool has_events = is_foreign(driver) && device_.info().has(Feature::timestamps);
  std::printf("%td of %zu are not measured; %.2f us, %.2f to %.2f us\n", unmeasured, kernels.size(),
              row->mean * 1e6, row->min * 1e6, row->max * 1e6);
  EXPECT_TRUE(has_events || unmeasured == 0);
  EXPECT_TRUE(!has_events || row->mean > 20e-6 || unmeasured > 500);
}

INSTANTIATE_TEST_SUITE_P(All, Profiled, testing::ValuesIn(each_driver({"std.gpu"})), device_name);

TEST(Profile, StartsAgain) {
  const Device device = open("sim");
  const Kernel scale = device.compile(kSource).kernel("scale");
  auto x = device.upload(std::vector<float>(kCount, 1.0F));
  for (int round = 1; round < 4; ++round) {
    start_profile();
    for (int i = 0; i < round; ++i) device.launch(scale, threads(kCount), kCount, 2.0F, x);
    device.synchronize();
    const std::vector<ProfileRow> rows = stop_profile();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].calls, static_cast<uint64_t>(round));
  }
  device.launch(scale, threads(kCount), kCount, 2.0F, x);
  device.synchronize();
  EXPECT_EQ(profile_rows()[0].calls, 3u);  // completed
}

TEST(Profile, ThreadsTakeTurns) {
  const Device device = open("sim");
  const Module module = device.compile(kSource);
  const Kernel scale = module.kernel("scale");
  const std::string path = trace_path("threads");
  start_profile(path);
  std::vector<std::thread> threads_;
  for (int t = 0; t < 4; ++t) {
    threads_.emplace_back([&] {
      const Stream stream = device.create_stream();
      auto x = device.upload(std::vector<float>(64, 1.0F));
      for (int i = 0; i < 200; ++i) {
        const ProfileRange range("step");
        stream.launch(scale, threads(64), 64, 1.5F, x);
      }
      stream.synchronize();
    });
  }
  for (std::thread& t : threads_) t.join();
  const std::vector<ProfileRow> rows = stop_profile();
  const CheckedTrace trace = checked_file(path);
  expect_no_violations(trace);
  EXPECT_EQ(find(rows, "scale")->calls, 800u);
  EXPECT_EQ(trace.slices("range").size(), 800u);
}

long most_resident_mib() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

// Unwritten data is bounded, and nothing is lost without being counted.
TEST(Profile, AFloodOfLaunchesStaysBounded) {
  constexpr uint64_t kLaunches = 300'000;
  Device device;
  try {
    device = open("cpu");
  } catch (const Error& e) {
    GTEST_SKIP() << e.message();
  }
  const Kernel scale = device.compile(kSource).kernel("scale");
  auto x = device.upload(std::vector<float>(1, 1.0F));
  const long before = most_resident_mib();
  const std::string path = trace_path("flood");
  start_profile(path);
  for (uint64_t i = 0; i < kLaunches; ++i) device.launch(scale, grid(1, 1), 1, 1.0F, x);
  device.synchronize();
  const std::vector<ProfileRow> rows = stop_profile();
  std::filesystem::remove(path);
  EXPECT_EQ(find(rows, "scale")->calls + profile_dropped(), kLaunches);
  EXPECT_LT(most_resident_mib() - before, 80);  // 125 MB of text were processed
}

TEST(Profile, AFileThatCannotBeWrittenIsAnError) {
  try {
    start_profile("/nowhere/at/all.json");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
    EXPECT_EQ(e.message(), "cannot write the trace '/nowhere/at/all.json': No such file or directory");
  }
}

TEST(Profile, TwoConcurrentTracesAreRefused) {
  const std::string path = trace_path("twice");
  {
    const Profile profile(path);
    EXPECT_THROW(start_profile(trace_path("other")), Error);
  }
  Profile again(path);  // the first one ended with its scope
  (void)again.stop();
  std::filesystem::remove(path);
}

TEST(ProfileEnd, ExitWithAnOpenDeviceLeavesAWholeTrace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = (std::filesystem::temp_directory_path() / "quern-exit.json").string();
  EXPECT_EXIT(
      {
        start_profile(path);
        static const Device kDevice = open("sim");
        static auto x = kDevice.upload(std::vector<float>(kCount, 1.0F));
        static const Kernel kScale = kDevice.compile(kSource).kernel("scale");
        kDevice.launch(kScale, threads(kCount), kCount, 2.0F, x);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  const CheckedTrace trace = checked_file(path);
  expect_no_violations(trace);
  EXPECT_EQ(trace.slices("kernel").size(), 1u);
}

TEST(ProfileEnd, AfterACrashWhatCameBeforeIsThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = (std::filesystem::temp_directory_path() / "quern-crash.json").string();
  EXPECT_EXIT(
      {
        start_profile(path);
        const Device device = open("sim");
        auto x = device.upload(std::vector<float>(kCount, 1.0F));
        const Kernel scale = device.compile(kSource).kernel("scale");
        device.launch(scale, threads(kCount), kCount, 2.0F, x);
        device.synchronize();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ::_exit(4);
      },
      testing::ExitedWithCode(4), "");
  auto text = base::read_file(path);
  ASSERT_TRUE(text.ok());
  std::filesystem::remove(path);
  ASSERT_TRUE(text->ends_with("},\n"));  // complete lines; the format allows a missing end
  text->replace(text->size() - 2, 2, "]");
  const CheckedTrace trace = check_trace(*text);
  expect_no_violations(trace);
  EXPECT_EQ(trace.slices("kernel").size(), 1u);
}

}  // namespace

}  // namespace quern::test
