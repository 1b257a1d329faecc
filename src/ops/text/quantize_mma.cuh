// Products of quantized matrices with tensor cores (mma.sync), after index.cuh, pieces.cuh and quantize.cuh. A block
// computes tiles of 16 * kTiles rows of weights times up to 8 rows of activations, which cost the same as one. Its warps
// share the columns of a tile: in turn, each takes a chunk of 64 bytes of each row. In a chunk, lane L has 16 bytes of the
// rows L / 4 and L / 4 + 8, and the activations of the same columns. Columns have no order in a sum, so a word is used as
// it is: its fields become registers of mma's operand a.

namespace quern_ops {

constexpr int kMmaRows = 16, kMmaColumns = 8, kWarps = 8;
constexpr int kLaneWords = 4, kChunkWords = 4 * kLaneWords;
constexpr int kChains = 2;  // sums that a lane adds to in turn

// Loads 16 bytes that are used once. The policy is not used, but statements with instructions that only NVIDIA devices
// have keep the hints of all instructions.
__device__ void load_once(const unsigned* from, unsigned* to) {
  asm volatile(
      "{\n"
      ".reg .b64 policy;\n"
      "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      "ld.global.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];\n"
      "}"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "l"(from));
}

// The registers of a word: kCount of kPer elements each. T: unsigned for activations of 8 bits.
template <class T, int kFormat>
struct Fields {
  static constexpr bool kIsInteger = std::is_same<T, unsigned>::value;
  static constexpr int kPer = kIsInteger ? 4 : 2, kCount = Format<kFormat>::kEach / kPer;
  // int4 is multiplied at the top of its bytes, where it has a sign: 16 times the element. Ternary elements remain
  // unsigned, and every second field remains at its place in the second sum: 4 times the element.
  static constexpr int kShift = kIsInteger && kFormat == kInt4 ? 4 : 0;
  static constexpr bool kIsUnsigned = kIsInteger && kFormat == kTernary;

  // The sum of the products of all elements, without kZero times the sum of the activations if kIsUnsigned.
  template <class S>
  __device__ static S joined(S first, S second) {
    return kIsUnsigned ? first + second / 4 : first + second;
  }
};

__device__ void multiply_s8(int* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Register u of a word: four elements.
template <int kFormat>
__device__ unsigned field_s8(unsigned word, int u) {
  if constexpr (kFormat == kTernary) return (word >> (u / 2 * 4)) & (u % 2 == 0 ? 0x03030303u : 0x0c0c0c0cu);
  if constexpr (kFormat == kInt4) return ((word << (4 - 4 * u)) & 0xf0f0f0f0u) ^ 0x80808080u;
  return word;
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
    if constexpr (F::kIsInteger) {
      // Two registers of a sum: the same field of two words, or both fields of a word.
      constexpr bool kAlternates = F::kIsUnsigned;
      const int pair = u / 2, c = F::kCount;
      const int x = kAlternates ? pair / c * 2 * c + pair % c : u, y = kAlternates ? x + c : u + 1;
      const unsigned a[4] = {field_s8<kFormat>(row[x / c], x % c), field_s8<kFormat>(other[x / c], x % c),
                             field_s8<kFormat>(row[y / c], y % c), field_s8<kFormat>(other[y / c], y % c)};
      const unsigned both[2] = {b[x], b[y]};
      multiply_s8(d[pair % kChains], a, both);
    } else {
      const int i = u / F::kCount, f = u % F::kCount;
      Mantissa<T, kFormat>::multiply(d[u / 2 % kChains], row[i], other[i], f / 2, b + u);
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
  // kZero times the sum of each row. A barrier follows before it is used.
  __device__ static void sum_rows(const uint4* from, int rows, int pieces, int warp, int lane, int* sums) {
    for (int row = warp; row < rows; row += kWarps) {
      int sum = 0;
      for (int piece = lane; piece < pieces; piece += 32) {
        const uint4 raw = from[row * pieces + piece];
        sum = __dp4a(static_cast<int>(raw.x), 0x01010101, sum);
        sum = __dp4a(static_cast<int>(raw.y), 0x01010101, sum);
        sum = __dp4a(static_cast<int>(raw.z), 0x01010101, sum);
        sum = __dp4a(static_cast<int>(raw.w), 0x01010101, sum);
      }
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (lane == 0) sums[row] = sum * Format<kFormat>::kZero;
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

// Loads the weights of a warp's next kDepth chunks, also those of the block's next tile, into registers.
template <int kTiles, int kDepth, bool kIsGrouped>
struct WeightRing {
  static constexpr int kRows = 2 * kTiles, kTileRows = kMmaRows * kTiles;
  unsigned words[kDepth][kRows][kLaneWords];
  float scale[kDepth][kRows];
  const unsigned* row[kRows];
  const float* row_scale[kRows];
  long long tile;
  int chunk;

  __device__ WeightRing(const MmaShape& shape, const unsigned* weights, const float* scales, int warp, int lane)
      : tile(blockIdx.x) {
    begin(shape, weights, scales, warp, lane);
#pragma unroll
    for (int s = 0; s < kDepth; ++s) load(shape, s, lane);
  }
  __device__ void begin(const MmaShape& shape, const unsigned* weights, const float* scales, int warp, int lane) {
    chunk = warp;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const long long at = min(tile * kTileRows + lane / 4 + 8 * r, shape.of.n - 1);
      row[r] = weights + shape.of.weights.at(at, 0);
      if constexpr (kIsGrouped) row_scale[r] = scales + shape.of.scales.at(at, 0);
    }
  }
  // Lanes after the last column load it again: their activations are 0.
  __device__ void load(const MmaShape& shape, int slot, int lane) {
    if (chunk < shape.chunks) {
      const int word = min(chunk * kChunkWords + lane % 4 * kLaneWords, static_cast<int>(shape.of.words) - kLaneWords);
      int group = 0;
      if constexpr (kIsGrouped)
        group = (shape.group_chunks == 1 ? chunk : chunk / shape.group_chunks) * static_cast<int>(shape.of.scales.column);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        load_once(row[r] + word, words[slot][r]);
        if constexpr (kIsGrouped) scale[slot][r] = row_scale[r][group];
      }
    }
    chunk += kWarps;
  }
};

template <class T, class R, int kFormat, int kTiles, int kDepth, int kBlocks, bool kIsGrouped>
__global__ void __launch_bounds__(kWarps * 32, kBlocks)
    quantized_mma(MmaShape shape, const unsigned* weights, const float* scales, const T* a, const float* activation_scales,
                  R* c) {
  using F = Fields<T, kFormat>;
  using Staged = StagedActivations<T, kFormat>;
  using Product = typename MatvecSum<F::kIsInteger>::Type;
  using Sum = typename MatvecSum<F::kIsInteger && !kIsGrouped>::Type;
  constexpr int kRows = kMmaRows * kTiles;
  extern __shared__ __align__(16) uint4 staged[];
  __shared__ Sum parts[2][kWarps][kMmaColumns][kRows];
  __shared__ int offsets[kMmaColumns];  // kZero times the sum of the activations
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const long long tiles = (shape.of.n + kRows - 1) / kRows;
  int half = 0;
  for (long long first = 0; first < shape.of.m; first += shape.rows) {
    const int rows = static_cast<int>(min(static_cast<long long>(shape.rows), shape.of.m - first));
    WeightRing<kTiles, kDepth, kIsGrouped> ring(shape, weights, scales, warp, lane);
    __syncthreads();
    Staged::stage(a, shape.of.a, first, rows, shape.pieces, shape.existing, staged);
    __syncthreads();
    if constexpr (F::kIsUnsigned) Staged::sum_rows(staged, rows, shape.pieces, warp, lane, offsets);
    const Staged activations(staged, min(lane / 4, rows - 1), shape.pieces, lane);
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      Sum sum[kTiles][kChains][4] = {};
      for (int chunk = warp; chunk < shape.chunks; chunk += kDepth * kWarps) {
        const bool is_last = chunk + kDepth * kWarps >= shape.chunks;
        if (is_last) {
          ring.tile = tile + gridDim.x;
          if (ring.tile < tiles) ring.begin(shape, weights, scales, warp, lane);
        }
#pragma unroll
        for (int s = 0; s < kDepth; ++s) {
          const int current = chunk + s * kWarps;
          if (current < shape.chunks) {
            unsigned b[4 * Staged::kPieces];
            activations.load(current, b);
#pragma unroll
            for (int i = 0; i < kTiles; ++i) {
              if constexpr (kIsGrouped) {
                Product product[kChains][4] = {};
                multiply_words<T, kFormat>(product, ring.words[s][2 * i], ring.words[s][2 * i + 1], b);
                if constexpr (F::kIsUnsigned) {
                  constexpr unsigned kMinus = 0x01010101u * (256 - Format<kFormat>::kZero);
                  const unsigned minus[4] = {kMinus, kMinus, kMinus, kMinus};
#pragma unroll
                  for (int u = 0; u < 4 * Staged::kPieces; u += 2) multiply_s8(product[0], minus, b + u);
                }
#pragma unroll
                for (int e = 0; e < 4; ++e)
                  sum[i][0][e] +=
                      ring.scale[s][2 * i + e / 2] * static_cast<float>(F::joined(product[0][e], product[1][e]));
              } else {
                multiply_words<T, kFormat>(sum[i], ring.words[s][2 * i], ring.words[s][2 * i + 1], b);
              }
            }
          }
          if (!is_last || ring.tile < tiles) ring.load(shape, s, lane);
        }
      }
#pragma unroll
      for (int i = 0; i < kTiles; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (lane % 4 * 2 + e % 2 < rows)
            parts[half][warp][lane % 4 * 2 + e % 2][16 * i + lane / 4 + e / 2 * 8] =
                kIsGrouped ? sum[i][0][e] : F::joined(sum[i][0][e], sum[i][1][e]);
        }
      }
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < kRows * rows; i += kWarps * 32) {
        const int r = i % kRows, m = i / kRows;
        const long long row = tile * kRows + r;
        Sum total = parts[half][0][m][r];
#pragma unroll
        for (int w = 1; w < kWarps; ++w) total += parts[half][w][m][r];
        if (row < shape.of.n) {
          if constexpr (F::kIsUnsigned && !kIsGrouped) total -= offsets[m];
          float value = static_cast<float>(total);
          if constexpr (F::kShift != 0) value /= static_cast<float>(1 << F::kShift);
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
