// Buffers: every kind of memory, sizes, addresses, host access.
#include <cstring>

#include "contract/contract.hpp"

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_negate, (int* values, int n), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = -values[i];
})

class MemoryContract : public Contract {};
QUERN_CONTRACT(MemoryContract);

TEST_P(MemoryContract, AllocatesTheRequestedSize) {
  for (const uint64_t bytes : {0u, 1u, 3u, 256u, 4097u, 1u << 20}) {
    const BufferPtr b = buffer(bytes);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->bytes, bytes);
    EXPECT_EQ(b->kind, MemoryKind::device);
  }
}

TEST_P(MemoryContract, AddressesAreDistinct) {
  const BufferPtr a = buffer(100);
  const BufferPtr b = buffer(100);
  if (has(Feature::addresses)) {
    EXPECT_NE(a->address, 0u);
    EXPECT_NE(b->address, 0u);
  }
  if (a->address == 0) return;
  EXPECT_TRUE(a->address + 100 <= b->address || b->address + 100 <= a->address) << "buffers overlap";
  EXPECT_EQ(a->address % 16, 0u);
}

TEST_P(MemoryContract, PinnedMemoryIsForCopies) {
  const StreamPtr s = stream();
  const BufferPtr pinned = buffer(64, MemoryKind::pinned);
  EXPECT_EQ(pinned->kind, MemoryKind::pinned);
  std::vector<char> host(64, 'p');
  if (pinned->host != nullptr) {
    std::memcpy(pinned->host, host.data(), 64);
  } else {
    ASSERT_OK(device().upload(*s, {pinned.get(), 0}, host.data(), 64));
  }
  const BufferPtr plain = buffer(64);
  if (pinned->host != nullptr) {
    ASSERT_OK(device().upload(*s, {plain.get(), 0}, pinned->host, 64));
  } else {
    ASSERT_OK(device().copy(*s, {plain.get(), 0}, {pinned.get(), 0}, 64));
  }
  EXPECT_EQ(contents<char>(*s, *plain), host);
}

struct Offered {
  MemoryKind kind;
  Feature feature;
};
constexpr Offered kOffered[] = {{MemoryKind::shared, Feature::shared_memory},
                                {MemoryKind::managed, Feature::managed_memory},
                                {MemoryKind::mapped, Feature::mapped_memory}};

TEST_P(MemoryContract, SharedKindsAreAccessibleInPlace) {
  const StreamPtr s = stream();
  int tested = 0;
  for (const Offered& o : kOffered) {
    if (!has(o.feature)) continue;
    SCOPED_TRACE(driver::name(o.feature));
    ++tested;
    const BufferPtr b = buffer(16, o.kind);
    ASSERT_NE(b, nullptr);
    ASSERT_NE(b->host, nullptr);
    const int before[4] = {1, 2, 3, 4};
    std::memcpy(b->host, before, 16);
    EXPECT_EQ(contents<int>(*s, *b), std::vector<int>(before, before + 4));
    driver::Kernel* const negate = kernel(contract_negate.text());
    if (negate == nullptr) return;
    const int n = 4;
    ASSERT_OK(launch(*s, *negate, {1, 1, 1}, {4, 1, 1}, {place_of(*b), value_of(n)}));
    ASSERT_OK(device().synchronize(*s));
    int after[4] = {};
    std::memcpy(after, b->host, 16);
    EXPECT_EQ(after[0], -1);
    EXPECT_EQ(after[3], -4);
  }
  if (tested == 0) GTEST_SKIP() << info().id() << " shares no memory with the host";
}

// The layer above requests managed and mapped memory only where the device has the feature.
TEST_P(MemoryContract, SharedMemoryWithoutTheFeatureIsUnsupported) {
  if (has(Feature::shared_memory)) GTEST_SKIP() << info().id() << " shares memory with the host";
  EXPECT_EQ(kind_of(device().allocate(64, MemoryKind::shared)), ErrorKind::unsupported);
}

TEST_P(MemoryContract, HostPointersAreOfTheWholeBuffer) {
  const StreamPtr s = stream();
  std::vector<char> host(1000);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<char>(i);
  const BufferPtr b = buffer_with(*s, host);
  for (const std::byte* const view : {static_cast<const std::byte*>(b->host), b->host_view}) {
    if (view == nullptr) continue;
    EXPECT_EQ(std::memcmp(view, host.data(), host.size()), 0);
  }
}

TEST_P(MemoryContract, ExhaustedMemoryIsReported) {
  auto raw = open_device(GetParam());
  ASSERT_OK(raw);
  EXPECT_EQ(kind_of((*raw)->allocate(uint64_t{1} << 60, MemoryKind::device)), ErrorKind::out_of_memory);
  EXPECT_OK((*raw)->allocate(64, MemoryKind::device));  // the device stays usable
}

TEST_P(MemoryContract, ImportsHostMemoryOrSaysThatItCannot) {
  alignas(4096) static std::byte page[4096];
  auto imported = device().import_host_memory(page, sizeof page);
  if (!imported.ok()) {
    EXPECT_EQ(imported.error().kind(), ErrorKind::unsupported) << imported.error().message();
    GTEST_SKIP() << imported.error().message();
  }
  std::memset(page, 7, sizeof page);
  const StreamPtr s = stream();
  EXPECT_EQ(contents<unsigned char>(*s, **imported), std::vector<unsigned char>(4096, 7));
  driver::Kernel* const negate = kernel(contract_negate.text());
  if (negate == nullptr) return;
  const int n = 1;
  ASSERT_OK(launch(*s, *negate, {1, 1, 1}, {1, 1, 1}, {place_of(**imported), value_of(n)}));
  ASSERT_OK(device().synchronize(*s));
  imported->reset();  // the memory stays the caller's
  int first = 0;
  std::memcpy(&first, page, sizeof first);
  EXPECT_EQ(first, -0x07070707);
}

TEST_P(MemoryContract, BuffersAreFreedInAnyOrder) {
  std::vector<BufferPtr> all;
  for (uint64_t i = 0; i < 32; ++i) all.push_back(buffer(64 * (i + 1)));
  for (size_t i = 0; i < all.size(); i += 2) device().destroy(std::move(all[i]));
  for (size_t i = all.size(); i-- > 0;) all[i].reset();
}

}  // namespace
}  // namespace quern::contract
