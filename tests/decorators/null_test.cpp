#include <gtest/gtest.h>

#include "driver/null/api.hpp"
#include "driver/null/device.hpp"
#include "driver/null/driver.hpp"

namespace quern::null {
namespace {

using base::ErrorKind;

template <typename T>
bool refuses(const driver::Result<T>& result) {
  return !result.ok() && result.error().kind() == ErrorKind::kUnsupported &&
         result.error().message().starts_with("null is a skeleton: it has no ");
}

TEST(Null, SaysWhatItIs) {
  auto driver = make_driver();
  EXPECT_EQ(driver->name(), "null");
  auto says = driver->start();
  ASSERT_FALSE(says.ok());
  EXPECT_EQ(says.error().to_string(),
            "not found: null is a skeleton: 'libnull-compute.so.1' is not found (looked for 2 names)\n"
            "  hint: see docs/driver.md for how to make a driver of it");
  EXPECT_TRUE(driver->devices().value().empty());
  EXPECT_EQ(driver->open(3, {}).error().message(), "null has no device 3");
}

TEST(Null, NeverPretends) {
  NullDevice device(0);
  EXPECT_TRUE(device.info().features.empty());
  EXPECT_TRUE(device.info().code.empty());
  class Module : public driver::Module {
  } program;
  class Kernel : public driver::Kernel {
  } kernel;
  class Stream : public driver::Stream {
  } stream;
  class Event : public driver::Event {
  } event;
  EXPECT_TRUE(refuses(device.allocate(4, driver::MemoryKind::device)));
  EXPECT_TRUE(refuses(device.load({})));
  EXPECT_TRUE(refuses(device.kernel(program, "k")));
  EXPECT_TRUE(refuses(device.create_stream({})));
  EXPECT_TRUE(refuses(device.upload(stream, {}, nullptr, 0)));
  EXPECT_TRUE(refuses(device.download(stream, nullptr, {}, 0)));
  EXPECT_TRUE(refuses(device.copy(stream, {}, {}, 0)));
  EXPECT_TRUE(refuses(device.launch(stream, kernel, {})));
  EXPECT_TRUE(refuses(device.create_event()));
  EXPECT_TRUE(refuses(device.record(stream, event)));
  EXPECT_TRUE(refuses(device.wait(stream, event)));
  EXPECT_TRUE(refuses(device.wait(event)));
  EXPECT_TRUE(refuses(device.reached(event)));
  EXPECT_TRUE(refuses(device.synchronize(stream)));
}

}  // namespace
}  // namespace quern::null
