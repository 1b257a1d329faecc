// Launches: indices, arguments of all kinds, limits, shared memory, output and faults.
#undef NDEBUG  // assertions in kernels are tested
#include <cassert>
#include <cstdio>

#include "contract/contract.hpp"

QUERN_CODE(struct ContractPair {
  int first;
  float second;
};)

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_indices, (unsigned* out), {
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread;
})

QUERN_KERNEL(contract_scalars, (int i, unsigned u, float f, bool yes, ContractPair pair, float* out), {
  out[0] = static_cast<float>(i);
  out[1] = static_cast<float>(u);
  out[2] = f;
  out[3] = yes ? 1.0f : 0.0f;
  out[4] = static_cast<float>(pair.first);
  out[5] = pair.second;
})

QUERN_KERNEL(contract_wide, (long long l, unsigned long long u, long long* out), {
  out[0] = l;
  out[1] = static_cast<long long>(u);
})

QUERN_KERNEL(contract_narrow, (signed char c, unsigned char b, short s, unsigned short u, int* out), {
  out[0] = c;
  out[1] = b;
  out[2] = s;
  out[3] = u;
})

QUERN_KERNEL(contract_double, (double d, double* out), { out[0] = d * 2; })

QUERN_KERNEL(contract_null, (const int* maybe, int* out), { out[0] = maybe == nullptr ? 1 : maybe[0]; })

QUERN_KERNEL(contract_bump, (int* value), {
  if (threadIdx.x == 0 && blockIdx.x == 0) value[0] = value[0] * 3 + 1;
})

QUERN_KERNEL(contract_count, (int* counter), { atomicAdd(counter, 1); })

QUERN_KERNEL(contract_reverse, (int* values), {
  __shared__ int copy[64];
  int i = threadIdx.x;
  copy[i] = values[i];
  __syncthreads();
  values[i] = copy[blockDim.x - 1 - i];
})

QUERN_KERNEL(contract_dynamic, (int* values), {
  QUERN_DYNAMIC_SHARED(int, copy);
  int i = threadIdx.x;
  copy[i] = values[i];
  __syncthreads();
  values[i] = copy[blockDim.x - 1 - i];
})

QUERN_KERNEL(contract_print, (int value), { printf("value %d\n", value); })

QUERN_KERNEL(contract_assert, (int value), { assert(value == 7); })

class LaunchContract : public Contract {};
QUERN_CONTRACT(LaunchContract);

TEST_P(LaunchContract, ThreadsHaveTheirIndices) {
  driver::Kernel* const k = kernel(contract_indices.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const Dim3 shapes[][2] = {{{1, 1, 1}, {1, 1, 1}}, {{5, 1, 1}, {7, 1, 1}}, {{2, 3, 4}, {4, 3, 2}}};
  for (const auto& [grid, block] : shapes) {
    const uint64_t threads = block.count();
    const BufferPtr out = buffer(grid.count() * threads * 4);
    ASSERT_OK(device().fill(*s, {out.get(), 0}, 0xffffffff, 4, out->bytes));
    ASSERT_OK(launch(*s, *k, grid, block, {place_of(*out)}));
    const auto values = contents<unsigned>(*s, *out);
    for (uint64_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i / threads * 1000 + i % threads);
  }
}

TEST_P(LaunchContract, PassesScalarsAndStructs) {
  driver::Kernel* const k = kernel(contract_scalars.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr out = buffer(24);
  const int i = -5;
  const unsigned u = 70000;
  const float f = 0.25f;
  const bool yes = true;
  const ContractPair pair{42, -1.5f};
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1},
                   {value_of(i), value_of(u), value_of(f), value_of(yes), value_of(pair), place_of(*out)}));
  EXPECT_EQ(contents<float>(*s, *out), (std::vector<float>{-5, 70000, 0.25f, 1, 42, -1.5f}));
}

TEST_P(LaunchContract, PassesWideScalars) {
  driver::Kernel* const k = kernel(contract_wide.text(), {.features = {Feature::int64}});
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr out = buffer(16);
  const long long l = -0x123456789abcdef;
  const unsigned long long u = 0x8000000000000001;
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {value_of(l), value_of(u), place_of(*out)}));
  EXPECT_EQ(contents<long long>(*s, *out), (std::vector<long long>{l, static_cast<long long>(u)}));
}

TEST_P(LaunchContract, PassesNarrowScalars) {
  driver::Kernel* const k = kernel(contract_narrow.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr out = buffer(16);
  const signed char c = -100;
  const unsigned char b = 200;
  const short h = -30000;
  const unsigned short u = 60000;
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1},
                   {value_of(c), value_of(b), value_of(h), value_of(u), place_of(*out)}));
  EXPECT_EQ(contents<int>(*s, *out), (std::vector<int>{-100, 200, -30000, 60000}));
}

TEST_P(LaunchContract, PassesDoubles) {
  driver::Kernel* const k = kernel(contract_double.text(), {.features = {Feature::fp64}});
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr out = buffer(8);
  const double d = 0.1;
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {value_of(d), place_of(*out)}));
  EXPECT_EQ(contents<double>(*s, *out).front(), 0.2);
}

TEST_P(LaunchContract, PassesNullAndOffsets) {
  driver::Kernel* const k = kernel(contract_null.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr in = buffer_with(*s, std::vector<int>{10, 20, 30, 40});
  const BufferPtr out = buffer_with(*s, std::vector<int>{0, 0, 0, 0});
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {Argument{}, place_of(*out, 0)}));
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {place_of(*in, 8), place_of(*out, 4)}));
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {place_of(*in, 4), place_of(*out, 12)}));
  EXPECT_EQ(contents<int>(*s, *out), (std::vector<int>{1, 30, 0, 20}));
}

TEST_P(LaunchContract, CopiesArgumentsBeforeItReturns) {
  driver::Kernel* const k = kernel(contract_narrow.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr out = buffer(16 * 8);
  for (int i = 0; i < 8; ++i) {
    signed char c = static_cast<signed char>(i);
    unsigned char b = 1;
    short h = 2;
    unsigned short u = 3;
    std::vector<Argument> arguments = {value_of(c), value_of(b), value_of(h), value_of(u),
                                       place_of(*out, 16 * static_cast<uint64_t>(i))};
    ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, arguments));
    c = 99;
    b = 99;
    h = 99;
    u = 99;
    arguments.assign(5, Argument{});
  }
  const auto values = contents<int>(*s, *out);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(values[4 * i], static_cast<int>(i));
    EXPECT_EQ(values[4 * i + 1], 1);
    EXPECT_EQ(values[4 * i + 3], 3);
  }
}

TEST_P(LaunchContract, RunsInOrder) {
  driver::Kernel* const k = kernel(contract_bump.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr value = buffer_with(*s, std::vector<int>{0});
  int expected = 0;
  for (int i = 0; i < 15; ++i) {
    ASSERT_OK(launch(*s, *k, {2, 1, 1}, {8, 1, 1}, {place_of(*value)}));
    expected = expected * 3 + 1;
  }
  EXPECT_EQ(contents<int>(*s, *value).front(), expected);
}

TEST_P(LaunchContract, RunsTheLargestBlock) {
  driver::Kernel* const k = kernel(contract_indices.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  uint32_t most = info().limits.block_threads;
  if (k->max_threads != 0) most = std::min(most, k->max_threads);
  most = std::min(most, info().limits.block.x);
  const BufferPtr out = buffer(uint64_t{most} * 4);
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {most, 1, 1}, {place_of(*out)}));
  EXPECT_EQ(contents<unsigned>(*s, *out).back(), most - 1);
}

TEST_P(LaunchContract, RunsManyBlocks) {
  driver::Kernel* const k = kernel(contract_count.text());
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const BufferPtr counter = buffer_with(*s, std::vector<int>{0});
  const uint32_t blocks = info().kind == driver::DeviceKind::simulated ? 1000 : 60000;
  ASSERT_OK(launch(*s, *k, {blocks, 1, 1}, {1, 1, 1}, {place_of(*counter)}));
  EXPECT_EQ(contents<int>(*s, *counter).front(), static_cast<int>(blocks));
}

TEST_P(LaunchContract, BarriersSynchronizeTheBlock) {
  driver::Kernel* const k = kernel(contract_reverse.text(), {.shared_bytes = 256});
  if (k == nullptr) return;
  EXPECT_GE(k->info.shared_bytes, 256u);
  const StreamPtr s = stream();
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[static_cast<size_t>(i)] = i;
  const BufferPtr b = buffer_with(*s, values);
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {64, 1, 1}, {place_of(*b)}));
  EXPECT_EQ(contents<int>(*s, *b), std::vector<int>(values.rbegin(), values.rend()));
}

TEST_P(LaunchContract, HasDynamicSharedMemoryUpToItsLimit) {
  driver::Kernel* const k = kernel(contract_dynamic.text(), {.features = {Feature::dynamic_shared}});
  if (k == nullptr) return;
  const StreamPtr s = stream();
  const uint64_t most = info().limits.shared_bytes - k->info.shared_bytes;
  for (const uint64_t bytes : {uint64_t{32}, most / 4 * 4}) {
    const BufferPtr b = buffer_with(*s, std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
    ASSERT_OK(launch(*s, *k, {1, 1, 1}, {8, 1, 1}, {place_of(*b)}, bytes)) << bytes << " bytes";
    EXPECT_EQ(contents<int>(*s, *b), (std::vector<int>{8, 7, 6, 5, 4, 3, 2, 1}));
  }
}

TEST_P(LaunchContract, CollectsTheOutputOfPrintf) {
  driver::Kernel* const k = kernel(contract_print.text(), {.features = {Feature::print}});
  if (k == nullptr) return;
  if (info().vendor_printf) GTEST_SKIP() << info().id() << " writes to the standard output itself";
  const StreamPtr s = stream();
  const StreamPtr other = stream();
  const int value = 17;
  ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {value_of(value)}));
  ASSERT_OK(device().synchronize(*s));
  EXPECT_EQ(device().take_output(*other), "") << "output is of one stream";
  EXPECT_EQ(device().take_output(*s), "value 17\n");
  EXPECT_EQ(device().take_output(*s), "") << "the output was taken";
}

TEST_P(LaunchContract, ReportsAFailedAssertOnce) {
  driver::Kernel* const k = kernel(contract_assert.text(), {.features = {Feature::assert}});
  if (k == nullptr) return;
  QUERN_IN_CHILD([&] {
    const StreamPtr s = stream();
    ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {value_of(7)}));
    EXPECT_OK(device().synchronize(*s));
    EXPECT_TRUE(device().take_findings(*s).empty());
    ASSERT_OK(launch(*s, *k, {1, 1, 1}, {1, 1, 1}, {value_of(8)}));
    const Result<> ended = device().synchronize(*s);
    if (info().vendor_printf) {
      EXPECT_EQ(kind_of(ended), ErrorKind::device_lost);
      return;
    }
    EXPECT_EQ(kind_of(ended), ErrorKind::kernel_fault);
    const auto findings = device().take_findings(*s);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, "assert");
    EXPECT_EQ(findings[0].kernel, "contract_assert");
    EXPECT_TRUE(device().take_findings(*s).empty());
  });
}

}  // namespace
}  // namespace quern::contract
