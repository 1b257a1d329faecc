#include "lang/builtin/headers.hpp"

#include <gtest/gtest.h>

namespace quern::lang {
namespace {

TEST(Headers, AreSortedAndFound) {
  auto headers = builtin_headers();
  for (size_t i = 0; i < headers.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(headers[i - 1].name, headers[i].name);
    }
    EXPECT_EQ(find_builtin_header(headers[i].name), &headers[i]);
    EXPECT_TRUE(find_unsupported_header(headers[i].name).empty()) << headers[i].name;
  }
}

TEST(Headers, KnowCudaAndTheStandardLibrary) {
  for (std::string_view name :
       {"cuda_runtime.h", "cuda_fp16.h", "cooperative_groups.h", "cooperative_groups/reduce.h",
        "device_launch_parameters.h", "math_constants.h", "stdio.h", "cmath", "type_traits",
        "cuda/std/type_traits", "cuda/atomic", "mma.h", "cub/cub.cuh", "cuda_fp8.h", "curand_kernel.h",
        "cub/block/block_reduce.cuh"}) {
    EXPECT_NE(find_builtin_header(name), nullptr) << name;
  }
}

TEST(Headers, LeaveTheProgramsOwn) {
  for (std::string_view name : {"", "helper_math.h", "helper_cuda.h", "cuda", "cmath.h", "iostream"}) {
    EXPECT_EQ(find_builtin_header(name), nullptr) << name;
    EXPECT_TRUE(find_unsupported_header(name).empty()) << name;
  }
}

TEST(Headers, ExplainWhatIsNotCarried) {
  for (std::string_view name : {"cub/device/device_reduce.cuh", "thrust/device_vector.h", "curand.h",
                                "curand_mtgp32_host.h", "cuda_awbarrier.h", "cute/tensor.hpp"}) {
    EXPECT_EQ(find_builtin_header(name), nullptr) << name;
    EXPECT_FALSE(find_unsupported_header(name).empty()) << name;
    EXPECT_FALSE(find_unsupported_header(name).ends_with('.')) << name;
  }
}

}  // namespace
}  // namespace quern::lang
