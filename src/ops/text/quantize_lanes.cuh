// Products of quantized matrices with activations of 8 bits on processors, after index.cuh and quantize.cuh. A block of
// 32 threads is a vector; it multiplies some rows of weights with activations that it has copied to shared memory, in
// the order in which a vector of words needs them.

namespace quern_ops {

constexpr int kWordLanes = 32;

struct LanesShape {
  MatvecShape of;
  long long block_rows;  // of weights
  int rows;              // of activations at a time
};

// Adds the products of a vector of words, from word `first_word` on, of each of kRows rows. Each half of the vector has
// one scale: groups are multiples of 16 words.
template <int kFormat, int kRows, bool kIsGrouped, class S>
__device__ void multiply_words(const MatvecShape& shape, const unsigned* weights, const float* scales, long long first,
                               long long first_word, int lane, const int* staged, S* sum) {
  using F = Format<kFormat>;
  constexpr int kCount = F::kEach / 4;
  const long long word = first_word + lane;
  int x[kCount];
  int offset = 0;
#pragma unroll
  for (int f = 0; f < kCount; ++f) {
    x[f] = staged[f * shape.words + word];
    if constexpr (F::kZero != 0 && kIsGrouped) offset = __dp4a(0x01010101, x[f], offset);
  }
  long long low = 0, high = 0;  // groups
  if constexpr (kIsGrouped) {
    low = divided(first_word, shape.group_words);
    high = divided(min(first_word + kWordLanes / 2, shape.words - 1), shape.group_words);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const long long row = min(first + r, shape.n - 1);
    const unsigned bits = weights[shape.weights.first + row * shape.weights.row + word];
    if constexpr (kIsGrouped) {
      const float of_low = scales[shape.scales.at(row, low)], of_high = scales[shape.scales.at(row, high)];
      const int dot = F::dot(bits, x, -F::kZero * offset);
      sum[r] += (lane < kWordLanes / 2 ? of_low : of_high) * static_cast<float>(dot);
    } else {
      sum[r] = F::dot(bits, x, sum[r]);
    }
  }
}

template <class R, int kFormat, int kRows, bool kIsGrouped>
__global__ void __launch_bounds__(kWordLanes)
    quantized_lanes(LanesShape shape, const unsigned* weights, const float* scales, const unsigned* a,
                    const float* activation_scales, R* c) {
  using F = Format<kFormat>;
  using Sum = typename MatvecSum<!kIsGrouped>::Type;
  constexpr int kCount = F::kEach / 4;
  extern __shared__ int staged[];  // [row][field][word], then kZero times the sum of each row
  const MatvecShape& of = shape.of;
  const long long words = of.words, size = words * kCount;
  const int lane = static_cast<int>(threadIdx.x);
  int* const offsets = staged + shape.rows * size;
  const long long begin = blockIdx.x * shape.block_rows, end = min(begin + shape.block_rows, of.n);
  for (long long m = 0; m < of.m; m += shape.rows) {
    const int rows = static_cast<int>(min(static_cast<long long>(shape.rows), of.m - m));
    __syncthreads();
    for (int i = 0; i < rows; ++i) {
      int offset = 0;
      for (long long word = lane; word < words; word += kWordLanes) {
#pragma unroll
        for (int f = 0; f < kCount; ++f) {
          const int x = static_cast<int>(a[of.a.at(m + i, word * kCount + f)]);
          staged[i * size + f * words + word] = x;
          offset = __dp4a(0x01010101, x, offset);
        }
      }
      offset = static_cast<int>(__reduce_add_sync(0xffffffffu, offset)) * F::kZero;
      if (lane == 0) offsets[i] = offset;
    }
    __syncthreads();
    for (long long first = begin; first < end; first += kRows) {
      for (int i = 0; i < rows; ++i) {
        const int* const x = staged + i * size;
        Sum sum[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) sum[r] = Sum(0);
        long long word = 0;
        for (; word + kWordLanes <= words; word += kWordLanes)
          multiply_words<kFormat, kRows, kIsGrouped>(of, weights, scales, first, word, lane, x, sum);
        if (word + lane < words)
          multiply_words<kFormat, kRows, kIsGrouped>(of, weights, scales, first, word, lane, x, sum);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          float value;
          if constexpr (kIsGrouped) {
            value = sum[r];
#pragma unroll
            for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
          } else {
            value = static_cast<float>(__reduce_add_sync(0xffffffffu, sum[r]) - offsets[i]);
            value *= scales[of.scales.at(min(first + r, of.n - 1), 0)];
          }
          if (activation_scales != nullptr) value *= activation_scales[of.activation_scales[m + i]];
          if (lane == 0 && first + r < end) c[of.c.at(m + i, first + r)] = static_cast<R>(value);
        }
      }
    }
  }
}

}  // namespace quern_ops
