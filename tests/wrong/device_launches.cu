__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child(out, 1); }
//! 2:31: a kernel cannot be called like a function; launch it: kernel<<<grid, block>>>(…)
//---
__device__ void helper(int* out) { out[0] = 1; }
__global__ void k(int* out) { helper<<<1, 1>>>(out); }
//! 2:31: 'helper' cannot be launched: it is not a kernel (__global__); call it
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child<<<1>>>(out, 1); }
//! 2:31: a launch takes 2 to 4 values between '<<<' and '>>>', got 1; write the grid, the block, and optionally the bytes of shared memory and the stream
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child<<<1, 1>>>(out); }
//! 2:31: no matching function for call to 'child': it takes 2 arguments, got 1
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out, float* f) { child<<<1, 1>>>(f, 1); }
//! 2:57: 'child' expects 'int*' for parameter 'out' (1st), got 'float*'
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child<<<1, 1>>; }
//! 2:36: '>>>' is missing after the configuration of the launch
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child<<<1, 1>>>; }
//! 2:46: expected '(' after '>>>'; write () if the kernel takes no arguments
//---
__global__ void child(int* out, int n) { out[0] = n; }
__global__ void k(int* out) { child<<<1, 1 2>>>(out, 1); }
//! 2:44: expected ',' or '>>>' in the configuration of the launch
//---
__global__ void child(int* out, int n) { out[0] = missing; }
__global__ void k(int* out) { child<<<1, 1>>>(out, 1); }
//! 1:51: 'missing' is not declared in this scope
//---
__global__ void child(int* out) { out[0] = 1; }
__global__ void k(int* out, cudaStream_t s) { child<<<1, 1>>>(out); cudaStreamSynchronize(s); }
//! 2:69: 'cudaStreamSynchronize' is not supported: streams in kernels can only be launched on; use cudaStreamTailLaunch for work after a child kernel
