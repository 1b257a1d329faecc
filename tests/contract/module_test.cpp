// Modules, kernels and variables.
#include "contract/contract.hpp"
#include "target/portable.hpp"

namespace quern::contract {
namespace {

QUERN_KERNEL(contract_add, (const float* a, const float* b, float* out, int n, float scale), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (a[i] + b[i]) * scale;
})

constexpr const char* kCounters = R"(
__device__ int counter = 5;
__constant__ int steps[2] = {10, 20};
__global__ void advance(int by) { if (threadIdx.x == 0) counter += by * steps[1]; }
__global__ void read_counter(int* out) { if (threadIdx.x == 0) out[0] = counter + steps[0]; }
)";

class ModuleContract : public Contract {
 protected:
  // Whether the device compiles text, and has the features.
  bool takes_text(driver::FeatureSet needs = {}) {
    const bool only_host = info().code.empty() || target::takes_only_host_functions(info());
    return !only_host && needs.missing_from(info().features).empty();
  }
};
QUERN_CONTRACT(ModuleContract);

TEST_P(ModuleContract, DescribesItsKernels) {
  driver::Kernel* const k = kernel(contract_add.text());
  if (k == nullptr) return;
  EXPECT_EQ(k->info.name, "contract_add");
  ASSERT_GE(k->info.params.size(), 5u);
  const bool is_pointer[] = {true, true, true, false, false};
  const char* const names[] = {"a", "b", "out", "n", "scale"};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(k->info.params[i].is_pointer, is_pointer[i]);
    EXPECT_EQ(k->info.params[i].name, names[i]);
    EXPECT_EQ(k->info.params[i].role, driver::ParamRole::kUser);
  }
  EXPECT_EQ(k->info.params[3].bytes, 4u);
  EXPECT_LE(k->max_threads, info().limits.block_threads);
}

TEST_P(ModuleContract, UnknownKernelIsNotFound) {
  if (kernel(contract_add.text()) == nullptr) return;
  auto code = code_for(info(), contract_add.text());
  ASSERT_OK(code);
  auto module = device().load(*code);
  ASSERT_OK(module);
  const auto missing = device().kernel(**module, "no_such_kernel");
  ASSERT_EQ(kind_of(missing), ErrorKind::not_found);
  EXPECT_NE(missing.error().message().find("no_such_kernel"), std::string::npos);
}

TEST_P(ModuleContract, LoadsOneModuleManyTimes) {
  if (kernel(contract_add.text()) == nullptr) return;
  const auto code = code_for(info(), contract_add.text());
  ASSERT_OK(code);
  for (int i = 0; i < 3; ++i) {
    auto module = device().load(*code);
    ASSERT_OK(module);
    auto k = device().kernel(**module, "contract_add");
    ASSERT_OK(k);
    device().destroy(std::move(*k));  // the module outlives its kernels
    device().destroy(std::move(*module));
  }
}

TEST_P(ModuleContract, PreparesLaunches) {
  driver::Kernel* const k = kernel(contract_add.text());
  if (k == nullptr) return;
  EXPECT_OK(device().prepare(*k, {32, 1, 1}, 0));
  const auto again = device().prepare(*k, {32, 1, 1}, 0);
  ASSERT_OK(again);
  EXPECT_FALSE(*again) << "the second call found something to compile";
}

TEST_P(ModuleContract, OccupancyIsWithinLimits) {
  driver::Kernel* const k = kernel(contract_add.text());
  if (k == nullptr) return;
  const driver::Occupancy o = device().occupancy(*k, 32, 0);
  EXPECT_LE(o.best_block, info().limits.block_threads);
  const uint32_t most = o.max_threads_per_unit == 0 ? ~0u : o.max_threads_per_unit;
  EXPECT_LE(o.max_blocks_per_unit * 32, most);
}

TEST_P(ModuleContract, BadCodeIsRefused) {
  if (!takes_text()) GTEST_SKIP() << info().id() << " takes no code as bytes";
  if (info().code.front() == driver::CodeKind::kIr) GTEST_SKIP() << info().id() << " takes no code as bytes";
  for (const std::string& bytes : {std::string("this is not code"), std::string(), std::string(64, '\xff')}) {
    driver::Code code;
    code.kind = info().code.front();
    code.bytes = bytes;
    code.name = "bad";
    code.is_raw = true;
    const auto module = device().load(code);
    if (module.ok()) {  // some APIs compile late: then the kernel is refused
      EXPECT_FALSE(device().kernel(**module, "k").ok());
      continue;
    }
    const ErrorKind kind = module.error().kind();
    const bool takes_no_raw_code = kind == ErrorKind::unsupported;
    EXPECT_TRUE(takes_no_raw_code || kind == ErrorKind::compile || kind == ErrorKind::bad_input)
        << module.error().to_string();
    EXPECT_FALSE(module.error().message().empty());
  }
  EXPECT_NE(kernel(contract_add.text()), nullptr);  // the device stays usable
}

TEST_P(ModuleContract, StoresItsBinaryOrSaysThatItCannot) {
  if (kernel(contract_add.text()) == nullptr) return;
  const auto code = code_for(info(), contract_add.text());
  ASSERT_OK(code);
  auto module = device().load(*code);
  ASSERT_OK(module);
  const auto binary = device().binary(**module);
  if (!binary.ok()) {
    EXPECT_EQ(binary.error().kind(), ErrorKind::unsupported) << binary.error().message();
    GTEST_SKIP() << binary.error().message();
  }
  EXPECT_FALSE(binary->bytes.empty());
  auto again = device().load(*binary);
  ASSERT_OK(again);
  EXPECT_OK(device().kernel(**again, "contract_add"));
}

TEST_P(ModuleContract, VariablesKeepTheirValues) {
  if (!takes_text({Feature::variables})) GTEST_SKIP() << info().id() << " has no variables in modules";
  const auto code = code_for(info(), kCounters);
  ASSERT_OK(code);
  auto module = device().load(*code);
  ASSERT_OK(module);
  auto advance = device().kernel(**module, "advance");
  auto read = device().kernel(**module, "read_counter");
  ASSERT_OK(advance);
  ASSERT_OK(read);
  const StreamPtr s = stream();
  const BufferPtr out = buffer(4);
  const auto counted = [&] {
    EXPECT_OK(launch(*s, **read, {1, 1, 1}, {1, 1, 1}, {place_of(*out)}));
    return contents<int>(*s, *out).front();
  };
  EXPECT_EQ(counted(), 15);  // the initial values
  const int by = 2;
  ASSERT_OK(launch(*s, **advance, {1, 1, 1}, {1, 1, 1}, {value_of(by)}));
  EXPECT_EQ(counted(), 55);

  const auto place = device().variable(**module, "counter");
  ASSERT_OK(place);
  int value = 0;
  ASSERT_OK(device().download(*s, &value, *place, sizeof value));
  ASSERT_OK(device().synchronize(*s));
  EXPECT_EQ(value, 45);
  value = 100;
  ASSERT_OK(device().upload(*s, *place, &value, sizeof value));
  EXPECT_EQ(counted(), 110);
  EXPECT_EQ(kind_of(device().variable(**module, "no_such_variable")), ErrorKind::not_found);
}

TEST_P(ModuleContract, VariablesBelongToTheirModule) {
  if (!takes_text({Feature::variables})) GTEST_SKIP() << info().id() << " has no variables in modules";
  const auto code = code_for(info(), kCounters);
  ASSERT_OK(code);
  auto first = device().load(*code);
  auto second = device().load(*code);
  ASSERT_OK(first);
  ASSERT_OK(second);
  auto advance = device().kernel(**first, "advance");
  auto read = device().kernel(**second, "read_counter");
  ASSERT_OK(advance);
  ASSERT_OK(read);
  const StreamPtr s = stream();
  const BufferPtr out = buffer(4);
  const int by = 1;
  ASSERT_OK(launch(*s, **advance, {1, 1, 1}, {1, 1, 1}, {value_of(by)}));
  ASSERT_OK(launch(*s, **read, {1, 1, 1}, {1, 1, 1}, {place_of(*out)}));
  EXPECT_EQ(contents<int>(*s, *out).front(), 15);
}

}  // namespace
}  // namespace quern::contract
