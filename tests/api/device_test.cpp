#include <algorithm>

#include "api/api_case.hpp"
#include "driver/support/messages.hpp"

namespace quern::test {
namespace {

TEST(Devices, ListsTheBestFirst) {
  const std::vector<DeviceInfo> all = devices();
  ASSERT_GE(all.size(), 2u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](auto& a, auto& b) { return a.score > b.score; }));
  EXPECT_EQ(all.back().kind, DeviceKind::simulated);
  EXPECT_EQ(all.back().score, 0);
}

TEST(Devices, NativeIsAboveTheSimulatorOnly) {
  const DeviceInfo native = open("native").info();
  EXPECT_EQ(native.score, 1);
  EXPECT_EQ(native.kind, DeviceKind::cpu);
  EXPECT_EQ(native.id(), "native:0");
  EXPECT_EQ(native.limits.warp_size, 32u);
  EXPECT_GT(native.memory_bytes, 0u);
  EXPECT_TRUE(native.has(Feature::warps));
  EXPECT_TRUE(native.has(Feature::fp64));
  EXPECT_FALSE(native.has(Feature::grid_barrier));
}

TEST(Devices, ReturnTheirPropertiesByReference) {
  const Device device = open("native");
  const DeviceInfo& info = device.info();
  EXPECT_EQ(&info, &device.info());
  const DeviceInfo& of_temporary = open("native").info();  // a copy
  EXPECT_EQ(of_temporary.id(), info.id());
}

TEST(Devices, FeaturesHaveTheNamesOfTheSelector) {
  EXPECT_EQ(to_string(Feature::fp64), "fp64");
  EXPECT_EQ(to_string(Feature::persistent), "persistent");
  for (const Feature feature : open("native").info().features) {
    EXPECT_EQ(open("native,has=" + std::string(to_string(feature))).driver(), "native");
  }
  EXPECT_EQ(error_of([] { (void)open("native,has=grid_barrier"); }).kind(), ErrorKind::not_found);
}

TEST(Version, IsThatOfTheHeaders) {
  EXPECT_EQ(version(), std::to_string(QUERN_VERSION_MAJOR) + "." + std::to_string(QUERN_VERSION_MINOR) + "." +
                           std::to_string(QUERN_VERSION_PATCH));
}

TEST(Devices, TheSimulatorIsNeverChosenUnlessNamed) {
  EXPECT_NE(open().driver(), "sim");
  EXPECT_EQ(open("simulator").driver(), "sim");
  EXPECT_EQ(open("sim,seed=7").name(), "simulator");
  EXPECT_EQ(open("", [](const DeviceInfo& d) { return d.driver == "native"; }).driver(), "native");
}

TEST(Devices, RefusalsSayWhatIsThere) {
  const Error unknown = error_of([] { (void)open("quantum"); });
  EXPECT_EQ(unknown.kind(), ErrorKind::not_found);
  EXPECT_EQ(unknown.message(), "there is no device 'quantum'");
  EXPECT_NE(unknown.hint().find("sim:0"), std::string::npos) << unknown.hint();
  EXPECT_EQ(message_of([] { (void)open("", [](const DeviceInfo&) { return false; }); }),
            "no device meets the request");
  EXPECT_EQ(message_of([] { (void)open("native,seed=7"); }),
            driver::message::kUnknownOption("native", "seed", "native", "no options").text);
  EXPECT_EQ(message_of([] { (void)open("sim,colour=red"); }),
            "opening sim failed: it does not accept option 'colour'");
  EXPECT_EQ(message_of([] { (void)open("sim,seed"); }), "'seed' in device 'sim,seed' is not key=value");
}

TEST(Devices, AnEmptyHandleIsRefused) {
  const Device none;
  EXPECT_FALSE(none);
  const Error error = error_of([&] { (void)none.name(); });
  EXPECT_EQ(error.message(), "using a device failed: it is not open");
  EXPECT_EQ(error.hint(), "open it with quern::open()");
  EXPECT_EQ(error.kind(), ErrorKind::invalid_use);
  EXPECT_EQ(message_of([&] { (void)none.allocate<int>(1); }), error.message());
  EXPECT_EQ(message_of([&] { none.synchronize(); }), error.message());
  EXPECT_EQ(message_of([&] { (void)none.create_stream(); }), error.message());
  EXPECT_EQ(message_of([&] { (void)none.compile(""); }), error.message());
}

TEST(Devices, StayOpenAsLongAsSomethingOfThemLives) {
  Buffer<int> buffer;
  Stream stream;
  {
    const Device device = open("native");
    buffer = device.upload(std::vector<int>{1, 2, 3});
    stream = device.create_stream();
  }
  EXPECT_EQ(buffer.download(), (std::vector<int>{1, 2, 3}));
  stream.synchronize();
}

TEST(Devices, ADevicesOwnStreamDoesNotKeepItOpen) {
  Stream stream;
  stream = open("native").stream();
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), "using a stream failed: its device is closed");
}

TEST(ErrorKinds, HaveNames) {
  EXPECT_EQ(to_string(ErrorKind::invalid_use), "invalid use");
  EXPECT_EQ(to_string(ErrorKind::kernel_fault), "kernel fault");
  EXPECT_EQ(to_string(ErrorKind::out_of_memory), "out of memory");
}

TEST(Errors, CopiesShareTheText) {
  const Error error = error_of([] { (void)open("quantum"); });
  const Error copy = error;
  EXPECT_STREQ(copy.what(), error.what());
  EXPECT_EQ(
      std::string(copy.what()).find("not found: there is no device 'quantum'\n  hint: the devices are "), 0u)
      << copy.what();
}

}  // namespace
}  // namespace quern::test
