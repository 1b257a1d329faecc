// Incorrect uses of inline PTX.

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

//! run copy_not_waited_for(i32[32]=1, i32[32]) block 32
//! report uninitialized @
__global__ void copy_not_waited_for(const int* in, int* out) {
  __shared__ int tile[32];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + threadIdx.x)), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  out[threadIdx.x] = tile[threadIdx.x];  //@
}

//! run wait_for_too_few_groups(i32[64]=1, i32[32]) block 32
//! report uninitialized @
__global__ void wait_for_too_few_groups(const int* in, int* out) {
  __shared__ int tile[2][32];
  for (int s = 0; s < 2; ++s) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[s][threadIdx.x])),
                 "l"(in + s * 32 + threadIdx.x));
    asm volatile("cp.async.commit_group;");
  }
  asm volatile("cp.async.wait_group 1;");
  out[threadIdx.x] = tile[1][threadIdx.x];  //@
}

//! run copy_not_committed(i32[32]=1, i32[32]) block 32
//! report uninitialized @
__global__ void copy_not_committed(const int* in, int* out) {
  __shared__ int tile[32];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + threadIdx.x)), "l"(in + threadIdx.x));
  asm volatile("cp.async.wait_group 0;");
  out[threadIdx.x] = tile[threadIdx.x];  //@
}

//! run no_barrier_after_the_wait(i32[64]=1, i32[64]) block 64
//! report race @
__global__ void no_barrier_after_the_wait(const int* in, int* out) {
  __shared__ int tile[64];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + threadIdx.x)), "l"(in + threadIdx.x));  //@
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

//! run copy_not_aligned(i32[80]=1, i32[32]) block 4
//! report misaligned @
__global__ void copy_not_aligned(const int* in, int* out) {
  __shared__ alignas(16) int tile[32];
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(tile + threadIdx.x * 4)), "l"(in + 1 + threadIdx.x * 4));  //@
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = tile[threadIdx.x * 4];
}

//! run target_not_aligned(i32[80]=1, i32[32]) block 1
//! report misaligned @
__global__ void target_not_aligned(const int* in, int* out) {
  __shared__ alignas(16) int tile[32];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(tile) + 4), "l"(in));  //@
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = tile[1];
}

//! run copy_beyond_the_end(i32[31]=1, i32[32]) block 32
//! report out of bounds @
__global__ void copy_beyond_the_end(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + threadIdx.x)), "l"(in + threadIdx.x));  //@
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = tile[threadIdx.x];
}

//! run beyond_shared_memory(i32[33]) block 33
//! report out of bounds @
__global__ void beyond_shared_memory(int* out) {
  __shared__ int tile[32];
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_address(tile) + 4 * threadIdx.x), "r"(threadIdx.x));  //@
  out[threadIdx.x] = threadIdx.x;
}

//! run row_not_aligned(u32[32]) block 32
//! report misaligned @
__global__ void row_not_aligned(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[9][8];
  for (int i = threadIdx.x; i < 72; i += 32) tile[i / 8][i % 8] = 0;
  __syncwarp();
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(shared_address(tile[threadIdx.x % 8]) + 8));  //@
  out[threadIdx.x] = r;
}

//! run rows_not_synchronized(u32[64]) block 64
//! report race @
__global__ void rows_not_synchronized(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8][8];
  if (threadIdx.x < 64) tile[threadIdx.x / 8][threadIdx.x % 8] = 1;  //@
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(shared_address(tile[threadIdx.x % 8])));
  out[threadIdx.x] = r;
}

//! run half_of_a_warp_multiplies(f32[32]) block 32
//! report warp @
__global__ void half_of_a_warp_multiplies(float* out) {
  float d[4] = {};
  if (threadIdx.x < 16) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(0), "r"(0), "r"(0));  //@
  }
  out[threadIdx.x] = d[0];
}

//! run barrier_without_init(i32[32]) block 32
//! report uninitialized @
__global__ void barrier_without_init(int* out) {
  __shared__ alignas(8) unsigned long long bar;
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(&bar)));  //@
  out[threadIdx.x] = 1;
}
