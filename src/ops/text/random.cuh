// Random numbers from Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011). A counter
// gives four words; a thread computes the elements of one counter. D makes elements from words.

namespace quern_ops {

struct Philox {
  unsigned word[4];

  __device__ Philox(unsigned long long counter, unsigned long long sequence, unsigned long long seed) {
    unsigned c0 = static_cast<unsigned>(counter), c1 = static_cast<unsigned>(counter >> 32);
    unsigned c2 = static_cast<unsigned>(sequence), c3 = static_cast<unsigned>(sequence >> 32);
    unsigned k0 = static_cast<unsigned>(seed), k1 = static_cast<unsigned>(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const unsigned high0 = __umulhi(0xd2511f53u, c0), low0 = 0xd2511f53u * c0;
      const unsigned high1 = __umulhi(0xcd9e8d57u, c2), low1 = 0xcd9e8d57u * c2;
      c0 = high1 ^ c1 ^ k0;
      c1 = low1;
      c2 = high0 ^ c3 ^ k1;
      c3 = low0;
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
  }
  __device__ unsigned long long pair(int i) const {
    return static_cast<unsigned long long>(word[2 * i + 1]) << 32 | word[2 * i];
  }
};

// Numbers of [0, 1) with as many bits as T holds, scaled. kBits: at most 24.
template <class T, int kBits>
struct Uniform {
  static constexpr int kElements = 4;
  float low, width, last;  // last: the largest number of T below the upper end

  __device__ T operator()(const Philox& words, int i) const {
    const float unit = static_cast<float>(words.word[i] >> (32 - kBits)) * (1.0f / static_cast<float>(1 << kBits));
    const T v = static_cast<T>(fmaf(unit, width, low));
    return static_cast<float>(v) < last ? v : static_cast<T>(last);
  }
};
struct UniformDouble {
  static constexpr int kElements = 2;
  double low, width, last;

  __device__ double operator()(const Philox& words, int i) const {
    const double unit = static_cast<double>(static_cast<long long>(words.pair(i) >> 11)) * (1.0 / 9007199254740992.0);
    const double v = fma(unit, width, low);
    return v < last ? v : last;
  }
};

// The Box-Muller transform: elements 2 i and 2 i + 1 are a radius times the cosine and the sine of an angle.
template <class T>
struct Normal {
  static constexpr int kElements = 4;
  float mean, deviation;

  __device__ T operator()(const Philox& words, int i) const {
    const unsigned a = words.word[i / 2 * 2], b = words.word[i / 2 * 2 + 1];
    const float unit = fmaf(static_cast<float>(a), 1.0f / 4294967296.0f, 0.5f / 4294967296.0f);  // of (0, 1]
    const float radius = sqrtf(-2.0f * logf(unit)), angle = static_cast<float>(b >> 8) * (1.0f / 8388608.0f);
    return static_cast<T>(fmaf(radius * (i % 2 == 0 ? cospif(angle) : sinpif(angle)), deviation, mean));
  }
};
struct NormalDouble {
  static constexpr int kElements = 2;
  double mean, deviation;

  __device__ double operator()(const Philox& words, int i) const {
    const double unit =
        (static_cast<double>(static_cast<long long>(words.pair(0) >> 11)) + 0.5) * (1.0 / 9007199254740992.0);
    const double angle =
        static_cast<double>(static_cast<long long>(words.pair(1) >> 11)) * (1.0 / 4503599627370496.0);
    const double radius = sqrt(-2.0 * log(unit));
    return fma(radius * (i == 0 ? cospi(angle) : sinpi(angle)), deviation, mean);
  }
};

// All values of T.
template <class T>
struct Bits {
  static constexpr int kElements = sizeof(T) == 8 ? 2 : 4;
  unsigned unused;

  __device__ T operator()(const Philox& words, int i) const {
    if constexpr (sizeof(T) == 8) return static_cast<T>(words.pair(i));
    return static_cast<T>(words.word[i]);
  }
};
// From `low` on, `count` values.
template <class T>
struct Integers {
  static constexpr int kElements = 2;
  unsigned long long low, count;

  __device__ T operator()(const Philox& words, int i) const {
    return static_cast<T>(low + __umul64hi(words.pair(i), count));
  }
};

template <class T, class D, int kAxes>
__global__ void random(long long n, long long counters, unsigned long long offset, unsigned long long sequence,
                       unsigned long long seed, D distribution, Index<kAxes, 1> index, T* out) {
  const unsigned long long first = offset / D::kElements;
  const int skipped = static_cast<int>(offset % D::kElements);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long c = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; c < counters; c += step) {
    const Philox words(first + static_cast<unsigned long long>(c), sequence, seed);
#pragma unroll
    for (int k = 0; k < D::kElements; ++k) {
      const long long i = c * D::kElements + k - skipped;
      if (i >= 0 && i < n) {
        long long at[1];
        index.offsets(i, at);
        out[at[0]] = distribution(words, k);
      }
    }
  }
}

}  // namespace quern_ops
