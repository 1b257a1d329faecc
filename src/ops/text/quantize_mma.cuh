// Products of quantized matrices with tensor cores (mma.sync, compute capability 9.0), after index.cuh, pieces.cuh and
// quantize.cuh. A block computes tiles of 16 rows of weights times up to 8 rows of activations, which cost the same as
// one. A warp copies the weights to a ring of stages in shared memory; the other kWarps warps share the columns of a
// stage: a chunk of 64 bytes of each row for each. In a chunk, lane L has 16 bytes of the rows L / 4 and L / 4 + 8, and
// the activations of the same columns. Columns have no order in a sum, so a word is used as it is: its fields become
// registers of mma's operand a.

namespace quern_ops {

constexpr int kMmaRows = 16, kMmaColumns = 8, kWarps = 8, kMmaThreads = 32 * (kWarps + 1);
constexpr int kLaneWords = 4, kChunkWords = 4 * kLaneWords, kStageWords = kWarps * kChunkWords;  // of a row
constexpr int kPitch = kStageWords + kChunkWords;  // of a row in shared memory: no bank conflicts
constexpr int kChains = 2;  // sums that a lane adds to in turn, because mma has a long latency

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Barriers in shared memory.
__device__ void init_barrier(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ void arrive_expecting(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
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
__device__ void wait_for_consumers() { asm volatile("bar.sync 1, 256;" ::: "memory"); }
__device__ void copy_bytes(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
      "r"(bytes), "r"(barrier)
      : "memory");
}

// The registers of a word: `kCount` of kPer elements each. T: unsigned for activations of 8 bits.
template <class T, int kFormat>
struct Fields {
  static constexpr bool kIsInteger = std::is_same<T, unsigned>::value;
  static constexpr int kPer = kIsInteger ? 4 : 2, kCount = Format<kFormat>::kEach / kPer;
  // Integers are multiplied at the top of their bytes, where they have a sign.
  static constexpr int kShift = 8 - Format<kFormat>::kBits;
};

__device__ void multiply_s8(int* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Register u of a word: four elements, times 1 << Fields::kShift.
template <int kFormat>
__device__ unsigned field_s8(unsigned word, int u) {
  if constexpr (Format<kFormat>::kBits == 8) return word;
  constexpr int kBits = Format<kFormat>::kBits, kTop = 8 - kBits;
  constexpr unsigned kMask = Format<kFormat>::kMask << kTop;
  return ((word << (kTop - kBits * u)) & kMask) ^ 0x80808080u;
}

// d += a * b with a[i] = fma((x[i] & mask) ^ magic, factor, offset[i]) of two elements.
#define QUERN_MULTIPLY_MASKED(pair, types)                                                                      \
  asm volatile(                                                                                                 \
      "{\n"                                                                                                     \
      ".reg .b32 a0, a1, a2, a3;\n"                                                                             \
      "lop3.b32 a0, %4, %10, %11, 0x6a;\n"                                                                      \
      "lop3.b32 a1, %5, %10, %11, 0x6a;\n"                                                                      \
      "lop3.b32 a2, %6, %10, %11, 0x6a;\n"                                                                      \
      "lop3.b32 a3, %7, %10, %11, 0x6a;\n"                                                                      \
      "fma.rn." pair " a0, a0, %12, %13;\n"                                                                     \
      "fma.rn." pair " a1, a1, %12, %14;\n"                                                                     \
      "fma.rn." pair " a2, a2, %12, %15;\n"                                                                     \
      "fma.rn." pair " a3, a3, %12, %16;\n"                                                                     \
      "mma.sync.aligned.m16n8k16.row.col." types " {%0, %1, %2, %3}, {a0, a1, a2, a3}, {%8, %9}, {%0, %1, %2, %3};\n" \
      "}"                                                                                                       \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                          \
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(b[0]), "r"(b[1]), "r"(mask), "r"(magic), "r"(factor), \
        "r"(offset[0]), "r"(offset[1]), "r"(offset[2]), "r"(offset[3]))

__device__ void multiply_masked(__half, float* d, const unsigned* x, const unsigned* b, unsigned mask, unsigned magic,
                                unsigned factor, const unsigned* offset) {
  QUERN_MULTIPLY_MASKED("f16x2", "f32.f16.f16.f32");
}
__device__ void multiply_masked(__nv_bfloat16, float* d, const unsigned* x, const unsigned* b, unsigned mask,
                                unsigned magic, unsigned factor, const unsigned* offset) {
  QUERN_MULTIPLY_MASKED("bf16x2", "f32.bf16.bf16.f32");
}

__device__ unsigned twice(__half v) { return bits_of(v) * 0x10001u; }
__device__ unsigned twice(__nv_bfloat16 v) { return bits_of(v) * 0x10001u; }

// Converts elements by writing their bits into the mantissa of a number: 1024 for half, 128 for bfloat16.
template <class T, int kFormat>
struct Mantissa {
  static constexpr bool kIsHalf = std::is_same<T, __half>::value;
  static constexpr int kSize = kIsHalf ? 10 : 7, kBits = Format<kFormat>::kBits;
  static constexpr unsigned kOne = kIsHalf ? 0x64006400u : 0x43004300u, kNegative = 0x80008000u;

  // Multiplies field f of a word of both rows: a register of the even bytes, and one of the odd bytes.
  __device__ static void multiply(float* d, unsigned row, unsigned other, int f, const unsigned* b) {
    unsigned x[4] = {row, other, row >> 8, other >> 8}, offset[4] = {kNegative, kNegative, kNegative, kNegative};
    if constexpr (kFormat == kFp8) {  // the exponent moves to that of T, whose bias is greater
      constexpr int kRight = kIsHalf ? 1 : 4;
      constexpr unsigned kRest = kIsHalf ? 0x3f803f80u : 0x07f007f0u;
      x[0] = row << 8;
      x[1] = other << 8;
      x[2] = row;
      x[3] = other;
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = (x[i] & kNegative) | (x[i] >> kRight & kRest);
      if (has_nan(row)) x[0] = 0x7fff7fffu;
      if (has_nan(other)) x[1] = 0x7fff7fffu;
      multiply_masked(T(), d, x, b, 0xffffffffu, 0, kIsHalf ? 0x5c005c00u : 0x7b807b80u, offset);  // 2^8, 2^120
    } else if constexpr (kBits > kSize) {  // 7 bits, minus 128 if the highest bit is set
#pragma unroll
      for (int i = 0; i < 4; ++i) offset[i] = (x[i] & 0x00800080u) | kOne | kNegative;
      multiply_masked(T(), d, x, b, 0x007f007fu, kOne, twice(T(1.0f)), offset);
    } else {
      // A field that exceeds the mantissa is moved down first.
      const int at = kBits == 8 ? 0 : kBits * f, down = at + kBits <= kSize ? 0 : kBits == 4 ? 4 : 2, p = at - down;
      const float zero = kBits == 8 ? 128.0f : static_cast<float>(Format<kFormat>::kZero);
      const float each = 1.0f / static_cast<float>(1 << p);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[i] >>= down;
        offset[i] = twice(static_cast<T>(-static_cast<float>(1 << kSize) * each - zero));
      }
      multiply_masked(T(), d, x, b, ((1u << kBits) - 1) * 0x10001u << p, kBits == 8 ? kOne ^ 0x00800080u : kOne,
                      twice(static_cast<T>(each)), offset);
    }
  }
  __device__ static bool has_nan(unsigned word) { return (((word & 0x7f7f7f7fu) + 0x01010101u) & 0x80808080u) != 0; }
};

// Adds the products of a chunk: the words of two rows, and the activations of a lane.
template <class T, int kFormat, class S>
__device__ void multiply_words(S (&d)[kChains][4], const unsigned* row, const unsigned* other, const unsigned* b) {
  using F = Fields<T, kFormat>;
#pragma unroll
  for (int u = 0; u < kLaneWords * F::kCount; u += 2) {
    const int i = u / F::kCount, f = u % F::kCount, j = (u + 1) / F::kCount, g = (u + 1) % F::kCount;
    S* const sum = d[u / 2 % kChains];
    if constexpr (F::kIsInteger) {
      const unsigned a[4] = {field_s8<kFormat>(row[i], f), field_s8<kFormat>(other[i], f), field_s8<kFormat>(row[j], g),
                             field_s8<kFormat>(other[j], g)};
      multiply_s8(sum, a, b + u);
    } else {
      Mantissa<T, kFormat>::multiply(sum, row[i], other[i], f / 2, b + u);
    }
  }
}

// Activations in shared memory: the pieces of 16 bytes that a lane reads have fixed positions in each chunk.
template <class T, int kFormat>
struct StagedActivations {
  using F = Fields<T, kFormat>;
  static constexpr int kPieces = kLaneWords * F::kCount / 4;       // of a lane in a chunk
  static constexpr int kEach = 16 / sizeof(T);                     // elements of a piece
  // Avoid bank conflicts. Rows of single pieces have an odd number of 64 bytes instead.
  static constexpr int kSwap = kPieces == 1 ? 0 : kPieces == 2 ? 1 : kPieces == 4 ? 2 : 4;
  static constexpr int kTurn = kPieces == 8 ? 3 : kPieces == 4 ? 1 : 0;
  const uint4* at[kPieces];

  __device__ static int place(int row, int piece) { return piece ^ ((piece >> 3) & kTurn) ^ (row & 1 ? kSwap : 0); }
  // Copies `rows` rows, in which the last pieces may not exist. kWarps warps call it.
  __device__ static void stage(const T* a, const MatrixLine& line, long long first, int rows, int pieces, int existing,
                               uint4* to) {
    for (int row = 0; row < rows; ++row) {
      for (int piece = static_cast<int>(threadIdx.x); piece < pieces; piece += 32 * kWarps) {
        uint4 raw = make_uint4(0, 0, 0, 0);
        if (piece < existing)
          raw = *reinterpret_cast<const uint4*>(a + line.at(first + row, static_cast<long long>(piece) * kEach));
        if constexpr (!F::kIsInteger)  // even and odd elements of four
          raw = make_uint4(__byte_perm(raw.x, raw.y, 0x5410), __byte_perm(raw.x, raw.y, 0x7632),
                           __byte_perm(raw.z, raw.w, 0x5410), __byte_perm(raw.z, raw.w, 0x7632));
        to[row * pieces + place(row, piece)] = raw;
      }
    }
  }
  __device__ StagedActivations(const uint4* from, int row, int pieces, int lane) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) at[i] = from + row * pieces + place(row, lane % 4 * kPieces + i);
  }
  __device__ void load(int chunk, unsigned* b) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const uint4 raw = at[i][chunk * (4 * kPieces)];
      b[4 * i] = raw.x;
      b[4 * i + 1] = raw.y;
      b[4 * i + 2] = raw.z;
      b[4 * i + 3] = raw.w;
    }
  }
};

struct MmaShape {
  MatvecShape of;
  int chunks, group_chunks, rows, pieces, existing;  // rows of activations at a time; pieces of each
};

// A position in the order in which a block processes stages.
struct StagePlace {
  long long tile;
  int step, slot;
  unsigned phase;

  __device__ explicit StagePlace(long long first) : tile(first), step(0), slot(0), phase(0) {}
  __device__ void advance(int steps, int stages) {
    if (++slot == stages) {
      slot = 0;
      phase ^= 1;
    }
    if (++step == steps) {
      step = 0;
      tile += gridDim.x;
    }
  }
};

// The scales of a lane's rows for the next chunks of its warp. Empty if rows have one scale.
template <bool kIsGrouped>
struct ScaleQueue {
  static constexpr int kAhead = 3;
  float values[kAhead][2] = {};
  StagePlace place;

  __device__ explicit ScaleQueue(const MmaShape& shape, const float* scales, int steps, long long tiles, int warp, int lane)
      : place(blockIdx.x) {
#pragma unroll
    for (int i = 0; i < kAhead && kIsGrouped; ++i) fetch(shape, scales, steps, tiles, warp, lane);
  }
  __device__ void fetch(const MmaShape& shape, const float* scales, int steps, long long tiles, int warp, int lane) {
#pragma unroll
    for (int i = 0; i + 1 < kAhead; ++i) {
      values[i][0] = values[i + 1][0];
      values[i][1] = values[i + 1][1];
    }
    const int chunk = min(place.step * kWarps + warp, shape.chunks - 1);
    const int group = shape.group_chunks == 1 ? chunk : chunk / shape.group_chunks;
    const long long tile = min(place.tile, tiles - 1) * kMmaRows + lane / 4;
#pragma unroll
    for (int r = 0; r < 2; ++r)
      values[kAhead - 1][r] = scales[shape.of.scales.at(min(tile + 8 * r, shape.of.n - 1), group)];
    place.advance(steps, 1);
  }
};

template <class T, class R, int kFormat, int kStages, bool kIsGrouped>
__global__ void __launch_bounds__(kMmaThreads, 2)
    quantized_mma(MmaShape shape, const unsigned* weights, const float* scales, const T* a, const float* activation_scales,
                  R* c) {
  using F = Fields<T, kFormat>;
  using Staged = StagedActivations<T, kFormat>;
  using Product = typename MatvecSum<F::kIsInteger>::Type;
  using Sum = typename MatvecSum<F::kIsInteger && !kIsGrouped>::Type;
  constexpr int kSlot = kMmaRows * kPitch;
  extern __shared__ __align__(128) unsigned ring[];  // then the activations
  __shared__ Sum parts[2][kWarps][kMmaColumns][kMmaRows];
  __shared__ __align__(8) unsigned long long barriers[2 * kStages];
  uint4* const staged = reinterpret_cast<uint4*>(ring + kStages * kSlot);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long tiles = (shape.of.n + kMmaRows - 1) / kMmaRows;
  const int steps = (shape.chunks + kWarps - 1) / kWarps, words = static_cast<int>(shape.of.words);
  const unsigned full = shared_address(barriers), empty = full + 8 * kStages;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init_barrier(full + 8 * s, 1);
      init_barrier(empty + 8 * s, kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  StagePlace place(blockIdx.x);
  if (warp == kWarps) {
    for (long long first = 0; first < shape.of.m; first += shape.rows) {
      place.tile = blockIdx.x;
      while (place.tile < tiles) {
        const int word = place.step * kStageWords, count = min(kStageWords, words - word);
        wait_for(empty + 8 * place.slot, place.phase ^ 1);
        if (lane == 0) arrive_expecting(full + 8 * place.slot, static_cast<unsigned>(4 * kMmaRows * count));
        __syncwarp();
        if (lane < kMmaRows)
          copy_bytes(shared_address(ring + place.slot * kSlot + lane * kPitch),
                     weights + shape.of.weights.at(min(place.tile * kMmaRows + lane, shape.of.n - 1), word),
                     static_cast<unsigned>(4 * count), full + 8 * place.slot);
        place.advance(steps, kStages);
      }
    }
    return;
  }
  int half = 0;
  for (long long first = 0; first < shape.of.m; first += shape.rows) {
    const int rows = static_cast<int>(min(static_cast<long long>(shape.rows), shape.of.m - first));
    if (first > 0) wait_for_consumers();
    Staged::stage(a, shape.of.a, first, rows, shape.pieces, shape.existing, staged);
    ScaleQueue<kIsGrouped> queue(shape, scales, steps, tiles, warp, lane);
    wait_for_consumers();
    const Staged activations(staged, min(lane / 4, rows - 1), shape.pieces, lane);
    place.tile = blockIdx.x;
    while (place.tile < tiles) {
      const long long tile = place.tile;
      Sum sum[kChains][4] = {};
      for (int step = 0; step < steps; ++step) {
        const int chunk = step * kWarps + warp;
        wait_for(full + 8 * place.slot, place.phase);
        if (chunk < shape.chunks) {
          unsigned b[4 * Staged::kPieces];
          activations.load(chunk, b);
          const unsigned* const from =
              ring + place.slot * kSlot + lane / 4 * kPitch + warp * kChunkWords + lane % 4 * kLaneWords;
          unsigned row[kLaneWords] = {}, other[kLaneWords] = {};
          if (chunk * kChunkWords + lane % 4 * kLaneWords < words) {
            load_words<4>(from, row);
            load_words<4>(from + 8 * kPitch, other);
          }
          if constexpr (kIsGrouped) {
            Product product[kChains][4] = {};
            multiply_words<T, kFormat>(product, row, other, b);
#pragma unroll
            for (int e = 0; e < 4; ++e)
              sum[0][e] += queue.values[0][e / 2] * static_cast<float>(product[0][e] + product[1][e]);
          } else {
            multiply_words<T, kFormat>(sum, row, other, b);
          }
        }
        if constexpr (kIsGrouped) queue.fetch(shape, scales, steps, tiles, warp, lane);
        __syncwarp();
        if (lane == 0) arrive(empty + 8 * place.slot);
        place.advance(steps, kStages);
      }
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (lane % 4 * 2 + e % 2 < rows)
          parts[half][warp][lane % 4 * 2 + e % 2][lane / 4 + e / 2 * 8] = sum[0][e] + sum[1][e];
      }
      wait_for_consumers();
      if (static_cast<int>(threadIdx.x) < kMmaRows * rows) {
        const int r = static_cast<int>(threadIdx.x) % kMmaRows, m = static_cast<int>(threadIdx.x) / kMmaRows;
        const long long row = tile * kMmaRows + r;
        Sum total = parts[half][0][m][r];
#pragma unroll
        for (int w = 1; w < kWarps; ++w) total += parts[half][w][m][r];
        if (row < shape.of.n) {
          float value;
          if constexpr (F::kIsInteger && !kIsGrouped) {
            value = static_cast<float>(total >> F::kShift);
          } else {
            value = F::kIsInteger ? static_cast<float>(total) / static_cast<float>(1 << F::kShift) : static_cast<float>(total);
          }
          if constexpr (!kIsGrouped) value *= scales[shape.of.scales.at(row, 0)];
          if (activation_scales != nullptr) value *= activation_scales[shape.of.activation_scales[first + m]];
          c[shape.of.c.at(first + m, row)] = static_cast<R>(value);
        }
      }
      half ^= 1;
    }
  }
}

}  // namespace quern_ops
