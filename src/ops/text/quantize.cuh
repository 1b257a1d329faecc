// Quantized matrices. The layout of words is described in quern/ops/quantize.hpp.

namespace quern_ops {

enum Quantization { kInt8, kFp8, kInt4, kTernary };

template <int kFormat>
struct Format {
  static constexpr int kBits = kFormat == kTernary ? 2 : kFormat == kInt4 ? 4 : 8;
  static constexpr int kEach = 32 / kBits;  // elements of a word
  static constexpr int kZero = kBits == 8 ? 0 : 1 << (kBits - 1);
  static constexpr unsigned kMask = kFormat == kTernary ? 0x03030303u : 0x0f0f0f0fu;

  __device__ static int shift(int e) { return kBits == 8 ? 8 * e : 8 * (e % 4) + kBits * (e / 4); }
  // Element e, without the scale.
  __device__ static float value(unsigned word, int e) {
    const unsigned bits = word >> shift(e);
    if constexpr (kFormat == kInt8) return static_cast<float>(static_cast<signed char>(bits & 0xffu));
    if constexpr (kFormat == kFp8) {  // the bits of a half that is smaller by 2^8
      const unsigned short half_bits = static_cast<unsigned short>((bits & 0x80u) << 8 | (bits & 0x7fu) << 7);
      if ((bits & 0x7fu) == 0x7fu) return CUDART_NAN_F;
      return static_cast<float>(__ushort_as_half(half_bits)) * 256.0f;
    }
    return static_cast<float>(static_cast<int>(bits & (kMask & 0xffu)) - kZero);
  }
  __device__ static unsigned encode(float x, int e) {
    unsigned bits = 0;
    if constexpr (kFormat == kFp8) {
      bits = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    } else {
      constexpr int kLargest = kFormat == kTernary ? 1 : kFormat == kInt4 ? 7 : 127;
      const int q = min(max(static_cast<int>(rintf(x)), -kLargest), kLargest) + kZero;
      bits = static_cast<unsigned>(q) & (kBits == 8 ? 0xffu : kMask & 0xffu);
    }
    return bits << shift(e);
  }
  // Adds the products of a word with activations of 8 bits, of which `a` holds four in each word. kZero times their
  // sum is not subtracted.
  __device__ static int dot(unsigned word, const int* a, int sum) {
    if constexpr (kBits == 8) return __dp4a(static_cast<int>(word), a[0], sum);
#pragma unroll
    for (int i = 0; i < 8 / kBits; ++i) sum = __dp4a(static_cast<int>(word >> (kBits * i) & kMask), a[i], sum);
    return sum;
  }
};

struct MatrixLine {  // strides
  long long first, row, column;
  __device__ long long at(long long r, long long c) const { return first + r * row + c * column; }
};

// A group of a row for each block.
template <class T, int kFormat>
__global__ void quantize(long long rows, long long groups, long long words, MatrixLine in_line, MatrixLine packed_line,
                         MatrixLine scale_line, const T* in, unsigned* packed, float* scales) {
  using F = Format<kFormat>;
  __shared__ float parts[8];
  for (long long w = blockIdx.x; w < rows * groups; w += gridDim.x) {
    const long long row = w / groups, group = w - row * groups;
    const long long first = group * words * F::kEach;
    float total = 0;
    for (long long i = threadIdx.x; i < words * F::kEach; i += blockDim.x) {
      const float x = fabsf(static_cast<float>(in[in_line.at(row, first + i)]));
      total = kFormat == kTernary ? total + x : fmaxf(total, x);
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, total, distance);
      total = kFormat == kTernary ? total + other : fmaxf(total, other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = total;
    __syncthreads();
    total = parts[0];
    for (int i = 1; i < 8; ++i) total = kFormat == kTernary ? total + parts[i] : fmaxf(total, parts[i]);
    const float divisor = kFormat == kTernary ? static_cast<float>(words * F::kEach)
                          : kFormat == kInt4  ? 7.0f
                          : kFormat == kFp8   ? 448.0f
                                              : 127.0f;
    const float scale = total / divisor, inverse = scale > 0 ? 1 / scale : 0;
    if (threadIdx.x == 0) scales[scale_line.at(row, group)] = scale;
    for (long long i = threadIdx.x; i < words; i += blockDim.x) {
      unsigned word = 0;
      for (int e = 0; e < F::kEach; ++e)
        word |= F::encode(static_cast<float>(in[in_line.at(row, first + i * F::kEach + e)]) * inverse, e);
      packed[packed_line.at(row, group * words + i)] = word;
    }
  }
}

// A word for each thread.
template <class T, int kFormat>
__global__ void dequantize(long long work, long long row_words, long long group_words, MatrixLine out_line,
                           MatrixLine packed_line, MatrixLine scale_line, const unsigned* packed, const float* scales,
                           T* out) {
  using F = Format<kFormat>;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < work; w += step) {
    const long long row = w / row_words, word = w - row * row_words;
    const unsigned bits = packed[packed_line.at(row, word)];
    const float scale = scales[scale_line.at(row, word / group_words)];
    for (int e = 0; e < F::kEach; ++e)
      out[out_line.at(row, word * F::kEach + e)] = static_cast<T>(scale * F::value(bits, e));
  }
}

template <int kWords>
__device__ void load_words(const unsigned* p, unsigned* words) {
  if constexpr (kWords == 1) {
    words[0] = *p;
  } else {
#pragma unroll
    for (int i = 0; i < kWords; i += 4) {
      const uint4 raw = *reinterpret_cast<const uint4*>(p + i);
      words[i] = raw.x;
      words[i + 1] = raw.y;
      words[i + 2] = raw.z;
      words[i + 3] = raw.w;
    }
  }
}

// The activations for kWords words of weights.
template <class T, int kFormat, int kWords>
struct Activations {
  using F = Format<kFormat>;
  static constexpr int kCount = kWords * F::kEach;
  float v[kCount];

  __device__ void load(const T* a, const MatrixLine& line, long long row, long long word) {
    constexpr int kVector = kWords == 1 ? 1 : 16 / sizeof(T);
#pragma unroll
    for (int i = 0; i < kCount; i += kVector)
      load_piece<T, kVector>(a + line.at(row, word * F::kEach + i), v + i);
  }
  __device__ float dot(const unsigned* words) const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += F::value(words[i / F::kEach], i % F::kEach) * v[i];
    return sum;
  }
};
// Four activations of 8 bits in each word.
template <int kFormat, int kWords>
struct Activations<unsigned, kFormat, kWords> {
  using F = Format<kFormat>;
  static constexpr int kEach = F::kEach / 4, kCount = kWords * kEach;
  int v[kCount];
  int offset;

  __device__ void load(const unsigned* a, const MatrixLine& line, long long row, long long word) {
    unsigned words[kCount];
    if constexpr (kWords == 1) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) words[i] = a[line.at(row, word * kEach + i)];
    } else {
      load_words<kCount>(a + line.at(row, word * kEach), words);
    }
    offset = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      v[i] = static_cast<int>(words[i]);
      if constexpr (F::kZero != 0) offset = __dp4a(v[i], 0x01010101, offset);
    }
    offset *= F::kZero;
  }
  __device__ int dot(const unsigned* words) const {
    int sum = -offset;
#pragma unroll
    for (int i = 0; i < kWords; ++i) sum = F::dot(words[i], v + i * kEach, sum);
    return sum;
  }
};

struct MatvecShape {
  long long m, n, words, group_words;
  MatrixLine a, weights, scales, c;
  Line activation_scales;
};

template <bool kIsInteger>
struct MatvecSum {
  using Type = float;
};
template <>
struct MatvecSum<true> {
  using Type = int;
};

// kRows rows of weights for each warp, and kM rows of activations at a time. T: unsigned for activations of 8 bits.
// kIsGrouped false: one scale for each row.
template <class T, class R, int kFormat, int kWords, int kM, int kRows, bool kIsGrouped>
__global__ void __launch_bounds__(256) quantized_matvec(MatvecShape shape, const unsigned* weights, const float* scales,
                                                        const T* a, const float* activation_scales, R* c) {
  using X = Activations<T, kFormat, kWords>;
  using Sum = typename MatvecSum<std::is_same<T, unsigned>::value && !kIsGrouped>::Type;
  constexpr int kBlockRows = 8 * kRows;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (long long tile = static_cast<long long>(blockIdx.x) * kBlockRows; tile < shape.n;
       tile += static_cast<long long>(gridDim.x) * kBlockRows) {
    const long long first = tile + threadIdx.x / 32 * kRows;
    for (long long m = 0; m < shape.m; m += kM) {
      Sum sum[kM][kRows];
#pragma unroll
      for (int i = 0; i < kM; ++i) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) sum[i][r] = Sum(0);
      }
      for (long long word = lane * kWords; word < shape.words; word += 32 * kWords) {
        unsigned words[kRows][kWords];
        float scale[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const long long row = min(first + r, shape.n - 1);
          load_words<kWords>(weights + shape.weights.at(row, word), words[r]);
          if constexpr (kIsGrouped) scale[r] = scales[shape.scales.at(row, divided(word, shape.group_words))];
        }
#pragma unroll
        for (int i = 0; i < kM; ++i) {
          X x;
          x.load(a, shape.a, min(m + i, shape.m - 1), word);
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
            if constexpr (kIsGrouped) {
              sum[i][r] += scale[r] * static_cast<float>(x.dot(words[r]));
            } else {
              sum[i][r] += x.dot(words[r]);
            }
          }
        }
      }
#pragma unroll
      for (int i = 0; i < kM; ++i) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
          for (int distance = 16; distance > 0; distance /= 2)
            sum[i][r] += __shfl_xor_sync(0xffffffffu, sum[i][r], distance);
          if (lane == 0 && first + r < shape.n && m + i < shape.m) {
            float value = static_cast<float>(sum[i][r]);
            if constexpr (!kIsGrouped) value *= scales[shape.scales.at(first + r, 0)];
            if (activation_scales != nullptr) value *= activation_scales[shape.activation_scales[m + i]];
            c[shape.c.at(m + i, first + r)] = static_cast<R>(value);
          }
        }
      }
    }
  }
}

}  // namespace quern_ops
