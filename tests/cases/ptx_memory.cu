// Inline PTX on memory: shared memory by 32-bit addresses, cache hints, atomics, asynchronous copies, barriers.

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

//! run through_shared(i32[64]) block 64
//! out[0:3] = 63 62 61
//! out[62:64] = 1 0
__global__ void through_shared(int* out) {
  __shared__ int tile[64];
  const unsigned at = shared_address(tile);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + threadIdx.x * 4), "r"((int)threadIdx.x) : "memory");
  __syncthreads();
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at + (63 - threadIdx.x) * 4));
  out[threadIdx.x] = v;
}

//! run shared_vectors(f32[16], f32[16]=iota) block 4
//! out = 12 13 14 15 8 9 10 11 4 5 6 7 0 1 2 3
__global__ void shared_vectors(float* out, const float* in) {
  __shared__ alignas(16) float tile[16];
  const unsigned at = shared_address(tile);
  const int t = threadIdx.x;
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at + t * 16), "f"(in[4 * t]), "f"(in[4 * t + 1]),
               "f"(in[4 * t + 2]), "f"(in[4 * t + 3])
               : "memory");
  __syncthreads();
  float a, b, c, d;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%4];\n\tld.shared.v2.f32 {%2, %3}, [%4 + 8];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "r"(at + (3 - t) * 16));
  out[4 * t] = a, out[4 * t + 1] = b, out[4 * t + 2] = c, out[4 * t + 3] = d;
}

//! run narrow_shared(i32[4]) block 4
//! out = 103 102 101 100
__global__ void narrow_shared(int* out) {
  __shared__ unsigned short tile[4];
  const unsigned at = shared_address(tile);
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(at + threadIdx.x * 2), "h"((unsigned short)(100 + threadIdx.x)) : "memory");
  __syncthreads();
  unsigned short v;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(at + (3 - threadIdx.x) * 2));
  out[threadIdx.x] = v;
}

//! run two_variables(i32[32]) block 32
//! out[0:4] = 1 0 3 2
//! out[28:32] = 29 28 31 30
__global__ void two_variables(int* out) {
  __shared__ int first[16];
  __shared__ int second[16];
  const unsigned a = shared_address(first), b = shared_address(second);
  const unsigned t = threadIdx.x;
  const unsigned at = t < 16 ? a + t * 4 : b + (t - 16) * 4;
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(t) : "memory");
  __syncthreads();
  unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at ^ 4));
  out[t] = v;
}

//! run static_and_dynamic(i32[8]) block 8 shared 64
//! out = 14 12 10 8 6 4 2 0
__global__ void static_and_dynamic(int* out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[8];
  const unsigned t = threadIdx.x;
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_address(dynamic) + 4 * t), "r"(t) : "memory");
  asm volatile("st.shared.u32 [%0 + 0], %1;" ::"r"(shared_address(&fixed[t])), "r"(t) : "memory");
  __syncthreads();
  int a, b;
  asm volatile("ld.shared.u32 %0, [%1 + 28];" : "=r"(a) : "r"(shared_address(dynamic) - 4 * t));
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(b) : "r"(shared_address(fixed + 7 - t)));
  out[t] = a + b;
}

//! run chosen_at_run_time(i32[1]=1, i32[8]) block 8
//! out = 8 9 10 11 12 13 14 15
__global__ void chosen_at_run_time(const int* which, int* out) {
  __shared__ int a[8];
  __shared__ int b[8];
  a[threadIdx.x] = threadIdx.x;
  b[threadIdx.x] = threadIdx.x + 8;
  __syncthreads();
  const int* p = which[0] != 0 ? b : a;
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared_address(p + threadIdx.x)));
  out[threadIdx.x] = v;
}

__device__ unsigned as_number(const void* p) {
  unsigned at;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(at) : "l"(p));
  return at;
}

//! run converted_in_ptx(i32[8]) block 8
//! out = 70 60 50 40 30 20 10 0
__global__ void converted_in_ptx(int* out) {
  __shared__ int tile[8];
  tile[threadIdx.x] = threadIdx.x * 10;
  __syncthreads();
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(as_number(&tile[7 - threadIdx.x])));
  out[threadIdx.x] = v;
}

//! run shared_atomics(u32[8]) block 64
//! out = 2016 64 63 0 64 4294967295 1 5
__global__ void shared_atomics(unsigned* out) {
  __shared__ unsigned cells[8];
  if (threadIdx.x < 8) cells[threadIdx.x] = threadIdx.x == 3 ? 1000 : 0;
  __syncthreads();
  const unsigned at = shared_address(cells), t = threadIdx.x;
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(t) : "memory");
  unsigned old;
  asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(old) : "r"(at + 4) : "memory");
  asm volatile("red.shared.max.u32 [%0 + 8], %1;" ::"r"(at), "r"(t) : "memory");
  asm volatile("atom.shared.min.u32 %0, [%1], %2;" : "=r"(old) : "r"(at + 12), "r"(t) : "memory");
  asm volatile("atom.shared.inc.u32 %0, [%1], 1000;" : "=r"(old) : "r"(at + 16) : "memory");
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(at + 20), "r"(1u << (t & 31)) : "memory");
  asm volatile("atom.shared.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "r"(at + 24) : "memory");
  if (t == 9) asm volatile("atom.shared.exch.b32 %0, [%1], 5;" : "=r"(old) : "r"(at + 28) : "memory");
  __syncthreads();
  if (t < 8) out[t] = cells[t];
}

//! run global_atomics(u32[4]=0, f32[1]=0) block 32
//! cells = 496 31 0 32
//! sum = 48
__global__ void global_atomics(unsigned* cells, float* sum) {
  const unsigned t = threadIdx.x;
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(cells), "r"(t) : "memory");
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(cells + 1), "r"(t) : "memory");
  asm volatile("atom.global.gpu.and.b32 %0, [%1 + 8], %2;" : "=r"(old) : "l"(cells), "r"(t) : "memory");
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(cells + 3) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(sum), "f"(1.5f) : "memory");
}

//! run cache_hints(f32[16]=iota, f32[16]) block 4
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
__global__ void cache_hints(const float* in, float* out) {
  float a, b, c, d;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(in + threadIdx.x * 4));
  asm volatile("st.global.L1::no_allocate.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x * 4), "f"(a), "f"(b),
               "f"(c), "f"(d)
               : "memory");
}

//! run cache_operators(i32[8]=iota, i32[8]) block 8
//! out = 0 2 4 6 8 10 12 14
__global__ void cache_operators(const int* in, int* out) {
  int a, b;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(a) : "l"(in + threadIdx.x));
  asm volatile("ld.global.cs.s32 %0, [%1];" : "=r"(b) : "l"(in + threadIdx.x));
  asm volatile("st.global.wt.s32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(a + b) : "memory");
}

//! run ordered_accesses(i32[2]=0, i32[1]) block 32
//! out = 42
__global__ void ordered_accesses(int* cells, int* out) {
  if (threadIdx.x == 0) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(cells), "r"(42) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(cells + 1), "r"(1) : "memory");
  }
  __syncthreads();
  int flag, value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(cells + 1) : "memory");
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(cells) : "memory");
  if (threadIdx.x == 5) out[0] = flag ? value : -1;
}

//! run whole_block_barriers(i32[64]) block 64
//! out[0:2] = 63 62
//! out[63:64] = 0
__global__ void whole_block_barriers(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 1;" ::: "memory");
  const int v = tile[63 - threadIdx.x];
  asm volatile("barrier.sync 0;" ::: "memory");
  tile[threadIdx.x] = v;
  asm volatile("membar.cta;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

template <int Bytes> __device__ void copy_async(unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
}

//! run copies_of_all_sizes(i32[28]=iota, i32[28]) block 4
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
__global__ void copies_of_all_sizes(const int* in, int* out) {
  __shared__ alignas(16) int tile[28];
  const unsigned at = shared_address(tile), t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + t * 16), "l"(in + 4 * t) : "memory");
  copy_async<8>(at + 64 + t * 8, in + 16 + 2 * t);
  copy_async<4>(at + 96 + t * 4, in + 24 + t);
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int i = t; i < 28; i += 4) out[i] = tile[27 - (27 - i)];
}

//! run copy_with_zeros(i32[16]=7, i32[16]) block 4
//! out = 0 0 0 0 7 0 0 0 7 7 0 0 7 7 7 0
__global__ void copy_with_zeros(const int* in, int* out) {
  __shared__ alignas(16) int tile[16];
  const unsigned t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(tile + 4 * t)),
               "l"(in + 4 * t), "r"(t * 4)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[4 * t + i] = tile[4 * t + i];
}

//! run copy_if(i32[8]=iota, i32[8]) block 8
//! out = 100 1 102 3 104 5 106 7
__global__ void copy_if(const int* in, int* out) {
  __shared__ int tile[8];
  const unsigned t = threadIdx.x;
  tile[t] = 100 + t;
  asm volatile("{\n"
               " .reg .pred p;\n"
               " setp.ne.b32 p, %0, 0;\n"
               " @p cp.async.ca.shared.global [%1], [%2], 4;\n"
               "}\n" ::"r"(t & 1), "r"(shared_address(tile + t)), "l"(in + t)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = tile[t];
}

//! run stages(i32[64]=iota, i32[1]=0) block 8
//! sum = 2016
__global__ void stages(const int* in, int* sum) {
  __shared__ int tile[3][8];
  const unsigned t = threadIdx.x;
  int own = 0;
  for (int s = 0; s < 2; ++s) {
    copy_async<4>(shared_address(&tile[s][t]), in + s * 8 + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int s = 0; s < 8; ++s) {
    if (s + 2 < 8) copy_async<4>(shared_address(&tile[(s + 2) % 3][t]), in + (s + 2) * 8 + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(2) : "memory");
    __syncthreads();
    own += tile[s % 3][7 - t];
    __syncthreads();
  }
  atomicAdd(sum, own);
}

//! run barrier_objects(i32[64]) block 64
//! out[0:2] = 63 62
//! out[62:64] = 1 0
__global__ void barrier_objects(int* out) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int tile[64];
  const unsigned at = shared_address(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at), "l"(token)
                 : "memory");
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__device__ void wait_parity(unsigned bar, unsigned parity) {
  int done = 0;
  while (!done) {
    asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}\n"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
  }
}

//! run barrier_phases(i32[32]) block 32
//! out = 120*32
__global__ void barrier_phases(int* out) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int tile[32];
  const unsigned at = shared_address(&bar), t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  int sum = 0;
  unsigned parity = 0;
  for (int i = 0; i < 16; ++i) {
    tile[t] = i;
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(at) : "memory");
    wait_parity(at, parity);
    parity ^= 1;
    sum += tile[(t + i) % 32];
    __syncthreads();
  }
  out[t] = sum;
}

//! run shuffles(i32[32], u32[1]) block 32
//! out[0:4] = 1 0 3 2
//! ballot = 1431655765
__global__ void shuffles(int* out, unsigned* ballot) {
  int v;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(v) : "r"((int)threadIdx.x));
  unsigned votes;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes)
               : "r"(threadIdx.x & 1));
  out[threadIdx.x] = v;
  if (threadIdx.x == 0) ballot[0] = votes;
}

//! run plain_text_around(i32[4]) block 4
//! out = 0 1 4 9
__global__ void plain_text_around(int* out) {
  __shared__ int tile[4];
  const unsigned at = shared_address(tile) + threadIdx.x * 4;
  int v;
  asm volatile("{\n .reg .u32 t; // a register\n mul.lo.u32 t, %2, %2;\n st.shared.u32 [%1], t;\n ld.shared.u32 %0, [%1];\n}"
               : "=r"(v)
               : "r"(at), "r"(threadIdx.x)
               : "memory");
  out[threadIdx.x] = v;
}
