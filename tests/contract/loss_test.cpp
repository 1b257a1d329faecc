// Device loss: every later call reports it, all objects can be destroyed, and another device is not affected.
#undef NDEBUG  // the kernel's assertion is tested
#include <cassert>

#include "contract/contract.hpp"
#include "driver/decorators/faulty/device.hpp"

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_fail, (int value), { assert(value == 7); })
QUERN_KERNEL(contract_store, (int* out, int value), { out[0] = value; })

// An open device with one object of each kind, and work in flight.
struct Used {
  explicit Used(driver::Device& on) : device(on) {}

  Result<> prepare() {
    QUERN_TRY_ASSIGN(stream, device.create_stream({}));
    QUERN_TRY_ASSIGN(event, device.create_event());
    QUERN_TRY_ASSIGN(buffer, device.allocate(64, MemoryKind::device));
    QUERN_TRY(device.fill(*stream, {buffer.get(), 0}, 1, 4, 64));
    QUERN_TRY(device.record(*stream, *event));
    return device.synchronize(*stream);
  }
  Result<> prepare_kernel(const detail::KernelText& text) {
    QUERN_TRY_ASSIGN(code, code_for(device.info(), text));
    QUERN_TRY_ASSIGN(module, device.load(code));
    QUERN_TRY_ASSIGN(kernel, device.kernel(*module, text.name));
    return {};
  }
  Result<> launch(const std::vector<Argument>& arguments) {
    driver::Launch config;
    config.arguments = arguments;
    return device.launch(*stream, *kernel, config);
  }

  // Every call that can fail.
  void expect_lost() {
    char host[64] = {};
    driver::Buffer* const b = buffer.get();
    EXPECT_EQ(kind_of(device.allocate(64, MemoryKind::device)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.create_stream({})), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.create_event()), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.upload(*stream, {b, 0}, host, 64)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.download(*stream, host, {b, 0}, 64)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.copy(*stream, {b, 0}, {b, 32}, 32)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.fill(*stream, {b, 0}, 0, 4, 64)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.record(*stream, *event)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.wait(*stream, *event)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.reached(*event)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.wait(*event)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.synchronize(*stream)), ErrorKind::device_lost);
    if (kernel == nullptr) return;
    EXPECT_EQ(kind_of(device.load(code)), ErrorKind::device_lost);
    EXPECT_EQ(kind_of(device.kernel(*module, kernel->info.name)), ErrorKind::device_lost);
  }

  driver::Device& device;
  driver::Code code;
  StreamPtr stream;
  EventPtr event;
  BufferPtr buffer;
  std::unique_ptr<driver::Module> module;
  std::unique_ptr<driver::Kernel> kernel;
};

class LossContract : public Contract {
 protected:
  // The device that all tests use is not affected.
  void expect_usable() {
    const StreamPtr s = stream();
    const BufferPtr b = buffer_with(*s, std::vector<int>{1, 2, 3});
    EXPECT_EQ(contents<int>(*s, *b), (std::vector<int>{1, 2, 3}));
  }
  // The kernel that failed runs again on the device, and so does another one.
  static void expect_runs(driver::Device& device, Used& used) {
    const int good = 7;
    EXPECT_OK(used.launch({value_of(good)}));
    EXPECT_OK(device.synchronize(*used.stream));
    Used again(device);
    EXPECT_OK(again.prepare());
    EXPECT_OK(again.prepare_kernel(contract_store.text()));
    int seen = 0;
    EXPECT_OK(again.launch({place_of(*again.buffer), value_of(good)}));
    EXPECT_OK(device.download(*again.stream, &seen, {again.buffer.get(), 0}, sizeof seen));
    EXPECT_OK(device.synchronize(*again.stream));
    EXPECT_EQ(seen, good);
  }
};
QUERN_CONTRACT(LossContract);

// An injected loss: the driver sees that its objects are destroyed after a call that never reached it.
TEST_P(LossContract, EveryCallAfterALossReportsIt) {
  auto opened = open_device(GetParam());
  ASSERT_OK(opened);
  auto faults = faulty::Faults::parse("upload:0=lost");
  ASSERT_OK(faults);
  const auto lost = faulty::wrap(std::move(*opened), *faults);
  {
    Used used(*lost);
    ASSERT_OK(used.prepare());
    if (!info().code.empty()) {
      ASSERT_OK(used.prepare_kernel(contract_store.text()));
    }
    const char host[64] = {};
    EXPECT_EQ(kind_of(lost->upload(*used.stream, {used.buffer.get(), 0}, host, 64)), ErrorKind::device_lost);
    used.expect_lost();
  }
  expect_usable();
}

// A fault may lose the device, as with CUDA. Nothing in between is allowed: it is lost, or it works.
TEST_P(LossContract, AKernelFaultLosesTheDeviceOrLeavesItUsable) {
  if (kernel(contract_fail.text(), {.features = {Feature::assert}}) == nullptr) return;
  QUERN_IN_CHILD([&] {
    auto opened = open_device(GetParam());
    ASSERT_OK(opened);
    Used used(**opened);
    ASSERT_OK(used.prepare());
    ASSERT_OK(used.prepare_kernel(contract_fail.text()));
    const int bad = 8;
    ASSERT_OK(used.launch({value_of(bad)}));
    const ErrorKind reported = kind_of((*opened)->synchronize(*used.stream));
    if (info().vendor_printf) {
      EXPECT_EQ(reported, ErrorKind::device_lost);
    } else {
      EXPECT_EQ(reported, ErrorKind::kernel_fault);
      EXPECT_EQ((*opened)->take_findings(*used.stream).size(), 1u);
    }
    const Result<> after = (*opened)->synchronize(*used.stream);
    if (after.ok()) {
      expect_runs(**opened, used);
    } else {
      EXPECT_EQ(kind_of(after), ErrorKind::device_lost) << after.error().to_string();
      used.expect_lost();
    }
  });
}

}  // namespace
}  // namespace quern::contract
