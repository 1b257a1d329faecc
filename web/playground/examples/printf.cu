// printf in a kernel. The text appears below the picture area when the launch has ended.
// Arguments and launch size are in the panel "Launch": change them and run again.

#include <cstdio>

__global__ void hello(int number, float factor) {
  unsigned int lane = threadIdx.x % warpSize;
  if (lane != 0) return;
  printf("block %u, warp %u: %d * %g = %g\n", blockIdx.x, threadIdx.x / warpSize, number, factor, number * factor);
}

// A sum over each block by warp shuffles; one line per block.
__global__ void sum(const float* values, int n) {
  __shared__ float parts[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? values[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) total += parts[warp];
  printf("block %u: the sum of values[%u..%u] is %g\n", blockIdx.x, i, min(n, i + blockDim.x) - 1, total);
}
