// The self test must find drivers that compute wrong results without an error.
#include "runtime/verify.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

// The simulator with one defect.
class Defective final : public forward::Device {
 public:
  enum class Defect { kNone, kEndsLongLoops, kLosesAWrite };
  explicit Defective(Defect defect) : forward::Device(open_sim()), defect_(defect) {}

  // The second argument of the self test is the number of rounds of its long loop.
  Result<> launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) override {
    if (defect_ != Defect::kEndsLongLoops) return forward::Device::launch(stream, kernel, launch);
    std::vector<driver::Argument> arguments(launch.arguments.begin(), launch.arguments.end());
    const int rounds = std::min(*static_cast<const int*>(arguments.at(1).value), 65'535);
    arguments[1].value = &rounds;
    driver::Launch shortened = launch;
    shortened.arguments = arguments;
    return forward::Device::launch(stream, kernel, shortened);
  }

  Result<> download(driver::Stream& stream, void* to, driver::Place from, uint64_t bytes) override {
    Result<> result = forward::Device::download(stream, to, from, bytes);
    if (result.ok() && defect_ == Defect::kLosesAWrite && bytes > 64) {
      QUERN_TRY(forward::Device::synchronize(stream));
      static_cast<float*>(to)[13] = -1.0f;
    }
    return result;
  }

 private:
  Defect defect_;
};

class DefectiveDriver final : public driver::Driver {
 public:
  explicit DefectiveDriver(Defective::Defect defect) : defect_(defect) {}
  std::string_view name() const override { return "defective"; }
  driver::Result<std::string> start() override { return std::string("is a test"); }
  driver::Result<std::vector<driver::DeviceInfo>> devices() override { return std::vector{sim_info()}; }
  driver::Result<std::unique_ptr<driver::Device>> open(uint32_t, const driver::OpenOptions&) override {
    return std::make_unique<Defective>(defect_);
  }

 private:
  Defective::Defect defect_;
};

Result<Verified> verified_with(Defective::Defect defect) {
  DefectiveDriver driver(defect);
  return verify(take(Device::open(driver, 0, {})));
}

TEST(Verify, PassesOnADeviceWithoutDefects) { EXPECT_TRUE(verified_with(Defective::Defect::kNone).ok()); }

TEST(Verify, FindsLoopsThatEndTooEarly) {
  EXPECT_NE(refusal(verified_with(Defective::Defect::kEndsLongLoops), base::ErrorKind::internal)
                .find("a loop of 70000 iterations"),
            std::string::npos);
}

TEST(Verify, FindsALostWrite) {
  EXPECT_NE(refusal(verified_with(Defective::Defect::kLosesAWrite), base::ErrorKind::internal)
                .find("element 13 is"),
            std::string::npos);
}

}  // namespace
}  // namespace quern::runtime
