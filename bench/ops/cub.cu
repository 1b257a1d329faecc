// Functions of CUB for bench_cub. Build:
//   nvcc -std=c++17 -O2 -arch=native -shared -Xcompiler -fPIC bench/ops/cub.cu -o libbench_cub.so
// Each returns a CUDA error. Without temporary memory, they return its size.
#include <cstddef>
#include <cstdint>

#include <cub/cub.cuh>

extern "C" {

int bench_cub_sum(void* memory, std::size_t* size, const float* in, float* out, std::int64_t n) {
  return cub::DeviceReduce::Sum(memory, *size, in, out, n);
}
int bench_cub_scan(void* memory, std::size_t* size, const std::int32_t* in, std::int32_t* out, std::int64_t n) {
  return cub::DeviceScan::InclusiveSum(memory, *size, in, out, n);
}
int bench_cub_scan_float(void* memory, std::size_t* size, const float* in, float* out, std::int64_t n) {
  return cub::DeviceScan::InclusiveSum(memory, *size, in, out, n);
}
int bench_cub_sort(void* memory, std::size_t* size, const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  return cub::DeviceRadixSort::SortKeys(memory, *size, in, out, n);
}
int bench_cub_sort_wide(void* memory, std::size_t* size, const std::uint64_t* in, std::uint64_t* out, std::int64_t n) {
  return cub::DeviceRadixSort::SortKeys(memory, *size, in, out, n);
}
int bench_cub_sort_pairs(void* memory, std::size_t* size, const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  return cub::DeviceRadixSort::SortPairs(memory, *size, in, out, in, out + n, n);  // the values are the keys
}
int bench_cub_wait() { return cudaDeviceSynchronize(); }
}
