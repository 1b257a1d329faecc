// Inline PTX: instructions whose meaning is a function of registers, and plain loads and stores. Each kernel compares
// with what the instruction is defined to do.

//! run ptx_arithmetic(i32[4]=iota, i32[8])
//! out = 7 -5 42 3 2 -1 9 1
__global__ void ptx_arithmetic(const int* in, int* out) {
  int r;
  asm("add.s32 %0, %1, %2;" : "=r"(r) : "r"(in[3]), "r"(4));
  out[0] = r;
  asm volatile("sub.s32 %0, %1, %2;" : "=r"(r) : "r"(in[2]), "n"(7));
  out[1] = r;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(in[3]), "r"(12), "r"(6));
  out[2] = r;
  asm("max.s32 %0, %1, -2;" : "=r"(r) : "r"(in[3]));
  out[3] = r;
  unsigned high;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(0x80000000u), "r"(in[1] + 4));
  out[4] = (int)high;
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(in[1]), "r"(-5));
  out[5] = r;
  int kept = in[2];
  asm("add.s32 %0, %0, %1;" : "+r"(kept) : "r"(7));
  out[6] = kept;
  asm("{ .reg .pred p; .reg .s32 t;\n\t"
      "  mov.s32 t, 5;            // a comment\n\t"
      "  setp.lt.s32 p, %1, t;\n\t"
      "  selp.s32 %0, 1, 0, p; }"
      : "=r"(r)
      : "r"(in[3]));
  out[7] = r;
}

//! run ptx_bits(u32[1]=1, u32[12])
//! out = 6 4294967254 3735927791 287454020 4294967280 3 214 2147483648 0 4294967295 4278190335 5
__global__ void ptx_bits(const unsigned* one, unsigned* out) {
  unsigned r;
  asm("bfe.u32 %0, %1, 4, 3;" : "=r"(r) : "r"(one[0] * 0x3e1));
  out[0] = r;
  asm("bfe.s32 %0, %1, %2, 8;" : "=r"(r) : "r"(0x1d6ab), "r"(one[0] * 8));
  out[1] = r;
  asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(r) : "r"(0xbe), "r"(one[0] * 0xdeadb00f));
  out[2] = r;
  asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(one[0] * 0x44332211));
  out[3] = r;
  asm("prmt.b32 %0, %1, %2, 0x8880;" : "=r"(r) : "r"(one[0] * 0xf0u), "r"(0));
  out[4] = r;
  asm("popc.b32 %0, %1;" : "=r"(r) : "r"(one[0] * 0x10101));
  out[5] = r;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(0xf6 * one[0]), "r"(0xd4), "r"(0x92));
  out[6] = r;
  asm("shf.r.wrap.b32 %0, %1, %1, %2;" : "=r"(r) : "r"(one[0]), "r"(33));
  out[7] = r;
  asm("shl.b32 %0, %1, 32;" : "=r"(r) : "r"(one[0]));
  out[8] = r;
  asm("shr.s32 %0, %1, 40;" : "=r"(r) : "r"(0u - one[0]));
  out[9] = r;
  asm("xor.b32 %0, %1, %2;" : "=r"(r) : "r"(0xff0000ffu), "r"(one[0] - 1));
  out[10] = r;
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(one[0] * 37));
  out[11] = r;
}

//! run ptx_carries(u64[4]=0, u64[4])
//! out = 1 4294967296 18446744073709551615 4294967295
__global__ void ptx_carries(const unsigned long* zero, unsigned long* out) {
  unsigned low, high;
  const unsigned z = (unsigned)zero[0];
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
      : "=r"(low), "=r"(high)
      : "r"(z + 0xffffffffu), "r"(1), "r"(z), "r"(0));
  out[0] = high;
  unsigned long both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(low), "r"(high));
  out[1] = both;
  asm("{ .reg .u32 a, b; sub.cc.u32 a, %1, 1; subc.u32 b, %1, 0; mov.b64 %0, {a, b}; }" : "=l"(both) : "r"(z));
  out[2] = both;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(both));
  out[3] = low & high;
}

//! run ptx_conversions(f32[1]=1, i32[10])
//! out = 127 -128 2 -2 3 1073741824 300 -1234 -3 3
__global__ void ptx_conversions(const float* one, int* out) {
  int r;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(one[0] * 1000.0f));
  out[0] = r;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(one[0] * -1000.0f));
  out[1] = r;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(one[0] * 2.5f));
  out[2] = r;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(one[0] * -2.75f));
  out[3] = r;
  float f;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(out[2] + 1));
  out[4] = (int)f;
  asm("mov.b32 %0, %1;" : "=r"(r) : "f"(one[0] * 2));
  out[5] = r;
  asm("cvt.s32.s16 %0, %1;" : "=r"(r) : "h"((short)(one[0] * 300)));
  out[6] = r;
  long wide;
  asm("cvt.s64.s32 %0, %1;" : "=l"(wide) : "r"((int)(one[0] * -1234)));
  out[7] = (int)wide;
  asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(r) : "f"(one[0] * -2.5f));
  out[8] = r;
  asm("cvt.rpi.sat.s32.f32 %0, %1;" : "=r"(r) : "f"(one[0] * 2.5f));
  out[9] = r;
}

//! run ptx_floats(f32[1]=1, f32[6])
//! out ~1e-5 = 7 2.5 8 0.25 3 1
__global__ void ptx_floats(const float* one, float* out) {
  float r;
  asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(r) : "f"(one[0] * 2), "f"(3.0f));
  out[0] = r;
  asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(one[0] * 2.5f), "f"(3.0f));
  out[1] = r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(one[0] * 3));
  out[2] = r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(one[0] * 4));
  out[3] = r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(one[0] * 8));
  out[4] = r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(one[0] * 20));
  out[5] = r;
}

//! run ptx_halves(u32[1]=1, u32[4])
//! out = 1174422016 1107311616 1073759488 1140867072
__global__ void ptx_halves(const unsigned* one, unsigned* out) {
  const unsigned pair = 0x40003c00u * one[0];  // 1, 2
  unsigned r;
  asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(r) : "r"(pair), "r"(0x40004000u));
  out[0] = r;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(0x44004000u), "r"(0x3c003c00u));
  out[1] = r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(2.0f * one[0]), "f"(5.0f));
  out[2] = r;
  unsigned short low;
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b16 %0, h; }" : "=h"(low) : "r"(pair));
  out[3] = 0x44000000u | low;
}

//! run ptx_memory(f32[8]=iota, f32[8]=0)
//! out = 4 5 6 7 2 9 0 0
__global__ void ptx_memory(const float* in, float* out) {
  float a, b, c, d;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(in + 4));
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
  asm volatile("ld.global.f32 %0, [%1+8];" : "=f"(a) : "l"(in));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.f32 [%0+16], %1; @!p st.global.f32 [%0+20], %1; }"
               :
               : "l"(out), "f"(a), "r"((int)in[1])
               : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(out + 5), "f"(9.0f));
  asm volatile("" ::: "memory");
}

//! run ptx_threads(i32[64], i32[64]) block 64
//! lanes[30:34] = 30 31 32 33
//! masks[30:34] = 30 31 32 33
__global__ void ptx_threads(int* lanes, int* masks) {
  unsigned lane, thread, below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %tid.x;" : "=r"(thread));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  lanes[thread] = lane + thread / 32 * 32;
  masks[thread] = __popc(below) + thread / 32 * 32;
}
