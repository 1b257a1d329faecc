#include "runtime/registry.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/messages.hpp"
#include "base/temporary_folder.hpp"
#include "driver/decorators/recording/recording.hpp"
#include "driver/null/driver.hpp"
#include "runtime/messages.hpp"
#include "runtime/select.hpp"
#include "runtime/test_driver.hpp"
#include "target/descriptor.hpp"

namespace quern::runtime {
namespace {

using base::ErrorKind;

// The devices of this machine would precede those of the tests.
Registry& registry() {
  static const int kAlone = ::setenv("QUERN_DRIVERS", "sim", 1);
  (void)kAlone;
  return Registry::instance();
}

// Adds drivers once per process: the registry is process-wide.
TestDriver& join(const std::string& name, double probe_seconds = 0, bool changes_environment = false) {
  auto driver = std::make_unique<TestDriver>(name);
  TestDriver& out = *driver;
  registry().add(std::move(driver), probe_seconds, changes_environment);
  return out;
}

DriverState state(const std::string& name) { return take(registry().driver(name)); }

TEST(Registry, KnowsTheSimulator) {
  const DriverState sim = state("sim");
  EXPECT_EQ(sim.step, Step::kOpens);
  EXPECT_EQ(sim.says, "checks every access");
  EXPECT_FALSE(sim.error.has_value());
  ASSERT_EQ(sim.devices.size(), 1u);
  EXPECT_EQ(sim.devices[0].id(), "sim:0");
}

TEST(Registry, AnUnknownDriverIsAnError) {
  auto none = registry().driver("vulcan");
  EXPECT_EQ(refusal(none, ErrorKind::not_found), message::kUnknownDriver("vulcan", "").text);
  EXPECT_TRUE(none.error().hint().starts_with("the drivers are ")) << none.error().hint();
  EXPECT_NE(none.error().hint().find("sim"), std::string::npos);
}

// PoCL and Mesa change the environment while they start, which crashes concurrent calls of getenv().
TEST(Registry, ADriverThatChangesTheEnvironmentStartsAlone) {
  static std::atomic<int> starting{0}, met{0};
  const auto start = [](int alone) {
    return [alone]() -> base::Result<std::string> {
      const int others = starting.fetch_add(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      if (alone != 0 && (others != 0 || starting.load() != 1)) ++met;
      --starting;
      return std::string("started");
    };
  };
  join("writer", 0, true).on_start = start(1);
  for (const char* name : {"reader_a", "reader_b", "reader_c"}) join(name).on_start = start(0);
  (void)registry().drivers();
  EXPECT_EQ(met.load(), 0);
}

TEST(Registry, EveryStepIsReported) {
  join("absent").on_start = [] { return base::Error(ErrorKind::not_found, "no library"); };
  EXPECT_EQ(state("absent").step, Step::kBuilt);
  EXPECT_EQ(state("absent").error->message(), "no library");
  join("broken").on_start = [] { return base::Error(ErrorKind::unsupported, "too old"); };
  EXPECT_EQ(state("broken").step, Step::kFound);
  join("lonely");
  EXPECT_EQ(state("lonely").step, Step::kLoads);
  EXPECT_EQ(state("lonely").says, "is a test");
  EXPECT_EQ(state("lonely").error->message(), message::kNoDeviceFound().text);
  join("well").add("Well", driver::DeviceKind::other);
  EXPECT_EQ(state("well").step, Step::kOpens);
  EXPECT_EQ(name(Step::kOpens), "opens");
  EXPECT_EQ(refusal(registry().start("broken"), ErrorKind::unsupported), "too old");
  EXPECT_TRUE(registry().start("well").ok());
}

TEST(Registry, TheTemplateOpens) {
  registry().add(null::make_driver());
  EXPECT_EQ(state("null").step, Step::kOpens);
}

TEST(Registry, ADriverIsStartedOnce) {
  int starts = 0;
  join("once").on_start = [&starts] {
    ++starts;
    return Result<std::string>("started");
  };
  EXPECT_EQ(starts, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { (void)registry().drivers(); });
  for (std::thread& t : threads) t.join();
  (void)state("once");
  EXPECT_EQ(starts, 1);
}

TEST(Registry, CrashesAndHangsStayInTheChild) {
  join("crashes", 5).on_start = []() -> Result<std::string> {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
    return std::string();
  };
  join("exits", 5).on_start = []() -> Result<std::string> { ::_exit(7); };
  join("hangs", 0.4).on_start = []() -> Result<std::string> {
    for (;;) ::pause();
  };
  join("quick", 5).add("Quick", driver::DeviceKind::other);
  join("refuses", 5).on_start = [] {
    return base::Error(ErrorKind::unsupported, "no permission").add_hint("join the group video");
  };
  (void)registry().drivers();  // all together, as in `quern backends`
  EXPECT_EQ(state("crashes").step, Step::kFound);
  EXPECT_EQ(state("crashes").error->message(), base::message::kChildCrashed("Segmentation fault").text);
  EXPECT_EQ(state("exits").error->message(), base::message::kChildExited("7").text);
  EXPECT_EQ(state("hangs").error->kind(), ErrorKind::timeout);
  EXPECT_EQ(state("hangs").error->message(), base::message::kChildTimeout("0.4").text);
  EXPECT_EQ(state("quick").step, Step::kOpens);
  EXPECT_EQ(state("refuses").error->message(), "no permission");
  EXPECT_EQ(state("refuses").error->hint(), "join the group video");
}

TEST(Registry, ALibraryThatTheProgramUsesIsNotTriedInAChild) {
  const pid_t parent = ::getpid();
  TestDriver& driver = join("used by the program", 5).add("Used", driver::DeviceKind::other);
  driver.is_in_use = true;
  driver.on_start = [parent]() -> Result<std::string> {  // as CUDA after fork()
    if (::getpid() != parent) return base::Error(ErrorKind::internal, "not initialized");
    return std::string("works");
  };
  EXPECT_EQ(state("used by the program").step, Step::kOpens);
}

class Select : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    TestDriver& big = join("big");
    big.add("Giant 9000", driver::DeviceKind::discrete, uint64_t{80} << 30);
    big.add("Dwarf 10", driver::DeviceKind::discrete, uint64_t{2} << 30);
    driver_ = &big;
    join("small").add("Chip", driver::DeviceKind::integrated, uint64_t{200} << 30);
    join("dead").on_start = [] {
      return base::Error(ErrorKind::unsupported, "it is too old").add_hint("update it");
    };
  }
  void SetUp() override {
    for (const char* name :
         {"QUERN_DEVICE", "QUERN_FAULTS", "QUERN_CHECKED", "QUERN_RECORD", "QUERN_STRICT", "QUERN_SIM"})
      ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }

  static std::string opened(const std::string& text) {
    auto device = open({text, nullptr});
    return device.ok() ? (*device)->info().id() : "error: " + device.error().message();
  }
  inline static TestDriver* driver_ = nullptr;
};

TEST_F(Select, ByText) {
  EXPECT_EQ(opened(""), "big:0");
  EXPECT_EQ(opened("big"), "big:0");
  EXPECT_EQ(opened("big:1"), "big:1");
  EXPECT_EQ(opened("small"), "small:0");
  EXPECT_EQ(opened("dwarf"), "big:1");
  EXPECT_EQ(opened("CHIP"), "small:0");
  EXPECT_EQ(opened("sim"), "sim:0");
  EXPECT_EQ(opened("nothing"), "error: there is no device 'nothing'");
  EXPECT_EQ(opened("dead"), "error: device 'dead' cannot be opened: it is too old");
  EXPECT_EQ(open({"dead:0", nullptr}).error().hint(), "update it");
  EXPECT_NE(open({"nothing", nullptr}).error().hint().find("the devices are big:0, big:1, small:0"),
            std::string::npos);
}

TEST_F(Select, ByEnvironment) {
  ::setenv("QUERN_DEVICE", "small", 1);
  EXPECT_EQ(opened(""), "small:0");
  EXPECT_EQ(opened("big:1"), "big:1");
  ::setenv("QUERN_DEVICE", "", 1);
  EXPECT_EQ(opened(""), "big:0");
}

TEST_F(Select, ByPredicate) {
  auto device =
      open({"", [](const driver::DeviceInfo& i) { return i.kind == driver::DeviceKind::integrated; }});
  EXPECT_EQ(take(device)->info().id(), "small:0");
  auto none = open({"", [](const driver::DeviceInfo&) { return false; }});
  EXPECT_EQ(refusal(none, ErrorKind::not_found), message::kNoDevice().text);
}

TEST_F(Select, ByNumberKindAndFeature) {
  EXPECT_EQ(opened("0"), "big:0");
  EXPECT_EQ(opened("2"), "small:0");
  EXPECT_EQ(opened("99"), "error: there is no device '99'");
  EXPECT_EQ(opened("gpu"), "big:0");
  EXPECT_EQ(opened("integrated"), "small:0");
  EXPECT_EQ(opened("gpu,has=fp64+warps"), "big:0");
  EXPECT_EQ(opened(",has=fp65"), "error: unknown feature 'fp65'");
}

TEST_F(Select, ADeviceIsFoundWithoutOpeningIt) {
  driver_->opened.clear();
  const auto found = find({"big:1,policy=require,option=3", nullptr});
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  EXPECT_EQ(found->id(), "big:1");
  EXPECT_TRUE(driver_->opened.empty()) << "the driver got the request's options";
  EXPECT_EQ(find({"99", nullptr}).error().message(), "there is no device '99'");
}

// A device whose language has no double has it in software.
TEST_F(Select, NativeFeaturesArePreferredAndCanBeRequired) {
  TestDriver& soft = join("soft");
  soft.add("Huge", driver::DeviceKind::other, uint64_t{80} << 30);
  soft.add("Tiny", driver::DeviceKind::other, uint64_t{1} << 20);
  driver::DeviceInfo& info = soft.infos[0];
  info.code = {driver::CodeKind::kMsl};
  info.features.remove(driver::Feature::fp64);
  target::add_software_features(info);
  EXPECT_TRUE(info.features.has(driver::Feature::fp64));
  EXPECT_EQ(opened("soft"), "soft:0");
  EXPECT_EQ(opened("soft,has=fp64"), "soft:1");
  EXPECT_EQ(opened("soft,fp64=native"), "soft:1");
  EXPECT_EQ(opened("soft:0,has=fp64"), "soft:0");
  EXPECT_EQ(opened("soft:0,fp64=native"),
            "error: " + message::kNoDeviceMeets("soft:0 lacks native fp64").text);
}

TEST_F(Select, PoliciesSayWhatBecomesOfARequest) {
  std::vector<std::string> said;
  base::set_log_sink([&](base::LogLevel, std::string_view text) { said.emplace_back(text); });
  EXPECT_EQ(opened("cuda9,policy=perhaps"), "error: " + message::kUnknownPolicy("perhaps").text);
  EXPECT_EQ(opened("cuda9,policy=require"), "error: there is no device 'cuda9'");
  EXPECT_TRUE(said.empty());
  const auto is_small = [](const driver::DeviceInfo& i) { return i.driver == "small"; };
  const auto is_none = [](const driver::DeviceInfo&) { return false; };
  Selection how;
  auto device = take(open({"cuda9", is_small, false, Policy::prefer}, &how));
  EXPECT_EQ(device->info().id(), "small:0");
  EXPECT_EQ(device->fallback_reason(), message::kUnknownDevice("cuda9").text);
  EXPECT_EQ(how.to_string().substr(how.to_string().find("selected")),
            "selected small:0 (Chip): the best other device, because there is no device 'cuda9'");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "small:0 is used instead of cuda9: there is no device 'cuda9'");
  (void)take(open({"cuda9", is_small, false, Policy::prefer}));
  EXPECT_EQ(said.size(), 1u);  // logged once
  EXPECT_EQ(refusal(open({"cuda9", is_none, false, Policy::prefer}), ErrorKind::not_found),
            message::kUnknownDevice("cuda9").text);
  EXPECT_EQ(take(open({"cuda9", is_none, false, Policy::allow}))->info().id(), "big:0");
  EXPECT_EQ(opened("dead,policy=prefer"), "big:0");
  EXPECT_EQ(take(open({"small", nullptr, false, Policy::prefer}))->fallback_reason(), "");
  base::set_log_sink(nullptr);
}

TEST_F(Select, StrictModeAllowsNothingElse) {
  ::setenv("QUERN_STRICT", "1", 1);
  auto none = open({"cuda9", nullptr, false, Policy::allow});
  EXPECT_EQ(refusal(none, ErrorKind::not_found), message::kUnknownDevice("cuda9").text);
  EXPECT_EQ(none.error().context().back(), "QUERN_STRICT allows no other device");
  ::setenv("QUERN_STRICT", "maybe", 1);
  EXPECT_FALSE(open({"sim", nullptr}).ok());
}

TEST_F(Select, TheSimulatorTakesThePlaceOfEveryDevice) {
  ::setenv("QUERN_SIM", "1", 1);
  EXPECT_EQ(opened("big:1"), "sim:0");
  EXPECT_EQ(opened(""), "sim:0");
  ::setenv("QUERN_SIM", "seed=7", 1);
  Selection how;
  EXPECT_EQ(take(open({"big:1", nullptr}, &how))->info().id(), "sim:0");
  EXPECT_EQ(how.to_string(),
            "requested big:1, detected sim:0, selected sim:0 (simulator): QUERN_SIM=seed=7 replaces every "
            "device by it");
  ::setenv("QUERN_SIM", "sed=7", 1);
  EXPECT_EQ(opened(""), "error: opening sim failed: it does not accept option 'sed'");
  ::setenv("QUERN_SIM", "off", 1);
  EXPECT_EQ(opened("big:1"), "big:1");
}

TEST(Registry, MisspeltDriversAreReported) {
  ::setenv("QUERN_DRIVERS", "sim,vulcan", 1);
  EXPECT_EQ(refusal(Registry::check_allowed(), ErrorKind::bad_input),
            message::kUnknownDriverInVariable("vulcan", message::kDidYouMean("vulkan").text).str());
  ::setenv("QUERN_DRIVERS", "sim", 1);
  EXPECT_TRUE(Registry::check_allowed().ok());
}

TEST_F(Select, TheSimulatorIsNeverChosenAutomatically) {
  auto only_simulated = [](const driver::DeviceInfo& i) { return i.kind == driver::DeviceKind::simulated; };
  EXPECT_FALSE(open({"", only_simulated}).ok());
  EXPECT_TRUE(open({"sim", only_simulated}).ok());
}

TEST_F(Select, OptionsReachTheDriver) {
  EXPECT_EQ(opened("big, speed=9 ,mode = x"), "big:0");
  EXPECT_EQ(driver_->opened, (driver::OpenOptions{{"speed", "9"}, {"mode", "x"}}));
  EXPECT_EQ(opened("big,fast"), "error: 'fast' in device 'big,fast' is not key=value");
  EXPECT_EQ(opened("sim,speed=9"), "error: opening sim failed: it does not accept option 'speed'");
}

TEST_F(Select, TheBestComesFirst) {
  const auto all = candidates();
  ASSERT_GT(all.size(), 3u);
  EXPECT_EQ(all[0].id(), "big:0");
  EXPECT_EQ(all[1].id(), "big:1");
  EXPECT_EQ(all[2].id(), "small:0");
  EXPECT_EQ(all.back().kind, driver::DeviceKind::simulated);
  EXPECT_EQ(all.back().score, 0);
}

TEST_F(Select, FaultsByEnvironment) {
  ::setenv("QUERN_FAULTS", "allocate:1=memory", 1);
  auto device = take(open({"sim", nullptr}));
  auto first = device->native().allocate(4, driver::MemoryKind::device);
  auto second = device->native().allocate(4, driver::MemoryKind::device);
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(refusal(second, ErrorKind::out_of_memory), "allocate 1 failed (injected fault)");
  ::setenv("QUERN_FAULTS", "lunch:1=lost", 1);
  auto bad = open({"sim", nullptr});
  EXPECT_EQ(refusal(bad, ErrorKind::bad_input), "invalid fault 'lunch:1=lost': 'lunch' is not a known call");
  EXPECT_EQ(bad.error().context()[0], "reading QUERN_FAULTS");
}

TEST_F(Select, CheckedByEnvironment) {
  ::setenv("QUERN_CHECKED", "1", 1);
  auto device = take(open({"sim", nullptr}));
  auto stream = device->native().create_stream({});
  EXPECT_EQ(refusal(device->native().upload(**stream, {nullptr, 0}, "x", 1)),
            "driver call upload names a buffer that is null");
  device->native().destroy(std::move(*stream));
  ::setenv("QUERN_CHECKED", "perhaps", 1);
  EXPECT_FALSE(open({"sim", nullptr}).ok());
}

TEST_F(Select, RecordedByEnvironment) {
  base::TemporaryFolder folder;
  ::setenv("QUERN_RECORD", (folder / "run").c_str(), 1);
  for (int i = 0; i < 2; ++i) {
    auto device = take(open({"sim", nullptr}));
    auto result = run_scenario(device);
    EXPECT_EQ(result.value_or(std::vector<int>()), scenario_result());
  }
  const auto files = take(base::list_files(folder.path()));
  ASSERT_EQ(files.size(), 2u);
  for (const std::string& file : files) {
    const auto recorded = take(recording::read(file));
    EXPECT_TRUE(recorded.is_complete);
    EXPECT_EQ(recorded.device, "sim:0");
  }
  ::setenv("QUERN_RECORD", "/no/such/folder/file", 1);
  EXPECT_EQ(open({"sim", nullptr}).error().kind(), ErrorKind::not_found);
}

}  // namespace
}  // namespace quern::runtime
