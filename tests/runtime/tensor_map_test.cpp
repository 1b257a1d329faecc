#include "runtime/tensor_map.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

// Correct options of rank 3.
TensorMapOptions volume() {
  return {.element = TensorElement::float16,
          .rank = 3,
          .sizes = {64, 100, 10},
          .strides = {128, 12800},
          .box = {64, 32, 1},
          .swizzle = TensorSwizzle::bytes128};
}

// The error after a change; without "creating a tensor map failed: ".
std::string wrong(const std::function<void(TensorMapOptions&)>& change) {
  TensorMapOptions options = volume();
  change(options);
  const std::string text = refusal(complete(options));
  const std::string begin = "creating a tensor map failed: ";
  EXPECT_TRUE(text.starts_with(begin)) << text;
  return text.starts_with(begin) ? text.substr(begin.size()) : text;
}

TEST(TensorMaps, StridesWithoutGapsAreComputed) {
  TensorMapOptions options = volume();
  options.strides = {};
  const TensorMapOptions whole = take(complete(options));
  EXPECT_EQ(whole.strides[0], 128u);
  EXPECT_EQ(whole.strides[1], 12800u);
  EXPECT_EQ(tensor_bytes(whole), 128000u);
  options.strides = {144, 0};
  const TensorMapOptions padded = take(complete(options));
  EXPECT_EQ(padded.strides[1], 14400u);
  EXPECT_EQ(tensor_bytes(padded), 128u + 99 * 144 + 9 * 14400);
}

TEST(TensorMaps, ALineHasNoStride) {
  const TensorMapOptions line = take(complete({.rank = 1, .sizes = {100}, .box = {32}}));
  EXPECT_EQ(tensor_bytes(line), 400u);
}

TEST(TensorMaps, InterleavedTensorsHaveSlices) {
  TensorMapOptions options = volume();
  options.interleave = TensorInterleave::bytes32;
  options.swizzle = TensorSwizzle::bytes32;
  options.box[0] = 3;  // not contiguous
  EXPECT_EQ(tensor_bytes(take(complete(options))), 32u + 99 * 128 + 9 * 12800);
}

TEST(TensorMaps, RanksAreLimited) {
  EXPECT_EQ(wrong([](auto& o) { o.rank = 0; }), "the rank is 0, and these options need 1 to 5");
  EXPECT_EQ(wrong([](auto& o) { o.rank = 6; }), "the rank is 6, and these options need 1 to 5");
  EXPECT_EQ(wrong([](auto& o) { o.rank = 2, o.interleave = TensorInterleave::bytes16; }),
            "the rank is 2, and these options need 3 to 5");
}

TEST(TensorMaps, DimensionsAreLimited) {
  EXPECT_EQ(wrong([](auto& o) { o.sizes[1] = 0; }),
            "the size of dimension 1 is 0, and the limits are 1 and 4294967296");
  EXPECT_EQ(wrong([](auto& o) { o.sizes[2] = (uint64_t{1} << 32) + 1; }),
            "the size of dimension 2 is 4294967297, and the limits are 1 and 4294967296");
  EXPECT_EQ(wrong([](auto& o) { o.box[1] = 257; }),
            "the box size of dimension 1 is 257, and the limits are 1 and 256");
  EXPECT_EQ(wrong([](auto& o) { o.box[2] = 0; }),
            "the box size of dimension 2 is 0, and the limits are 1 and 256");
  EXPECT_EQ(wrong([](auto& o) { o.element_strides[1] = 9; }),
            "the element stride of dimension 1 is 9, and the limits are 1 and 8");
  EXPECT_EQ(wrong([](auto& o) { o.element_strides[0] = 0; }),
            "the element stride of dimension 0 is 0, and the limits are 1 and 8");
  EXPECT_TRUE(complete([] {
                TensorMapOptions o = volume();
                o.sizes[2] = uint64_t{1} << 32;
                o.box[1] = 256;
                o.element_strides[1] = 8;
                return o;
              }())
                  .ok());
}

TEST(TensorMaps, StridesAreMultiplesOf16) {
  EXPECT_EQ(wrong([](auto& o) { o.strides[0] = 136; }),
            "the stride of dimension 1 is 136 bytes, which is not a multiple of 16 below 2^40");
  EXPECT_EQ(wrong([](auto& o) { o.strides[1] = uint64_t{1} << 40; }),
            "the stride of dimension 2 is 1099511627776 bytes, which is not a multiple of 16 below 2^40");
  EXPECT_EQ(wrong([](auto& o) { o.sizes[0] = 65, o.strides = {}; }),
            "the stride of dimension 1 is 130 bytes without gaps, which is not a multiple of 16 below 2^40");
  EXPECT_EQ(wrong([](auto& o) {
              o.interleave = TensorInterleave::bytes32, o.swizzle = TensorSwizzle::bytes32;
              o.strides[0] = 144;
            }),
            "the stride of dimension 1 is 144 bytes, which is not a multiple of 32 below 2^40");
}

// The product of a size and a stride does not fit 64 bits.
TEST(TensorMaps, LargeStridesDoNotOverflow) {
  TensorMapOptions options = volume();
  options.sizes = {64, uint64_t{1} << 32, uint64_t{1} << 32};
  options.strides = {(uint64_t{1} << 40) - 16, (uint64_t{1} << 40) - 16};
  EXPECT_EQ(tensor_bytes(take(complete(options))), UINT64_MAX);
  options.strides[1] = 0;
  EXPECT_NE(refusal(complete(options)).find("the stride of dimension 2"), std::string::npos);
}

TEST(TensorMaps, BoxesFitTheSwizzle) {
  EXPECT_EQ(wrong([](auto& o) { o.box[0] = 4; }),
            "the box has 8 bytes in dimension 0, which is not a multiple of 16");
  EXPECT_EQ(wrong([](auto& o) { o.box[0] = 72; }),
            "the box has 144 bytes in dimension 0, and the swizzle spans 128 bytes");
  EXPECT_EQ(wrong([](auto& o) { o.swizzle = TensorSwizzle::bytes64; }),
            "the box has 128 bytes in dimension 0, and the swizzle spans 64 bytes");
  EXPECT_EQ(wrong([](auto& o) { o.box[0] = 32, o.swizzle = TensorSwizzle::bytes32; }),
            "the box has 64 bytes in dimension 0, and the swizzle spans 32 bytes");
  TensorMapOptions options = volume();
  options.box[0] = 256;
  options.swizzle = TensorSwizzle::none;
  EXPECT_TRUE(complete(options).ok());
}

TEST(TensorMaps, OptionsFitTogether) {
  EXPECT_EQ(wrong([](auto& o) { o.interleave = TensorInterleave::bytes32; }),
            "interleave 'bytes32' needs swizzle 'bytes32'");
  EXPECT_EQ(wrong([](auto& o) { o.element = TensorElement::int32, o.fill = TensorFill::nan; }),
            "integers cannot be filled with NaN outside of the tensor");
  EXPECT_EQ(wrong([](auto& o) { o.element = static_cast<TensorElement>(13); }),
            "an option is not an enumerator of its type");
}

TEST(TensorMaps, NeedADeviceWithTensorCopies) {
  const auto device = take(Device::adopt(open_sim()));
  auto memory = take(device->allocate(200'000, driver::MemoryKind::device, ""));
  const auto map = encode_tensor_map(all(*memory), take(complete(volume())));
  EXPECT_NE(refusal(map, base::ErrorKind::unsupported).find("has no tensor copies"), std::string::npos);
}

// The hardware is checked before the code is compiled.
TEST(TensorMaps, KernelsAreRefusedOnOtherDevices) {
  const auto device = take(Device::adopt(open_sim()));
  const auto module = take(Module::load(device, source(R"(
    __global__ void copies(const __grid_constant__ CUtensorMap map) {
      asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    }
    __global__ void other(int* out) { *out = 1; }
  )")));
  EXPECT_EQ(refusal(module->kernel("copies"), base::ErrorKind::unsupported),
            "kernel 'copies' takes a tensor map ('map'), and " + device->info().name +
                " (sim:0) has no tensor copies");
  EXPECT_TRUE(module->kernel("other").ok());
}

}  // namespace
}  // namespace quern::runtime
