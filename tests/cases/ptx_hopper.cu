// Inline PTX that NVIDIA devices have from sm_89 or sm_90 on: 8-bit floats, stmatrix, elect. Each mma kernel builds its registers by the
// layout that PTX defines, and compares each element of the result with a plain loop.

__device__ int a_at(int i, int k) { return (i * 3 + k * 5) % 7 - 3; }
__device__ int b_at(int k, int n) { return (k * 2 + n * 3) % 5 - 2; }
__device__ int c_at(int i, int n) { return i - n; }

// The bits of a small number.
struct E4m3 {
  static constexpr int kCount = 4;
  __device__ static unsigned bits(int v) {
    const int n = v < 0 ? -v : v;
    return (v < 0 ? 128 : 0) | (n == 0 ? 0 : n == 1 ? 0x38 : n == 2 ? 0x40 : 0x44);
  }
};
struct E5m2 {
  static constexpr int kCount = 4;
  __device__ static unsigned bits(int v) {
    const int n = v < 0 ? -v : v;
    return (v < 0 ? 128 : 0) | (n == 0 ? 0 : n == 1 ? 0x3c : n == 2 ? 0x40 : 0x42);
  }
};

template <class T, int Rows> __device__ unsigned a_register(int r) {
  const int lane = threadIdx.x & 31, per = T::kCount;
  unsigned out = 0;
  for (int e = 0; e < per; ++e)
    out |= T::bits(a_at(lane / 4 + 8 * (r % Rows), r / Rows * 4 * per + lane % 4 * per + e)) << (32 / per * e);
  return out;
}
template <class T> __device__ unsigned b_register(int r) {
  const int lane = threadIdx.x & 31, per = T::kCount;
  unsigned out = 0;
  for (int e = 0; e < per; ++e)
    out |= T::bits(b_at(r * 4 * per + lane % 4 * per + e, lane / 4)) << (32 / per * e);
  return out;
}
__device__ int c_value(int e) {
  const int lane = threadIdx.x & 31;
  return c_at(lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2);
}
// out[0]: how many differ; out[1]: the sum of all.
__device__ void compare(int e, int got, int k, int a_offset, int b_offset, int* out) {
  const int lane = threadIdx.x & 31, i = lane / 4 + 8 * (e / 2), n = lane % 4 * 2 + e % 2;
  int right = c_at(i, n);
  for (int s = 0; s < k; ++s) right += (a_at(i, s) + a_offset) * (b_at(s, n) + b_offset);
  if (got != right) atomicAdd(&out[0], 1);
  atomicAdd(&out[1], got);
}

//! run e4m3_k32(i32[2]=0) block 32
//! out = 0 512
__global__ void e4m3_k32(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<E4m3, 2>(0)), "r"(a_register<E4m3, 2>(1)), "r"(a_register<E4m3, 2>(2)), "r"(a_register<E4m3, 2>(3)), "r"(b_register<E4m3>(0)), "r"(b_register<E4m3>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run e5m2_k32(i32[2]=0) block 32
//! out = 0 512
__global__ void e5m2_k32(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<E5m2, 2>(0)), "r"(a_register<E5m2, 2>(1)), "r"(a_register<E5m2, 2>(2)), "r"(a_register<E5m2, 2>(3)), "r"(b_register<E5m2>(0)), "r"(b_register<E5m2>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run both_floats_k32(i32[2]=0) block 32
//! out = 0 512
__global__ void both_floats_k32(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<E4m3, 2>(0)), "r"(a_register<E4m3, 2>(1)), "r"(a_register<E4m3, 2>(2)), "r"(a_register<E4m3, 2>(3)), "r"(b_register<E5m2>(0)), "r"(b_register<E5m2>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run stores_1(i32[1]=0) block 32
//! wrong = 0
__global__ void stores_1(int* wrong) {
  __shared__ alignas(16) unsigned short tile[8][8];
  const int lane = threadIdx.x;
  unsigned r[1];
  for (int s = 0; s < 1; ++s) {
    r[s] = 0;
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + lane / 4, column = 2 * (lane % 4) + e;
      r[s] |= (unsigned)(row * 8 + column) << (16 * e);
    }
  }
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 8]);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0]) : "memory");
  __syncwarp();
  for (int i = lane; i < 64; i += 32) {
    if (tile[i / 8][i % 8] != i) atomicAdd(wrong, 1);
  }
}

//! run stores_2_transposed(i32[1]=0) block 32
//! wrong = 0
__global__ void stores_2_transposed(int* wrong) {
  __shared__ alignas(16) unsigned short tile[16][8];
  const int lane = threadIdx.x;
  unsigned r[2];
  for (int s = 0; s < 2; ++s) {
    r[s] = 0;
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + 2 * (lane % 4) + e, column = lane / 4;
      r[s] |= (unsigned)(row * 8 + column) << (16 * e);
    }
  }
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 16]);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]), "r"(r[1]) : "memory");
  __syncwarp();
  for (int i = lane; i < 128; i += 32) {
    if (tile[i / 8][i % 8] != i) atomicAdd(wrong, 1);
  }
}

//! run stores_4(i32[1]=0) block 32
//! wrong = 0
__global__ void stores_4(int* wrong) {
  __shared__ alignas(16) unsigned short tile[32][8];
  const int lane = threadIdx.x;
  unsigned r[4];
  for (int s = 0; s < 4; ++s) {
    r[s] = 0;
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + lane / 4, column = 2 * (lane % 4) + e;
      r[s] |= (unsigned)(row * 8 + column) << (16 * e);
    }
  }
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 32]);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    if (tile[i / 8][i % 8] != i) atomicAdd(wrong, 1);
  }
}

//! run elected(i32[2]=0) block 64
//! out = 2 0
__global__ void elected(int* out) {
  unsigned is_leader;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is_leader));
  if (is_leader) {
    atomicAdd(&out[0], 1);
    atomicAdd(&out[1], (int)(threadIdx.x % 32));
  }
}

//! run waits_in_a_loop_of_its_own(i32[32]) block 32
//! out[0:2] = 31 30
__global__ void waits_in_a_loop_of_its_own(int* out) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int tile[32];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(at),
      "r"(0)
      : "memory");
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

//! run dependent_grids(i32[4]) block 4
//! out = 0 1 2 3
__global__ void dependent_grids(int* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[threadIdx.x] = threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
