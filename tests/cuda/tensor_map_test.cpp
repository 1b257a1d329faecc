// Tensor maps on a fake libcuda: the arguments of cuTensorMapEncodeTiled, and the maps as arguments of a
// launch.
#include "runtime/tensor_map.hpp"

#include <cstdlib>

#include "cuda/cuda_case.hpp"
#include "driver/decorators/forward/device.hpp"
#include "driver/decorators/recoverable/device.hpp"
#include "quern/error.hpp"
#include "quern/tensor_map.hpp"
#include "runtime/module.hpp"
#include "support/runtime_case.hpp"

namespace quern::test {

namespace {

using base::ErrorKind;

constexpr const char* kText = R"(
extern "C" __global__ void k(const __grid_constant__ CUtensorMap map, int n) {
  if (n != 0) asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
)";

// 64 x 128 pieces of 1000 rows of 600 numbers with 2 bytes.
TensorMapOptions matrix() {
  return {.element = TensorElement::bfloat16,
          .rank = 2,
          .sizes = {600, 1000},
          .strides = {1216},
          .box = {64, 128},
          .element_strides = {1, 2},
          .swizzle = TensorSwizzle::bytes128,
          .promotion = TensorPromotion::bytes256,
          .fill = TensorFill::nan};
}

class CudaTensorMap : public CudaDriver {
 protected:
  // A device that emits PTX, without NVRTC.
  static std::unique_ptr<driver::Device> open_ptx() {
    ::setenv("QUERN_NVRTC", "none", 1);
    auto device = open();
    ::unsetenv("QUERN_NVRTC");
    return device;
  }
  static std::shared_ptr<runtime::Device> open_device() {
    auto device = runtime::Device::adopt(open_ptx());
    EXPECT_TRUE(device.ok()) << device.error().to_string();
    return *device;
  }
  static runtime::MemoryPtr allocate(runtime::Device& device, uint64_t bytes) {
    auto memory = device.allocate(bytes, driver::MemoryKind::device, "");
    EXPECT_TRUE(memory.ok()) << memory.error().to_string();
    return std::move(*memory);
  }
  static Slice<uint16_t> slice_of(runtime::Memory& memory, uint64_t offset = 0) {
    return Slice<uint16_t>(detail::Bytes{&memory, offset, memory.bytes() - offset, memory.number()});
  }
  static runtime::HostArgument arg(const TensorMap& map, runtime::Memory* memory) {
    runtime::HostArgument a;
    a.kind = ArgumentKind::tensor_map;
    a.bytes = &map.encoded();
    a.size = sizeof map.encoded();
    if (memory != nullptr) a.slice = runtime::all(*memory);
    return a;
  }
};

TEST_F(CudaTensorMap, IsEncodedByTheDriver) {
  auto device = open();
  auto buffer = std::move(*device->allocate(4096, driver::MemoryKind::device));
  const auto map = device->encode_tensor_map({buffer.get(), 256}, matrix());
  ASSERT_TRUE(map.ok()) << map.error().to_string();
  EXPECT_EQ(map->opaque[0], buffer->address + 256);
  ASSERT_EQ(fake->tensor_maps().size(), 1u);
  const FakeTensorMap& given = fake->tensor_maps()[0];
  EXPECT_EQ(given.element, 9);  // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
  EXPECT_EQ(given.address, buffer->address + 256);
  EXPECT_EQ(given.sizes, (std::vector<uint64_t>{600, 1000}));
  EXPECT_EQ(given.strides, (std::vector<uint64_t>{1216}));
  EXPECT_EQ(given.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(given.element_strides, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(given.interleave, 0);
  EXPECT_EQ(given.swizzle, 3);
  EXPECT_EQ(given.promotion, 3);
  EXPECT_EQ(given.fill, 1);
}

TEST_F(CudaTensorMap, IsForwardedToTheDevice) {
  forward::Device device(open());
  auto buffer = std::move(*device.allocate(4096, driver::MemoryKind::device));
  const auto map = device.encode_tensor_map({buffer.get(), 16}, matrix());
  ASSERT_TRUE(map.ok()) << map.error().to_string();
  EXPECT_EQ(map->opaque[0], buffer->address + 16);
}

TEST_F(CudaTensorMap, ReportsErrorsOfTheDriver) {
  auto device = open();
  auto buffer = std::move(*device->allocate(4096, driver::MemoryKind::device));
  fake->fail("cuTensorMapEncodeTiled", 0, 1);
  const auto map = device->encode_tensor_map({buffer.get(), 0}, matrix());
  ASSERT_FALSE(map.ok());
  EXPECT_NE(map.error().message().find("cuTensorMapEncodeTiled"), std::string::npos) << map.error().message();
}

TEST_F(CudaTensorMap, NeedsHopperAndANewDriver) {
  fake->set_attribute(75, 8);  // the major compute capability
  auto old = open();
  EXPECT_EQ(old->info().compute_capability, 80u);
  auto buffer = std::move(*old->allocate(64, driver::MemoryKind::device));
  EXPECT_EQ(old->encode_tensor_map({buffer.get(), 0}, matrix()).error().kind(), ErrorKind::unsupported);
  fake->set_attribute(75, 9);
  fake->hide("cuTensorMapEncodeTiled");
  auto device = open();
  auto other = std::move(*device->allocate(64, driver::MemoryKind::device));
  EXPECT_EQ(device->encode_tensor_map({other.get(), 0}, matrix()).error().kind(), ErrorKind::unsupported);
  EXPECT_EQ(fake->count("cuTensorMapEncodeTiled"), 0u);
}

// After a loss the buffers have other addresses, which encoded maps would not have.
TEST_F(CudaTensorMap, DoesNotSurviveALoss) {
  recoverable::Options options;
  options.reopen = [](uint32_t) { return driver::Result<std::unique_ptr<driver::Device>>(open()); };
  auto device = recoverable::open(options);
  ASSERT_TRUE(device.ok()) << device.error().to_string();
  auto buffer = std::move(*(*device)->allocate(64, driver::MemoryKind::device));
  const auto map = (*device)->encode_tensor_map({buffer.get(), 0}, matrix());
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(map.error().to_string().find("without a Session"), std::string::npos) << map.error().to_string();
}

TEST_F(CudaTensorMap, IsAnArgumentOfALaunch) {
  fake->declare_kernel("k", {128, 4});
  const auto device = open_device();
  auto module = runtime::Module::load(device, runtime::source(kText));
  ASSERT_TRUE(module.ok()) << module.error().to_string();
  const auto kernel = (*module)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  auto memory = allocate(*device, 2'000'000);
  const TensorMap map(slice_of(*memory, 512), matrix());
  ASSERT_EQ(fake->tensor_maps().size(), 1u);
  const uint64_t address = memory->place(512).buffer->address + memory->place(512).offset;
  EXPECT_EQ(fake->tensor_maps()[0].address, address);

  runtime::Stream& stream = device->default_stream();
  const auto launch = [&](const runtime::HostArgument& a) {
    const runtime::HostArgument arguments[] = {a, runtime::arg(1)};
    return stream.launch(**kernel, runtime::shape(1, 32), arguments);
  };
  const auto launched = launch(arg(map, memory.get()));
  ASSERT_TRUE(launched.ok()) << launched.error().to_string();
  ASSERT_EQ(fake->launches().size(), 1u);
  EXPECT_EQ(fake->launches()[0].arguments, (std::vector<uint64_t>{address, 1}));

  // The bytes of a map that the program encoded with CUDA.
  runtime::HostArgument bytes;
  bytes.kind = ArgumentKind::bytes;
  bytes.bytes = &map.encoded();
  bytes.size = 128;
  EXPECT_TRUE(launch(bytes).ok());
  bytes.size = 64;
  EXPECT_FALSE(launch(bytes).ok());

  EXPECT_NE(launch(arg(TensorMap(), nullptr)).error().message().find("holds no memory"), std::string::npos);
  EXPECT_NE(launch(runtime::arg(memory)).error().message().find("parameter 'map' is a const CUtensorMap"),
            std::string::npos)
      << launch(runtime::arg(memory)).error().message();
  const runtime::HostArgument swapped[] = {arg(map, memory.get()), arg(map, memory.get())};
  const auto wrong = stream.launch(**kernel, runtime::shape(1, 32), swapped);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("argument 2 is a tensor map"), std::string::npos)
      << wrong.error().message();
}

TEST_F(CudaTensorMap, MemoryOfAnotherDeviceIsRefused) {
  fake->declare_kernel("k", {128, 4});
  const auto device = open_device(), other = open_device();
  const auto module = runtime::Module::load(device, runtime::source(kText));
  const auto kernel = (*module)->kernel("k");
  ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
  auto memory = allocate(*other, 2'000'000);
  const TensorMap map(slice_of(*memory), matrix());
  const runtime::HostArgument arguments[] = {arg(map, memory.get()), runtime::arg(1)};
  const auto launched = device->default_stream().launch(**kernel, runtime::shape(1, 32), arguments);
  ASSERT_FALSE(launched.ok());
  EXPECT_NE(launched.error().message().find("the buffer belongs to"), std::string::npos)
      << launched.error().message();
}

TEST_F(CudaTensorMap, ChecksTheMemory) {
  const auto device = open_device();
  auto memory = allocate(*device, 1'216'000);
  EXPECT_EQ(TensorMap(slice_of(*memory), matrix()).options().strides[0], 1216u);
  const auto message_of = [&](uint64_t offset) -> std::string {
    try {
      const TensorMap map(slice_of(*memory, offset), matrix());
    } catch (const Error& e) {
      return e.message();
    }
    return "";
  };
  // 999 rows of 1216 bytes, and one of 1200.
  EXPECT_EQ(message_of(32),
            "creating a tensor map failed: the tensor has 1215984 bytes from its first to its last element, "
            "and the memory has 1215968");
  EXPECT_EQ(message_of(8),
            "creating a tensor map failed: the address of the tensor, at offset 8 of its buffer, is not a "
            "multiple of 16 bytes");
  EXPECT_EQ(message_of(16), "");
}

}  // namespace

}  // namespace quern::test
