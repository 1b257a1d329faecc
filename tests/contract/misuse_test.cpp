// Rules for callers. The layer above a driver validates, so these calls never reach it: the `checked`
// decorator refuses each with kInvalidUse, counts it, and the device stays usable.
#include "contract/contract.hpp"

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_two, (int* values, int n), { values[threadIdx.x] = n; })

class MisuseContract : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    auto opened = open_device(GetParam());
    ASSERT_OK(opened);
    violations = std::make_shared<checked::Violations>();
    checked_device = checked::wrap(std::move(*opened), violations);
    own_stream = std::move(*checked_device->create_stream({}));
    own_buffer = std::move(*checked_device->allocate(64, MemoryKind::device));
  }
  void TearDown() override {
    own_buffer.reset();
    own_stream.reset();
    if (checked_device != nullptr) {
      const size_t count = violations->count();
      checked_device.reset();
      EXPECT_EQ(violations->count(), count) << "objects are left";
    }
    Contract::TearDown();
  }

  template <typename T>
  void refused(const Result<T>& result) {
    EXPECT_EQ(kind_of(result), ErrorKind::invalid_use);
    EXPECT_EQ(violations->count(), ++refusals);
    EXPECT_OK(checked_device->fill(*own_stream, {own_buffer.get(), 0}, 1, 4, 64));
    EXPECT_OK(checked_device->synchronize(*own_stream));
  }

  std::shared_ptr<checked::Violations> violations;
  std::unique_ptr<driver::Device> checked_device;
  StreamPtr own_stream;
  BufferPtr own_buffer;
  size_t refusals = 0;
};
QUERN_CONTRACT(MisuseContract);

TEST_P(MisuseContract, RangesBeyondTheBuffer) {
  char host[128] = {};
  driver::Buffer* const b = own_buffer.get();
  refused(checked_device->upload(*own_stream, {b, 0}, host, 65));
  refused(checked_device->download(*own_stream, host, {b, 60}, 5));
  refused(checked_device->fill(*own_stream, {b, 64}, 0, 1, 1));
  refused(checked_device->copy(*own_stream, {b, ~uint64_t{0}}, {b, 0}, 2));
}

TEST_P(MisuseContract, OverlappingCopies) {
  driver::Buffer* const b = own_buffer.get();
  refused(checked_device->copy(*own_stream, {b, 0}, {b, 8}, 16));
  refused(checked_device->copy(*own_stream, {b, 8}, {b, 0}, 16));
}

TEST_P(MisuseContract, NoHostMemory) {
  refused(checked_device->upload(*own_stream, {own_buffer.get(), 0}, nullptr, 4));
  refused(checked_device->download(*own_stream, nullptr, {own_buffer.get(), 0}, 4));
}

TEST_P(MisuseContract, BadFills) {
  refused(checked_device->fill(*own_stream, {own_buffer.get(), 0}, 0, 3, 6));
  refused(checked_device->fill(*own_stream, {own_buffer.get(), 0}, 0, 4, 6));
}

TEST_P(MisuseContract, ObjectsOfAnotherDevice) {
  const BufferPtr foreign = buffer(64);
  const StreamPtr foreign_stream = stream();
  refused(checked_device->fill(*own_stream, {foreign.get(), 0}, 0, 4, 64));
  refused(checked_device->synchronize(*foreign_stream));
}

TEST_P(MisuseContract, CodeOfAKindThatTheDeviceDoesNotList) {
  driver::Code code;
  code.kind = driver::CodeKind::kMsl;
  if (!info().code.empty() && info().code.front() == code.kind) code.kind = driver::CodeKind::kPtx;
  refused(checked_device->load(code));
}

TEST_P(MisuseContract, LaunchesBeyondTheLimits) {
  if (kernel(contract_two.text()) == nullptr) return;
  const auto code = code_for(info(), contract_two.text());
  ASSERT_OK(code);
  auto module = checked_device->load(*code);
  ASSERT_OK(module);
  auto k = checked_device->kernel(**module, "contract_two");
  ASSERT_OK(k);
  const int n = 3;
  const std::vector<Argument> good = {place_of(*own_buffer), value_of(n)};
  const driver::Limits& limits = info().limits;
  const auto with = [&](auto change) {
    driver::Launch launch;
    launch.arguments = good;
    change(launch);
    return checked_device->launch(*own_stream, **k, launch);
  };
  refused(with([&](driver::Launch& l) { l.block = {limits.block_threads + 1, 1, 1}; }));
  refused(with([&](driver::Launch& l) { l.block = {1, 1, limits.block.z + 1}; }));
  refused(with([&](driver::Launch& l) { l.block = {0, 1, 1}; }));
  refused(with([&](driver::Launch& l) { l.grid = {1, 0, 1}; }));
  if (limits.grid.y != ~0u) refused(with([&](driver::Launch& l) { l.grid = {1, limits.grid.y + 1, 1}; }));
  refused(with([&](driver::Launch& l) { l.shared_bytes = limits.shared_bytes + 1; }));
  const std::vector<Argument> few = {place_of(*own_buffer)};
  refused(with([&](driver::Launch& l) { l.arguments = few; }));
  const std::vector<Argument> swapped = {value_of(n), place_of(*own_buffer)};
  refused(with([&](driver::Launch& l) { l.arguments = swapped; }));
  const short half = 1;
  const std::vector<Argument> narrow = {place_of(*own_buffer), value_of(half)};
  refused(with([&](driver::Launch& l) { l.arguments = narrow; }));
  EXPECT_OK(with([](driver::Launch&) {}));
  EXPECT_OK(checked_device->synchronize(*own_stream));
  k->reset();
  module->reset();
}

}  // namespace
}  // namespace quern::contract
