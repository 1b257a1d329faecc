// Atomic operations on every type and in every scope.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

//! run add_int(i32[1]=100) grid 2 block 32
//! sum = 164
__global__ void add_int(int* sum) { atomicAdd(sum, 1); }

//! run add_unsigned(u32[1]=4294967290) block 10
//! sum = 4
__global__ void add_unsigned(unsigned* sum) { atomicAdd(sum, 1u); }

//! run add_long(u64[1]=4294967295) block 4
//! sum = 4294967305
__global__ void add_long(unsigned long long* sum) { atomicAdd(sum, (unsigned long long)threadIdx.x + 1); }

//! run add_size(u64[1]=0) block 8
//! count = 8
__global__ void add_size(size_t* count) { atomicAdd(count, (size_t)1); }

//! run add_float(f32[1]=0.5) grid 4 block 8
//! sum = 64.5
__global__ void add_float(float* sum) { atomicAdd(sum, 2.0f); }

//! run add_double(f64[1]=0) block 32
//! sum = 8
__global__ void add_double(double* sum) { atomicAdd(sum, 0.25); }

//! run add_half(f16[1]=0) block 8
//! sum = 4
__global__ void add_half(__half* sum) { atomicAdd(sum, __float2half(0.5f)); }

//! run add_half_pair(f16x2[1]=0) block 4
//! sum = {4, -8}
__global__ void add_half_pair(__half2* sum) { atomicAdd(sum, __floats2half2_rn(1.0f, -2.0f)); }

//! run add_bfloat(bf16[1]=1) block 4
//! sum = 9
__global__ void add_bfloat(__nv_bfloat16* sum) { atomicAdd(sum, __float2bfloat16(2.0f)); }

//! run subtract(i32[1]=10, u32[1]=3) block 5
//! a = 0
//! b = 4294967294
__global__ void subtract(int* a, unsigned* b) {
  atomicSub(a, 2);
  atomicSub(b, 1u);
}

//! run old_values_are_distinct(i32[1]=0, i32[64]=0) grid 2 block 32
//! counter = 64
//! taken = 1*64
__global__ void old_values_are_distinct(int* counter, int* taken) { taken[atomicAdd(counter, 1)] += 1; }

//! run old_value_of_one_thread(i32[6]=12, i32[6])
//! old = 12 12 12 12 12 12
//! cells = 17 7 5 12 20 8
__global__ void old_value_of_one_thread(int* cells, int* old) {
  old[0] = atomicAdd(&cells[0], 5);
  old[1] = atomicSub(&cells[1], 5);
  old[2] = atomicExch(&cells[2], 5);
  old[3] = atomicMin(&cells[3], 20);
  old[4] = atomicMax(&cells[4], 20);
  old[5] = atomicAnd(&cells[5], 9);
}

//! run exchange(i32[1]=-1, i32[33]=0) block 32
//! seen = 1*33
__global__ void exchange(int* cell, int* seen) {
  // A chain: every thread gets the value that another one left. The last one remains.
  int got = atomicExch(cell, (int)threadIdx.x);
  atomicAdd(&seen[got + 1], 1);
  __syncthreads();
  if (threadIdx.x == 0) seen[*cell + 1] += 1;
}

//! run exchange_float(f32[1]=1.5, f32[1])
//! cell = 2.5
//! old = 1.5
__global__ void exchange_float(float* cell, float* old) { *old = atomicExch(cell, 2.5f); }

//! run exchange_long(u64[1]=9000000000, u64[1])
//! cell = 7
//! old = 9000000000
__global__ void exchange_long(unsigned long long* cell, unsigned long long* old) {
  *old = atomicExch(cell, 7ull);
}

//! run smallest_and_largest(i32[2]=0) block 32
//! cells = -16 15
__global__ void smallest_and_largest(int* cells) {
  int v = (int)threadIdx.x - 16;
  atomicMin(&cells[0], v);
  atomicMax(&cells[1], v);
}

//! run smallest_and_largest_unsigned(u32[2]=5) block 8
//! cells = 5 4294967295
__global__ void smallest_and_largest_unsigned(unsigned* cells) {
  unsigned v = 0u - 1u - threadIdx.x;
  atomicMin(&cells[0], v);
  atomicMax(&cells[1], v);
}

//! run smallest_and_largest_long(i64[2]=0) block 8
//! cells = -5000000000 2000000000
__global__ void smallest_and_largest_long(long long* cells) {
  long long v = (long long)threadIdx.x * 1000000000 - 5000000000ll;
  atomicMin(&cells[0], v);
  atomicMax(&cells[1], v);
}

//! run bits(u32[3]=4294967295) block 4
//! cells = 4294967280 4294967295 4294967280
__global__ void bits(unsigned* cells) {
  unsigned bit = 1u << threadIdx.x;
  atomicAnd(&cells[0], ~bit);
  atomicOr(&cells[1], bit);
  atomicXor(&cells[2], bit);
}

//! run bits_of_int(i32[3]=0) block 8
//! cells = 0 255 255
__global__ void bits_of_int(int* cells) {
  int bit = 1 << threadIdx.x;
  atomicAnd(&cells[0], bit);
  atomicOr(&cells[1], bit);
  atomicXor(&cells[2], bit);
}

//! run bits_of_long(u64[3]=0) block 33
//! cells = 0 8589934591 8589934591
__global__ void bits_of_long(unsigned long long* cells) {
  unsigned long long bit = 1ull << threadIdx.x;
  atomicAnd(&cells[0], bit);
  atomicOr(&cells[1], bit);
  atomicXor(&cells[2], bit);
}

//! run increment_wraps(u32[1]=0, u32[8]=0) block 8
//! cell = 2
//! seen = 3 3 2 0 0 0 0 0
__global__ void increment_wraps(unsigned* cell, unsigned* seen) {
  unsigned old = atomicInc(cell, 2);
  atomicAdd(&seen[old], 1u);
}

//! run decrement_wraps(u32[1]=1, u32[4]=0) block 6
//! cell = 3
//! seen = 2 2 1 1
__global__ void decrement_wraps(unsigned* cell, unsigned* seen) {
  unsigned old = atomicDec(cell, 3);
  atomicAdd(&seen[old], 1u);
}

//! run decrement_from_above(u32[2]=9, u32[2])
//! cells = 4 0
//! old = 9 9
__global__ void decrement_from_above(unsigned* cells, unsigned* old) {
  old[0] = atomicDec(&cells[0], 4);
  old[1] = atomicInc(&cells[1], 4);
}

//! run compare_and_swap(i32[2]=5, i32[2])
//! cells = 9 5
//! old = 5 5
__global__ void compare_and_swap(int* cells, int* old) {
  old[0] = atomicCAS(&cells[0], 5, 9);
  old[1] = atomicCAS(&cells[1], 6, 9);
}

//! run compare_and_swap_elects_one(i32[1]=-1, i32[1]=0) grid 4 block 16
//! winners = 1
__global__ void compare_and_swap_elects_one(int* owner, int* winners) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicCAS(owner, -1, me) == -1) atomicAdd(winners, 1);
}

//! run compare_and_swap_long(u64[1]=5000000000, u64[1])
//! cell = 6000000000
//! old = 5000000000
__global__ void compare_and_swap_long(unsigned long long* cell, unsigned long long* old) {
  *old = atomicCAS(cell, 5000000000ull, 6000000000ull);
}

//! run compare_and_swap_short(u16[2]=7, u16[1])
//! cells = 8 7
//! old = 7
__global__ void compare_and_swap_short(unsigned short* cells, unsigned short* old) {
  *old = atomicCAS(&cells[0], (unsigned short)7, (unsigned short)8);
}

__device__ double add_by_swapping(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
//! run swap_loop(f64[1]=0.5) block 16
//! sum = 120.5
__global__ void swap_loop(double* sum) { add_by_swapping(sum, threadIdx.x); }

__device__ float max_by_swapping(float* address, float value) {
  int* cell = (int*)address;
  int old = atomicAdd(cell, 0);
  while (value > __int_as_float(old)) {
    int assumed = old;
    old = atomicCAS(cell, assumed, __float_as_int(value));
    if (assumed == old) break;
  }
  return __int_as_float(old);
}
//! run float_maximum(f32[1]=-100) grid 2 block 32
//! most = 15.5
__global__ void float_maximum(float* most) {
  int i = threadIdx.x + blockIdx.x * 32;
  max_by_swapping(most, i * 0.5f - (i == 63 ? 20 : 15.5f));
}

//! run multiply_by_swapping(u32[1]=1) block 8
//! product = 40320
__global__ void multiply_by_swapping(unsigned* product) {
  unsigned old = atomicOr(product, 0u), seen;
  do {
    seen = old;
    old = atomicCAS(product, seen, seen * (threadIdx.x + 1));
  } while (old != seen);
}

//! run on_shared_memory(i32[1]) block 64
//! out = 2016
__global__ void on_shared_memory(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

//! run long_on_shared_memory(u64[1], i64[2]) block 64
//! sum = 2173253451776
//! ends = -63000000000 5
__global__ void long_on_shared_memory(unsigned long long* sum, long long* ends) {
  __shared__ unsigned long long total;
  __shared__ long long range[2];
  if (threadIdx.x == 0) {
    total = 1ull << 33;
    range[0] = range[1] = 5;
  }
  __syncthreads();
  atomicAdd(&total, (unsigned long long)threadIdx.x << 30);
  atomicMin(&range[0], -(long long)threadIdx.x * 1000000000);
  atomicMax(&range[1], -(long long)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    *sum = total;
    ends[0] = range[0];
    ends[1] = range[1];
  }
}

//! run double_on_shared_memory(f64[2]) block 64
//! sums = 249 258
__global__ void double_on_shared_memory(double* sums) {
  __shared__ double parts[2];
  if (threadIdx.x < 2) parts[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  atomicAdd(&parts[threadIdx.x & 1], 0.25 * threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 2) sums[threadIdx.x] = parts[threadIdx.x];
}

//! run smallest_and_largest_unsigned_long(u64[2]=9000000000) block 8
//! cells = 8999999993 18446744073709551608
__global__ void smallest_and_largest_unsigned_long(unsigned long long* cells) {
  atomicMin(&cells[0], 9000000000ull - threadIdx.x);
  atomicMax(&cells[1], ~0ull - 7 * (threadIdx.x + 1));
}

// The same memory as 64-bit words, atomically and not, and as their halves.
//! run long_and_its_halves(u64[3]=4294967295, u32[6]) block 4
//! cells = 4294967305 4294967295 12
//! halves = 9 1 4294967295 0 12 0
__global__ void long_and_its_halves(unsigned long long* cells, unsigned* halves) {
  atomicAdd(&cells[0], (unsigned long long)threadIdx.x + 1);
  if (threadIdx.x == 0) cells[2] = 12;
  __syncthreads();
  const unsigned* words = reinterpret_cast<const unsigned*>(cells);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 6; ++i) halves[i] = words[i];
  }
}

//! run block_scope(i32[2]) block 32
//! out = 32 31
__global__ void block_scope(int* out) {
  __shared__ int count, most;
  if (threadIdx.x == 0) count = most = 0;
  __syncthreads();
  atomicAdd_block(&count, 1);
  atomicMax_block(&most, (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = count;
    out[1] = most;
  }
}

//! run system_scope(i32[3]=0, u32[1]=0) grid 2 block 16
//! cells = 32 3 31
//! wrapped = 2
__global__ void system_scope(int* cells, unsigned* wrapped) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd_system(&cells[0], 1);
  atomicOr_system(&cells[1], 1 + (i & 2));
  atomicMax_system(&cells[2], i);
  atomicInc_system(wrapped, 4);
}

//! run swap_in_scopes(i32[2]=3, i32[2])
//! cells = 4 5
//! old = 3 3
__global__ void swap_in_scopes(int* cells, int* old) {
  old[0] = atomicCAS_block(&cells[0], 3, 4);
  old[1] = atomicExch_system(&cells[1], 5);
}

struct Counters {
  int hits;
  float total;
};
//! run members_of_structs(i32[2]=0) block 8
//! counters = {8, 1090519040}
__global__ void members_of_structs(int2* counters) {
  Counters* c = reinterpret_cast<Counters*>(counters);
  atomicAdd(&c->hits, 1);
  atomicAdd(&c->total, 1.0f);
}

//! run conditional_atomics(i32[32]=iota, i32[1]=0) block 32
//! evens = 16
__global__ void conditional_atomics(const int* in, int* evens) {
  if (in[threadIdx.x] % 2 == 0) atomicAdd(evens, 1);
}

__device__ int lock_word;
//! run spin_lock(i32[1]=0) grid 4
//! value = 4
__global__ void spin_lock(int* value) {
  while (atomicCAS(&lock_word, 0, 1) != 0) {}
  __threadfence();
  *(volatile int*)value = *(volatile int*)value + 1;
  __threadfence();
  atomicExch(&lock_word, 0);
}

//! run atomic_objects(i32[4]) block 16
//! out = 16 15 1 16
__global__ void atomic_objects(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count, most;
  __shared__ int plain;
  if (threadIdx.x == 0) {
    count.store(0);
    most.store(0);
    plain = 0;
  }
  __syncthreads();
  count.fetch_add(1, cuda::memory_order_relaxed);
  most.fetch_max((int)threadIdx.x);
  cuda::atomic_ref<int, cuda::thread_scope_block> ref(plain);
  ref++;
  __syncthreads();
  if (threadIdx.x != 0) return;
  out[0] = count.load();
  out[1] = most;
  int expected = 16;
  out[2] = count.compare_exchange_strong(expected, 99);
  out[3] = plain;
}

// Memory that is used as both: each operation uses the order of its type.
//! run orders(i32[3]=5) block 8
//! cells = -4 5 7
__global__ void orders(int* cells) {
  unsigned* same = (unsigned*)cells;
  atomicMin(&cells[0], 3 - (int)threadIdx.x);
  atomicMax(&cells[1], -(int)threadIdx.x);
  atomicMax(&same[2], threadIdx.x);
}

// Devices without 64-bit atomics add the halves one after the other, with the carry.
//! run add_with_carries(u64[4]=9223372032559808513) grid 4 block 64
//! sums = 9223372036854776577 9223372580168138753 9223372028264808577 9223531535046589313
__global__ void add_with_carries(unsigned long long* sums) {
  unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[0], 0x1000003ull);
  atomicAdd(&sums[1], i << 24);
  atomicAdd(&sums[2], 0ull - 0x1000000ull - i);
  atomicAdd(&sums[3], i * 0x123456789ull);
}

//! run subtract_long(i64[2]=5) block 32
//! left = -491 -206158430699
__global__ void subtract_long(long long* left) {
  atomicAdd((unsigned long long*)&left[0], 0ull - threadIdx.x);
  atomicAdd((unsigned long long*)&left[1], 0ull - (3ull << 31) - threadIdx.x);
}

//! run collect_long_bits(u64[2]=1) grid 2 block 32
//! bits = 18446744073709551615 4294967297
__global__ void collect_long_bits(unsigned long long* bits) {
  atomicOr(&bits[0], 1ull << (blockIdx.x * 32 + threadIdx.x));
  if (threadIdx.x == 0) atomicOr(&bits[1], 1ull << (blockIdx.x * 32));
}

//! run flip_long_bits(u64[1]=255) grid 3 block 64
//! bits = 18446744073709551360
__global__ void flip_long_bits(unsigned long long* bits) { atomicXor(bits, 1ull << threadIdx.x); }

//! run sum_long_in_shared_memory(u64[2]) block 64
//! out = 274877906944 64
__global__ void sum_long_in_shared_memory(unsigned long long* out) {
  __shared__ unsigned long long sum, count;
  if (threadIdx.x == 0) sum = count = 0;
  __syncthreads();
  atomicAdd(&sum, 0x80000000ull * (threadIdx.x / 16) + 0x40000000ull);
  atomicAdd(&count, 1ull);
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = threadIdx.x == 0 ? sum : count;
}
