// Packs of adjacent elements of any real type: one access to memory for each 4, 8 or 16 bytes.

namespace quern_ops {

// The bits of a value of at most 4 bytes.
template <class T>
__device__ unsigned bits_in_word(T v) {
  if constexpr (sizeof(T) == 1) return std::bit_cast<unsigned char>(v);
  if constexpr (sizeof(T) == 2) return std::bit_cast<unsigned short>(v);
  if constexpr (sizeof(T) == 4) return std::bit_cast<unsigned>(v);
}
template <class T>
__device__ T value_in_word(unsigned bits) {
  if constexpr (sizeof(T) == 1) return std::bit_cast<T>(static_cast<unsigned char>(bits));
  if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<unsigned short>(bits));
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(bits);
}

// N elements; N * sizeof(T) is 4, 8 or a multiple of 16, and addresses are multiples of it or of 16.
template <class T, int N>
struct Pack {
  static constexpr int kSize = static_cast<int>(sizeof(T)), kWords = N * kSize / 4, kInWord = kSize < 4 ? 4 / kSize : 1;
  unsigned words[kWords];

  __device__ void load(const T* p) {
    if constexpr (kWords == 1) words[0] = *reinterpret_cast<const unsigned*>(p);
    if constexpr (kWords == 2) {
      const uint2 raw = *reinterpret_cast<const uint2*>(p);
      words[0] = raw.x;
      words[1] = raw.y;
    }
    if constexpr (kWords >= 4) {
#pragma unroll
      for (int q = 0; q < kWords / 4; ++q) {
        const uint4 raw = reinterpret_cast<const uint4*>(p)[q];
        words[4 * q] = raw.x;
        words[4 * q + 1] = raw.y;
        words[4 * q + 2] = raw.z;
        words[4 * q + 3] = raw.w;
      }
    }
  }
  __device__ void store(T* p) const {
    if constexpr (kWords == 1) *reinterpret_cast<unsigned*>(p) = words[0];
    if constexpr (kWords == 2) *reinterpret_cast<uint2*>(p) = make_uint2(words[0], words[1]);
    if constexpr (kWords >= 4) {
#pragma unroll
      for (int q = 0; q < kWords / 4; ++q)
        reinterpret_cast<uint4*>(p)[q] =
            make_uint4(words[4 * q], words[4 * q + 1], words[4 * q + 2], words[4 * q + 3]);
    }
  }
  __device__ T get(int k) const {
    if constexpr (kSize == 8) {
      return std::bit_cast<T>(static_cast<unsigned long long>(words[2 * k + 1]) << 32 | words[2 * k]);
    } else {
      return value_in_word<T>(words[k / kInWord] >> k % kInWord * (8 * kSize));
    }
  }
  // From element 0 on.
  __device__ void set(int k, T v) {
    if constexpr (kSize == 8) {
      const auto bits = std::bit_cast<unsigned long long>(v);
      words[2 * k] = static_cast<unsigned>(bits);
      words[2 * k + 1] = static_cast<unsigned>(bits >> 32);
    } else {
      const unsigned bits = bits_in_word(v) << k % kInWord * (8 * kSize);
      words[k / kInWord] = k % kInWord == 0 ? bits : words[k / kInWord] | bits;
    }
  }
};

}  // namespace quern_ops
