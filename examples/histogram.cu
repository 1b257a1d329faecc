// Counts values into eight bins, incorrectly: two threads that update the same bin at the same time lose a
// count. On most hardware it even seems to work for small inputs. The simulator finds the race and reports
// both threads:
//   quern run examples/histogram.cu:histogram 100 i32[100]=rand:3 i32[8]=0 --on sim
__global__ void histogram(int n, const int* data, int* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[data[i] & 7] += 1;
}

// The correct version: atomicAdd makes the read, the addition and the write one operation.
__global__ void histogram_atomic(int n, const int* data, int* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & 7], 1);
}
