#include "api/api_case.hpp"
#include "api/messages.hpp"

namespace quern::test {
namespace {

class TensorMaps : public OnDevice {};
QUERN_ON_DEVICES(TensorMaps);

const TensorMapOptions kTile{.rank = 2, .sizes = {32, 32}, .box = {32, 32}};

TEST_P(TensorMaps, AreRefusedWithTheReason) {
  EXPECT_EQ(device.info().compute_capability, 0u);
  auto buffer = device.allocate<float>(32 * 32);
  const Error error = error_of([&] { const TensorMap map(buffer, kTile); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_NE(error.message().find("has no tensor copies"), std::string::npos) << error.message();
  TensorMapOptions options = kTile;
  options.box[0] = 3;
  EXPECT_EQ(error_of([&] { const TensorMap map(buffer, options); }).kind(), ErrorKind::invalid_use);
}

TEST_P(TensorMaps, NeedMemory) {
  EXPECT_EQ(message_of([] { const TensorMap map(Slice<float>(), kTile); }),
            detail::message::kEmptyBuffer().text);
  Slice<float> slice;
  {
    auto buffer = device.allocate<float>(32 * 32);
    slice = buffer;
  }
  EXPECT_EQ(message_of([&] { const TensorMap map(slice, kTile); }), detail::message::kDanglingSlice().text);
}

TEST_P(TensorMaps, DoNotFitOtherParameters) {
  if (device.driver() != "sim") GTEST_SKIP() << "has no modules";
  const Kernel kernel = device.compile("__global__ void k(int n, int* out) { *out = n; }").kernel("k");
  auto out = device.allocate<int>(1);
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, TensorMap(), out);
            }).find("argument 1 is a tensor map, parameter 'n' is an int"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              device.launch(kernel, LaunchConfig{{1}, {1}}, 1, TensorMap());
            }).find("argument 2 is a tensor map"),
            std::string::npos);
}

}  // namespace
}  // namespace quern::test
