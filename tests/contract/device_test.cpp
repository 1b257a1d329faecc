// Finding, describing, opening and closing devices.
#include <algorithm>

#include "contract/contract.hpp"
#include "runtime/registry.hpp"

namespace quern::contract {
namespace {

class DeviceContract : public Contract {
 protected:
  driver::Driver& driver() { return **runtime::Registry::instance().start(GetParam().driver); }
};
QUERN_CONTRACT(DeviceContract);

TEST_P(DeviceContract, DriverNamesItself) {
  EXPECT_EQ(driver().name(), GetParam().driver);
  EXPECT_FALSE(runtime::Registry::instance().driver(GetParam().driver)->says.empty());
}

TEST_P(DeviceContract, ListDescribesTheOpenedDevice) {
  const auto devices = driver().devices();
  ASSERT_OK(devices);
  const auto listed = std::find_if(devices->begin(), devices->end(),
                                   [&](const driver::DeviceInfo& d) { return d.index == GetParam().index; });
  ASSERT_NE(listed, devices->end());
  EXPECT_EQ(listed->id(), info().id());
  EXPECT_EQ(listed->name, info().name);
  EXPECT_EQ(listed->features, info().features);
  EXPECT_EQ(listed->code, info().code);
  EXPECT_EQ(listed->limits.block_threads, info().limits.block_threads);
  EXPECT_EQ(listed->memory_bytes, info().memory_bytes);
}

TEST_P(DeviceContract, DescriptionIsComplete) {
  EXPECT_EQ(info().driver, GetParam().driver);
  EXPECT_EQ(info().index, GetParam().index);
  EXPECT_FALSE(info().name.empty());
  auto kinds = info().code;
  std::sort(kinds.begin(), kinds.end());
  EXPECT_EQ(std::adjacent_find(kinds.begin(), kinds.end()), kinds.end()) << "a kind of code is listed twice";
}

TEST_P(DeviceContract, LimitsAreUsable) {
  const driver::Limits& limits = info().limits;
  EXPECT_GE(limits.block_threads, 1u);
  EXPECT_GE(limits.warp_size, 1u);
  EXPECT_GT(limits.argument_bytes, 0u);
  for (const uint32_t n : {limits.block.x, limits.block.y, limits.block.z}) EXPECT_GE(n, 1u);
  for (const uint32_t n : {limits.grid.x, limits.grid.y, limits.grid.z}) EXPECT_GE(n, 1u);
  EXPECT_LE(limits.block.x, limits.block_threads) << "no block can be that wide";
}

TEST_P(DeviceContract, FeaturesAreConsistent) {
  EXPECT_TRUE(info().native.missing_from(info().features).empty())
      << "DeviceInfo::native lists a feature that the device does not have";
  EXPECT_EQ(has(Feature::clusters), info().limits.cluster_blocks > 0);
}

// 0: not known.
TEST_P(DeviceContract, FreeMemoryIsNotMoreThanAll) {
  const uint64_t all = info().memory_bytes == 0 ? ~uint64_t{0} : info().memory_bytes;
  EXPECT_LE(device().free_memory(), all);
}

TEST_P(DeviceContract, OpensTwice) {
  auto other = open_device(GetParam());
  ASSERT_OK(other);
  EXPECT_EQ((*other)->info().id(), info().id());
  auto theirs = (*other)->allocate(64, MemoryKind::device);
  EXPECT_OK(theirs);
  const BufferPtr own = buffer(64);
  theirs->reset();
  other->reset();
  const StreamPtr s = stream();  // this one still works
  EXPECT_EQ(contents<char>(*s, *own).size(), 64u);
}

TEST_P(DeviceContract, ClosesWithObjectsOfEveryKindDestroyed) {
  auto other = open_device(GetParam());
  ASSERT_OK(other);
  driver::Device& d = **other;
  {
    auto b = d.allocate(256, MemoryKind::device);
    auto s = d.create_stream({});
    auto e = d.create_event();
    ASSERT_OK(b);
    ASSERT_OK(s);
    ASSERT_OK(e);
    const std::vector<char> host(256, 'x');
    EXPECT_OK(d.upload(**s, {b->get(), 0}, host.data(), host.size()));
    EXPECT_OK(d.record(**s, **e));
    EXPECT_OK(d.synchronize(**s));
    d.destroy(std::move(*s));  // the event outlives its stream
    EXPECT_TRUE(d.reached(**e).value_or(false));
    EXPECT_OK(d.wait(**e));
    d.destroy(std::move(*e));
    d.destroy(std::move(*b));
  }
}

TEST_P(DeviceContract, UnknownIndexIsNotFound) {
  EXPECT_EQ(kind_of(driver().open(12345, {})), ErrorKind::not_found);
}

TEST_P(DeviceContract, UnknownOptionIsRefused) {
  const auto opened = driver().open(GetParam().index, {{"no_such_option", "1"}});
  ASSERT_EQ(kind_of(opened), ErrorKind::invalid_use);
  EXPECT_NE(opened.error().message().find("no_such_option"), std::string::npos) << opened.error().message();
}

}  // namespace
}  // namespace quern::contract
