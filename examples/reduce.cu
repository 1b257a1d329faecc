// The sum of n values: each thread strides over the input, each warp adds up with shuffles, the first warp adds up the
// warps, and each block adds its share to the result. Blocks must be whole warps: every lane takes part in the shuffles.
//   quern run examples/reduce.cu:reduce 1000 f32[1000]=iota f32[1]=0 --grid 2 --block 256 --on sim --print total[0:1]
__device__ float warp_sum(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void __launch_bounds__(1024) reduce(int n, const float* __restrict__ values, float* total) {
  __shared__ float warp_totals[32];
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  const int warps = blockDim.x / warpSize;

  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += values[i];

  sum = warp_sum(sum);
  if (lane == 0) warp_totals[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < warps ? warp_totals[lane] : 0.0f);
    if (lane == 0) atomicAdd(total, sum);
  }
}
