// Inline PTX on matrices: ldmatrix, stmatrix, movmatrix and mma.sync. Each mma kernel builds its registers by the
// layout that PTX defines, and compares each element of the result with a plain loop.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ int a_at(int i, int k) { return (i * 3 + k * 5) % 7 - 3; }
__device__ int b_at(int k, int n) { return (k * 2 + n * 3) % 5 - 2; }
__device__ int c_at(int i, int n) { return i - n; }

// The bits of a small number.
struct Half {
  static constexpr int kCount = 2;
  __device__ static unsigned bits(int v) { return __half_as_ushort(__float2half((float)v)); }
};
struct Bfloat {
  static constexpr int kCount = 2;
  __device__ static unsigned bits(int v) { return __float_as_uint((float)v) >> 16; }
};
struct Tf32 {
  static constexpr int kCount = 1;
  __device__ static unsigned bits(int v) { return __float_as_uint((float)v); }
};
struct Signed8 {
  static constexpr int kCount = 4;
  __device__ static unsigned bits(int v) { return (unsigned)v & 255; }
};
struct Unsigned8 {  // of a number from -3 on
  static constexpr int kCount = 4;
  __device__ static unsigned bits(int v) { return (unsigned)(v + 3); }
};
struct Signed4 {
  static constexpr int kCount = 8;
  __device__ static unsigned bits(int v) { return (unsigned)v & 15; }
};
struct Unsigned4 {
  static constexpr int kCount = 8;
  __device__ static unsigned bits(int v) { return (unsigned)(v + 3); }
};
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

//! run half_k16_float(i32[2]=0) block 32
//! out = 0 525
__global__ void half_k16_float(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Half, 2>(0)), "r"(a_register<Half, 2>(1)), "r"(a_register<Half, 2>(2)), "r"(a_register<Half, 2>(3)), "r"(b_register<Half>(0)), "r"(b_register<Half>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 16, 0, 0, out);
}

//! run half_k16_half(i32[2]=0) block 32
//! out = 0 525
__global__ void half_k16_half(int* out) {
  unsigned d[2], c[2];
  for (int e = 0; e < 2; ++e) c[e] = Half::bits(c_value(2 * e)) | Half::bits(c_value(2 * e + 1)) << 16;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a_register<Half, 2>(0)), "r"(a_register<Half, 2>(1)), "r"(a_register<Half, 2>(2)), "r"(a_register<Half, 2>(3)), "r"(b_register<Half>(0)), "r"(b_register<Half>(1)), "r"(c[0]), "r"(c[1]));
  for (int e = 0; e < 4; ++e) {
    const float got = __half2float(__ushort_as_half((unsigned short)(d[e / 2] >> (16 * (e % 2)))));
    compare(e, (int)got, 16, 0, 0, out);
  }
}

//! run half_k8_float(i32[2]=0) block 32
//! out = 0 524
__global__ void half_k8_float(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Half, 2>(0)), "r"(a_register<Half, 2>(1)), "r"(b_register<Half>(0)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 8, 0, 0, out);
}

//! run half_k8_half(i32[2]=0) block 32
//! out = 0 524
__global__ void half_k8_half(int* out) {
  unsigned d[2], c[2];
  for (int e = 0; e < 2; ++e) c[e] = Half::bits(c_value(2 * e)) | Half::bits(c_value(2 * e + 1)) << 16;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a_register<Half, 2>(0)), "r"(a_register<Half, 2>(1)), "r"(b_register<Half>(0)), "r"(c[0]), "r"(c[1]));
  for (int e = 0; e < 4; ++e) {
    const float got = __half2float(__ushort_as_half((unsigned short)(d[e / 2] >> (16 * (e % 2)))));
    compare(e, (int)got, 8, 0, 0, out);
  }
}

//! run bfloat_k16(i32[2]=0) block 32
//! out = 0 525
__global__ void bfloat_k16(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Bfloat, 2>(0)), "r"(a_register<Bfloat, 2>(1)), "r"(a_register<Bfloat, 2>(2)), "r"(a_register<Bfloat, 2>(3)), "r"(b_register<Bfloat>(0)), "r"(b_register<Bfloat>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 16, 0, 0, out);
}

//! run bfloat_k8(i32[2]=0) block 32
//! out = 0 524
__global__ void bfloat_k8(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Bfloat, 2>(0)), "r"(a_register<Bfloat, 2>(1)), "r"(b_register<Bfloat>(0)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 8, 0, 0, out);
}

//! run tf32_k8(i32[2]=0) block 32
//! out = 0 524
__global__ void tf32_k8(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Tf32, 2>(0)), "r"(a_register<Tf32, 2>(1)), "r"(a_register<Tf32, 2>(2)), "r"(a_register<Tf32, 2>(3)), "r"(b_register<Tf32>(0)), "r"(b_register<Tf32>(1)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 8, 0, 0, out);
}

//! run tf32_k4(i32[2]=0) block 32
//! out = 0 517
__global__ void tf32_k4(int* out) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a_register<Tf32, 2>(0)), "r"(a_register<Tf32, 2>(1)), "r"(b_register<Tf32>(0)), "f"((float)c_value(0)), "f"((float)c_value(1)), "f"((float)c_value(2)), "f"((float)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 4, 0, 0, out);
}

//! run signed_k32(i32[2]=0) block 32
//! out = 0 512
__global__ void signed_k32(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Signed8, 2>(0)), "r"(a_register<Signed8, 2>(1)), "r"(a_register<Signed8, 2>(2)), "r"(a_register<Signed8, 2>(3)), "r"(b_register<Signed8>(0)), "r"(b_register<Signed8>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run signed_k16(i32[2]=0) block 32
//! out = 0 525
__global__ void signed_k16(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Signed8, 2>(0)), "r"(a_register<Signed8, 2>(1)), "r"(b_register<Signed8>(0)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 16, 0, 0, out);
}

//! run signed_k32_saturated(i32[2]=0) block 32
//! out = 0 512
__global__ void signed_k32_saturated(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Signed8, 2>(0)), "r"(a_register<Signed8, 2>(1)), "r"(a_register<Signed8, 2>(2)), "r"(a_register<Signed8, 2>(3)), "r"(b_register<Signed8>(0)), "r"(b_register<Signed8>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run unsigned_k32(i32[2]=0) block 32
//! out = 0 37208
__global__ void unsigned_k32(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Unsigned8, 2>(0)), "r"(a_register<Unsigned8, 2>(1)), "r"(a_register<Unsigned8, 2>(2)), "r"(a_register<Unsigned8, 2>(3)), "r"(b_register<Unsigned8>(0)), "r"(b_register<Unsigned8>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 3, 3, out);
}

//! run mixed_signs_k32(i32[2]=0) block 32
//! out = 0 368
__global__ void mixed_signs_k32(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Unsigned8, 2>(0)), "r"(a_register<Unsigned8, 2>(1)), "r"(a_register<Unsigned8, 2>(2)), "r"(a_register<Unsigned8, 2>(3)), "r"(b_register<Signed8>(0)), "r"(b_register<Signed8>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 3, 0, out);
}

//! run signed_m8_k16(i32[2]=0) block 32
//! out = 0 -1
__global__ void signed_m8_k16(int* out) {
  int d[2];
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a_register<Signed8, 1>(0)), "r"(b_register<Signed8>(0)), "r"((int)c_value(0)), "r"((int)c_value(1)));
  for (int e = 0; e < 2; ++e) compare(e, (int)d[e], 16, 0, 0, out);
}

//! run signed4_k64(i32[2]=0) block 32
//! out = 0 517
__global__ void signed4_k64(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Signed4, 2>(0)), "r"(a_register<Signed4, 2>(1)), "r"(a_register<Signed4, 2>(2)), "r"(a_register<Signed4, 2>(3)), "r"(b_register<Signed4>(0)), "r"(b_register<Signed4>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 64, 0, 0, out);
}

//! run signed4_k32(i32[2]=0) block 32
//! out = 0 512
__global__ void signed4_k32(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Signed4, 2>(0)), "r"(a_register<Signed4, 2>(1)), "r"(b_register<Signed4>(0)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 32, 0, 0, out);
}

//! run unsigned4_k64(i32[2]=0) block 32
//! out = 0 74077
__global__ void unsigned4_k64(int* out) {
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a_register<Unsigned4, 2>(0)), "r"(a_register<Unsigned4, 2>(1)), "r"(a_register<Unsigned4, 2>(2)), "r"(a_register<Unsigned4, 2>(3)), "r"(b_register<Unsigned4>(0)), "r"(b_register<Unsigned4>(1)), "r"((int)c_value(0)), "r"((int)c_value(1)), "r"((int)c_value(2)), "r"((int)c_value(3)));
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 64, 3, 3, out);
}

//! run double_k4(i32[2]=0) block 32
//! out = 0 2
__global__ void double_k4(int* out) {
  const int lane = threadIdx.x;
  double d[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(d[0]), "=d"(d[1])
               : "d"((double)a_at(lane / 4, lane % 4)), "d"((double)b_at(lane % 4, lane / 4)), "d"((double)c_value(0)),
                 "d"((double)c_value(1)));
  for (int e = 0; e < 2; ++e) compare(e, (int)d[e], 4, 0, 0, out);
}

// Sums in place, as most code does.
//! run accumulated(i32[2]=0) block 32
//! out = 0 517
__global__ void accumulated(int* out) {
  float d[4];
  for (int e = 0; e < 4; ++e) d[e] = (float)c_value(e);
  for (int step = 0; step < 4; ++step) {
    const int per = 2, lane = threadIdx.x & 31;
    unsigned a[4] = {}, b[2] = {};
    for (int r = 0; r < 4; ++r)
      for (int e = 0; e < per; ++e)
        a[r] |= Half::bits(a_at(lane / 4 + 8 * (r % 2), step * 16 + r / 2 * 8 + lane % 4 * 2 + e)) << (16 * e);
    for (int r = 0; r < 2; ++r)
      for (int e = 0; e < per; ++e) b[r] |= Half::bits(b_at(step * 16 + r * 8 + lane % 4 * 2 + e, lane / 4)) << (16 * e);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int e = 0; e < 4; ++e) compare(e, (int)d[e], 64, 0, 0, out);
}

//! run loads_1(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_1(int* wrong) {
  __shared__ alignas(16) unsigned short tile[8][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 64; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[1];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
  for (int s = 0; s < 1; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + lane / 4, column = 2 * (lane % 4) + e;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run loads_1_transposed(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_1_transposed(int* wrong) {
  __shared__ alignas(16) unsigned short tile[8][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 64; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[1];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
  for (int s = 0; s < 1; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + 2 * (lane % 4) + e, column = lane / 4;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run loads_2(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_2(int* wrong) {
  __shared__ alignas(16) unsigned short tile[16][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[2];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 16]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
  for (int s = 0; s < 2; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + lane / 4, column = 2 * (lane % 4) + e;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run loads_2_transposed(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_2_transposed(int* wrong) {
  __shared__ alignas(16) unsigned short tile[16][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[2];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 16]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
  for (int s = 0; s < 2; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + 2 * (lane % 4) + e, column = lane / 4;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run loads_4(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_4(int* wrong) {
  __shared__ alignas(16) unsigned short tile[32][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[4];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 32]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int s = 0; s < 4; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + lane / 4, column = 2 * (lane % 4) + e;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run loads_4_transposed(i32[1]=0) block 32
//! wrong = 0
__global__ void loads_4_transposed(int* wrong) {
  __shared__ alignas(16) unsigned short tile[32][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) tile[i / 8][i % 8] = (unsigned short)(i * 3 + 1);
  __syncwarp();
  unsigned r[4];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile[lane % 32]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int s = 0; s < 4; ++s) {
    for (int e = 0; e < 2; ++e) {
      const int row = s * 8 + 2 * (lane % 4) + e, column = lane / 4;
      const unsigned right = (row * 8 + column) * 3 + 1, got = r[s] >> (16 * e) & 0xffff;
      if (got != right) atomicAdd(wrong, 1);
    }
  }
}

//! run transposed_in_registers(i32[1]=0) block 32
//! wrong = 0
__global__ void transposed_in_registers(int* wrong) {
  const int lane = threadIdx.x;
  const unsigned first = lane / 4 * 8 + lane % 4 * 2;
  unsigned r;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(first | (first + 1) << 16));
  for (int e = 0; e < 2; ++e) {
    const unsigned right = (lane % 4 * 2 + e) * 8 + lane / 4;
    if ((r >> (16 * e) & 0xffff) != right) atomicAdd(wrong, 1);
  }
}

// A product of 32x32 matrices: cp.async, ldmatrix, mma.
//! run product(f16[1024]=1, f16[1024]=2, f32[1024]) block 64
//! c[0:4] = 64 64 64 64
//! c[1020:1024] = 64 64 64 64
//! run product(f16[1024]=iota, f16[1024]=0.5, f32[1024]) block 64
//! c[0:2] = 248 248
//! c[32:34] = 760 760
//! c[1022:1024] = 16120 16120
__global__ void product(const __half* a, const __half* b, float* c) {
  __shared__ alignas(16) __half as[32][40];
  __shared__ alignas(16) __half bs[32][40];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int i = t; i < 128; i += 64) {
    const int row = i / 4, part = i % 4 * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&as[row][part])),
                 "l"(a + row * 32 + part));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&bs[row][part])),
                 "l"(b + row * 32 + part));
  }
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group 0;\n" ::);
  __syncthreads();
  float sums[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    unsigned fa[4];
    const unsigned a_row = (unsigned)__cvta_generic_to_shared(&as[warp * 16 + lane % 16][k + lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(a_row));
    for (int n = 0; n < 4; ++n) {
      unsigned fb[2];
      const unsigned b_row = (unsigned)__cvta_generic_to_shared(&bs[k + lane % 16][n * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(b_row));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
                   "%1, %2, %3};"
                   : "+f"(sums[n][0]), "+f"(sums[n][1]), "+f"(sums[n][2]), "+f"(sums[n][3])
                   : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
  }
  for (int n = 0; n < 4; ++n) {
    for (int e = 0; e < 4; ++e)
      c[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + n * 8 + lane % 4 * 2 + e % 2] = sums[n][e];
  }
}
