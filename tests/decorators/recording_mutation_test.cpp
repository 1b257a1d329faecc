// Recordings with reordered, duplicated, deleted and changed records: in a replay, no object is destroyed
// while work in flight may use it. Only the order is changed for cpu, whose kernels are native code.
#include <random>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/temporary_folder.hpp"
#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/decorators/recording/device.hpp"
#include "driver/decorators/recording/replay.hpp"
#include "runtime/builtin_drivers.hpp"
#include "support/devices.hpp"
#include "support/recording_records.hpp"
#include "support/replay_program.hpp"
#include "support/runtime_case.hpp"

namespace quern::recording {
namespace {

constexpr const char* kSlowText = R"(
__device__ int runs;
__global__ void slow(int* values, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = values[i];
  for (int r = 0; r < rounds; ++r) x = x * 1664525 + 1013904223;
  values[i] = x;
  if (i == 0) atomicAdd(&runs, 1);
})";

// Buffers and streams that are destroyed right after long work.
runtime::Result<> run_slow(const std::shared_ptr<runtime::Device>& device, int rounds) {
  QUERN_TRY_ASSIGN(const auto program, runtime::Module::load(device, runtime::source(kSlowText)));
  QUERN_TRY_ASSIGN(const auto slow, program->kernel("slow"));
  for (int i = 0; i < 3; ++i) {
    QUERN_TRY_ASSIGN(const auto stream, runtime::Stream::create(*device, {}));
    QUERN_TRY_ASSIGN(const auto values, device->allocate(4096, driver::MemoryKind::device, ""));
    QUERN_TRY(stream->fill(runtime::all(*values), static_cast<uint64_t>(i), 4));
    QUERN_TRY(stream->launch(*slow, runtime::shape(8, 128),
                             std::vector{runtime::arg(values), runtime::arg(1024), runtime::arg(rounds)}));
    int first = 0;
    QUERN_TRY(stream->download(&first, {values.get(), 0, 4}, 4));
    QUERN_TRY(stream->synchronize());
  }
  return {};
}

std::unique_ptr<driver::Device> open_native(std::string_view name) {
  for (const runtime::BuiltinDriver& builtin : runtime::builtin_drivers()) {
    if (builtin.name != name || builtin.make == nullptr) continue;
    auto driver = builtin.make();
    if (!driver->start().ok()) return nullptr;
    auto device = driver->open(0, {});
    if (device.ok()) return std::move(*device);
  }
  return nullptr;
}

class RecordingMutation : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (open_native(GetParam()) == nullptr) GTEST_SKIP() << GetParam() << " cannot be opened here";
  }

  std::string record(
      const std::function<runtime::Result<>(const std::shared_ptr<runtime::Device>&)>& program) {
    const std::string path = folder / "calls.qrec";
    auto native = wrap(open_native(GetParam()), path);
    EXPECT_TRUE(native.ok());
    auto device = runtime::Device::adopt(std::move(*native));
    EXPECT_TRUE(device.ok());
    const auto done = program(*device);
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    device->reset();
    return base::read_file(path).value_or("");
  }

  bool is_simulated() const { return std::string_view(GetParam()) == "sim"; }

  // Returns the number of mutated recordings that were replayed to the end.
  int replay_mutations(const std::string& whole, uint32_t count) {
    int replayed = 0;
    auto native = open_native(GetParam());
    for (uint32_t seed = 1; seed <= count; ++seed) {
      std::minstd_rand random(seed);
      auto records = test::RecordingRecords::parse(whole);
      EXPECT_TRUE(records.has_value());
      std::string done;
      for (uint32_t n = 1 + random() % 4; n > 0; --n) {
        const auto kind = static_cast<uint32_t>(random());
        done += is_simulated() ? records->mutate(random) : records->change_order(kind, random(), random());
        done += "; ";
      }
      const auto recording = parse(records->to_file(), "mutated");
      if (!recording.ok()) continue;
      auto violations = std::make_shared<checked::Violations>();
      test::AddressUses uses(*native);
      auto strict = checked::wrap(uses, violations);
      replayed += replay(*recording, *strict).ok() ? 1 : 0;
      strict.reset();
      EXPECT_EQ(uses.violations(), 0u) << "seed " << seed << ": " << done;
      EXPECT_EQ(violations->count(), 0u) << "seed " << seed << ": " << done << "\n"
                                         << violations->sentences().front();
    }
    return replayed;
  }

  base::TemporaryFolder folder;
};

TEST_P(RecordingMutation, TheRecordsAreReadAndWrittenAsTheyAre) {
  const std::string whole = record([](const auto& device) { return run_slow(device, 10); });
  const auto records = test::RecordingRecords::parse(whole);
  ASSERT_TRUE(records.has_value());
  EXPECT_EQ(records->to_file(), whole);
}

TEST_P(RecordingMutation, TheSeedsOfTheFuzzTargetReplay) {
  auto native = open_native(GetParam());
  for (const char* name : {"saxpy.qrec", "variables.qrec"}) {
    const auto whole = base::read_file(std::string(QUERN_SOURCE_DIR "/fuzz/corpus/recording/") + name);
    ASSERT_TRUE(whole.ok()) << whole.error().to_string();
    const auto recording = parse(*whole, name);
    ASSERT_TRUE(recording.ok()) << recording.error().to_string()
                                << "\nrecord the seed again with QUERN_RECORD";
    const auto report = replay(*recording, *native);
    EXPECT_TRUE(report.ok()) << report.error().to_string();
  }
}

TEST_P(RecordingMutation, ObjectsOutliveTheWorkThatUsesThem) {
  const int rounds = std::string_view(GetParam()) == "cpu" ? 20000 : 20;
  const std::string whole = record([&](const auto& device) { return run_slow(device, rounds); });
  EXPECT_GT(replay_mutations(whole, 300), 30);
}

TEST_P(RecordingMutation, AScenarioWithStreamsEventsAndVariables) {
  const std::string whole = record([](const auto& device) -> runtime::Result<> {
    QUERN_TRY(runtime::run_scenario(device));
    return {};
  });
  EXPECT_GT(replay_mutations(whole, 200), 15);
}

TEST_P(RecordingMutation, BuffersOutliveKernelsThatUseTheirAddresses) {
  if (GetParam() == std::string("std.gpu"))
    GTEST_SKIP() << "the program is recorded as IR, and std.gpu takes SPIR-V";
  const auto whole = test::record_replay_program(open_native(GetParam()), folder / "calls.qrec",
                                                 is_simulated() ? 20 : 20000);
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  EXPECT_GT(replay_mutations(*whole, 300), 10);
}

// The recording names a buffer by its address, so the launch cannot run without the buffer.
TEST_P(RecordingMutation, ALaunchWhoseBufferIsGoneIsRefused) {
  if (GetParam() == std::string("std.gpu"))
    GTEST_SKIP() << "the program is recorded as IR, and std.gpu takes SPIR-V";
  const auto whole = test::record_replay_program(open_native(GetParam()), folder / "calls.qrec", 2);
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  auto native = open_native(GetParam());
  uint32_t launches = 0;
  for (size_t at = 0; at < test::RecordingRecords::parse(*whole)->size(); ++at) {
    auto records = *test::RecordingRecords::parse(*whole);
    const std::string what = records.change_order(0, at, 0);
    if (what.find("(allocate)") == std::string::npos) continue;
    // Every other call that names the buffer, so that only the address in the struct is left.
    const auto recording = parse(records.without_dangling().to_file(), "mutated");
    ASSERT_TRUE(recording.ok()) << recording.error().to_string();
    const auto outcome = replay(*recording, *native);
    ++launches;
    if (is_simulated()) continue;
    ASSERT_FALSE(outcome.ok()) << what;
    EXPECT_NE(outcome.error().message().find(decorators::message::kUntranslatedAddress("1").text),
              std::string::npos)
        << outcome.error().to_string();
  }
  EXPECT_EQ(launches, 4u);
}

// A mutated program may crash a third-party compiler, and inline kernels are not recorded with their code.
std::vector<const char*> own_drivers() {
  std::vector<const char*> names = test::each_driver({"native"});
  std::erase_if(names, [](const char* name) { return test::is_foreign(name); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, RecordingMutation, ::testing::ValuesIn(own_drivers()), test::device_name);

}  // namespace
}  // namespace quern::recording
