// Instructions of sm_90a: barriers, copies of tiles with tensor maps, and matrix products of a group of four warps.
// Tiles in shared memory consist of chunks: lines of 128 bytes in the order of the 128-byte swizzle.

namespace quern_ops {

constexpr int kLineBytes = 128, kChunkLines = 64, kChunkBytes = kChunkLines * kLineBytes;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Barriers in shared memory.
__device__ void init_barrier(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ void arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
// At the barrier of another block of the cluster. This does not publish stores to that block's memory: a release for the
// cluster takes as long as a fence of the whole device.
__device__ void arrive_in_block(unsigned barrier, unsigned block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}\n" ::"r"(barrier),
      "r"(block)
      : "memory");
}
// After stores to the other block's memory.
__device__ void publish_in_block(unsigned barrier, unsigned block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
      "}\n" ::"r"(barrier),
      "r"(block)
      : "memory");
}
__device__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\n"
      "bra WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ void wait_for_group(int barrier) {
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

__device__ void load_tile(unsigned to, const CUtensorMap& from, unsigned barrier, int x, int y, int batch) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&from), "r"(barrier), "r"(x), "r"(y), "r"(batch)
      : "memory");
}
// To the same address of all blocks of the cluster, whose barriers count the bytes.
template <int kCluster>
__device__ void load_tile_for(unsigned to, const CUtensorMap& from, unsigned barrier, int x, int y, int batch) {
  if constexpr (kCluster == 1) {
    load_tile(to, from, barrier, x, y, batch);
  } else {
    const unsigned short blocks = (1 << kCluster) - 1;
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%4, %5, %6}], [%2], %3;" ::"r"(to),
        "l"(&from), "r"(barrier), "h"(blocks), "r"(x), "r"(y), "r"(batch)
        : "memory");
  }
}
__device__ void store_tile(const CUtensorMap& to, unsigned from, int x, int y, int batch) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&to), "r"(from), "r"(x),
               "r"(y), "r"(batch)
               : "memory");
}

// Describes a tile for wgmma. The distance between chunks, in bytes, is only used if depth is not contiguous.
__device__ unsigned long long tile_descriptor(unsigned at, unsigned long long chunk = kChunkBytes) {
  const unsigned long long swizzle_128 = 1, lines_8 = 8 * kLineBytes;
  return ((at & 0x3ffff) >> 4) | (chunk >> 4) << 16 | (lines_8 >> 4) << 32 | swizzle_128 << 62;
}

#define QUERN_REGISTERS_32                                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                             \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define QUERN_REGISTERS_64                                                                             \
  QUERN_REGISTERS_32                                                                                   \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                 \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define QUERN_REGISTERS_88                                                                             \
  QUERN_REGISTERS_64                                                                                   \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                 \
  "%80, %81, %82, %83, %84, %85, %86, %87"
#define QUERN_REGISTERS_96                                                                             \
  QUERN_REGISTERS_64                                                                                   \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                 \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define QUERN_REGISTERS_128                                                                            \
  QUERN_REGISTERS_96                                                                                   \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "     \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define QUERN_SUMS_8(type, i)                                                                             \
  type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3]), type(d[i + 4]), type(d[i + 5]), type(d[i + 6]), \
      type(d[i + 7])
#define QUERN_SUMS_32(type, i) \
  QUERN_SUMS_8(type, i), QUERN_SUMS_8(type, i + 8), QUERN_SUMS_8(type, i + 16), QUERN_SUMS_8(type, i + 24)
#define QUERN_SUMS_64(type) QUERN_SUMS_32(type, 0), QUERN_SUMS_32(type, 32)
#define QUERN_SUMS_88(type) \
  QUERN_SUMS_64(type), QUERN_SUMS_8(type, 64), QUERN_SUMS_8(type, 72), QUERN_SUMS_8(type, 80)
#define QUERN_SUMS_96(type) QUERN_SUMS_64(type), QUERN_SUMS_32(type, 64)
#define QUERN_SUMS_128(type) QUERN_SUMS_96(type), QUERN_SUMS_32(type, 96)
// What follows the operands: factors of a and b, and whether they are transposed.
#define QUERN_ORDERS(a, b) ", 1, 1, " a ", " b
#define QUERN_FACTORS(a, b) ", 1, 1"
#define QUERN_NOTHING(a, b) ""
#define QUERN_MULTIPLY(types, columns, registers, a_at, b_at, keep_at, end, sums)                       \
  asm volatile("{\n.reg .pred keeps;\nsetp.ne.b32 keeps, " keep_at ", 0;\n"                             \
               "wgmma.mma_async.sync.aligned.m64n" columns types " {" registers "}, " a_at ", " b_at    \
               ", keeps" end ";\n}\n"                                                                   \
               : sums                                                                                   \
               : "l"(a), "l"(b), "r"(keep), "n"(kAIsByColumn ? 1 : 0), "n"(kBIsByColumn ? 0 : 1))
#define QUERN_MULTIPLY_ALL(types, type, end)                                                                       \
  if constexpr (kColumns == 64)                                                                                    \
    QUERN_MULTIPLY(types, "64", QUERN_REGISTERS_32, "%32", "%33", "%34", end("%35", "%36"), QUERN_SUMS_32(type, 0)); \
  if constexpr (kColumns == 128)                                                                                   \
    QUERN_MULTIPLY(types, "128", QUERN_REGISTERS_64, "%64", "%65", "%66", end("%67", "%68"), QUERN_SUMS_64(type));  \
  if constexpr (kColumns == 176)                                                                                   \
    QUERN_MULTIPLY(types, "176", QUERN_REGISTERS_88, "%88", "%89", "%90", end("%91", "%92"), QUERN_SUMS_88(type));   \
  if constexpr (kColumns == 192)                                                                                   \
    QUERN_MULTIPLY(types, "192", QUERN_REGISTERS_96, "%96", "%97", "%98", end("%99", "%100"), QUERN_SUMS_96(type)); \
  if constexpr (kColumns == 256)                                                                                   \
    QUERN_MULTIPLY(types, "256", QUERN_REGISTERS_128, "%128", "%129", "%130", end("%131", "%132"), QUERN_SUMS_128(type));

// The instruction for elements of type T: 32 bytes of depth.
template <class T>
struct TensorCore;
#define QUERN_TENSOR_CORE(T, S, types, constraint, end)                                                 \
  template <>                                                                                           \
  struct TensorCore<T> {                                                                                \
    using Sum = S;                                                                                      \
    template <int kColumns, bool kAIsByColumn, bool kBIsByColumn>                                       \
    __device__ static void multiply(S* d, unsigned long long a, unsigned long long b, int keep) {       \
      QUERN_MULTIPLY_ALL(types, constraint, end)                                                        \
    }                                                                                                   \
  };
QUERN_TENSOR_CORE(__half, float, "k16.f32.f16.f16", "+f", QUERN_ORDERS)
QUERN_TENSOR_CORE(__nv_bfloat16, float, "k16.f32.bf16.bf16", "+f", QUERN_ORDERS)
QUERN_TENSOR_CORE(float, float, "k8.f32.tf32.tf32", "+f", QUERN_FACTORS)
QUERN_TENSOR_CORE(signed char, int, "k32.s32.s8.s8", "+r", QUERN_NOTHING)

// d += a * b for 64 rows and types of 16 bits: a is in registers, and the lines of b are columns at one depth.
#define QUERN_MULTIPLY_REGISTERS(types, columns, registers, a_at, b_at, sums)                              \
  asm volatile("{\n.reg .pred keeps;\nsetp.eq.b32 keeps, 0, 0;\n"                                         \
               "wgmma.mma_async.sync.aligned.m64n" columns types " {" registers "}, {" a_at "}, " b_at     \
               ", keeps, 1, 1, 1;\n}\n"                                                                    \
               : sums                                                                                      \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define QUERN_MULTIPLY_REGISTERS_ALL(types)                                                                \
  if constexpr (kColumns == 64)                                                                            \
    QUERN_MULTIPLY_REGISTERS(types, "64", QUERN_REGISTERS_32, "%32, %33, %34, %35", "%36",                 \
                             QUERN_SUMS_32("+f", 0));                                                      \
  if constexpr (kColumns == 128)                                                                           \
    QUERN_MULTIPLY_REGISTERS(types, "128", QUERN_REGISTERS_64, "%64, %65, %66, %67", "%68",                \
                             QUERN_SUMS_64("+f"));                                                         \
  if constexpr (kColumns == 192)                                                                           \
    QUERN_MULTIPLY_REGISTERS(types, "192", QUERN_REGISTERS_96, "%96, %97, %98, %99", "%100",               \
                             QUERN_SUMS_96("+f"));                                                         \
  if constexpr (kColumns == 256)                                                                           \
    QUERN_MULTIPLY_REGISTERS(types, "256", QUERN_REGISTERS_128, "%128, %129, %130, %131", "%132",          \
                             QUERN_SUMS_128("+f"));
template <class T, int kColumns>
__device__ void multiply_registers(float* d, const unsigned* a, unsigned long long b) {
  if constexpr (std::is_same_v<T, __half>) {
    QUERN_MULTIPLY_REGISTERS_ALL("k16.f32.f16.f16")
  } else {
    QUERN_MULTIPLY_REGISTERS_ALL("k16.f32.bf16.bf16")
  }
}

__device__ unsigned bits_of(__half v) { return __half_as_ushort(v); }
__device__ unsigned bits_of(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
__device__ unsigned bits_of(float v) { return __float_as_uint(v); }
__device__ unsigned bits_of(int v) { return static_cast<unsigned>(v); }

// Stores elements of a chunk of results in the order of the swizzle: v[i] are two neighbors in the row lane / 4, or, for
// odd i, 8 rows below. Each two of v have the next 8 columns, beginning with column 8 * j.
template <class C>
__device__ void store_in_chunk(unsigned chunk, int warp, int lane, int j, const C (&v)[4][2]) {
  if constexpr (sizeof(C) == 2) {
    const int line = warp * 16 + lane % 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     chunk + line * kLineBytes + ((j + lane / 16) ^ (line & 7)) * 16),
                 "r"(bits_of(v[0][0]) | bits_of(v[0][1]) << 16), "r"(bits_of(v[1][0]) | bits_of(v[1][1]) << 16),
                 "r"(bits_of(v[2][0]) | bits_of(v[2][1]) << 16), "r"(bits_of(v[3][0]) | bits_of(v[3][1]) << 16)
                 : "memory");
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int line = warp * 16 + lane / 4 + i % 2 * 8, piece = (j + i / 2) * 2 + lane % 4 / 2;
      asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(chunk + line * kLineBytes + (piece ^ (line & 7)) * 16 +
                                                            lane % 2 * 8),
                   "r"(bits_of(v[i][0])), "r"(bits_of(v[i][1]))
                   : "memory");
    }
  }
}

// The position of a barrier in a ring of stages.
template <int kStages>
struct Stage {
  int index = 0;
  unsigned parity = 0;
  __device__ void advance() {
    if (++index == kStages) {
      index = 0;
      parity ^= 1;
    }
  }
};

}  // namespace quern_ops
