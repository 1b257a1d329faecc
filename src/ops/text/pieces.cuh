// Pieces of 1 or 16 / sizeof(T) elements. A piece of 16 bytes is one access to memory.

namespace quern_ops {

__device__ __half from_bits(unsigned bits, __half) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
__device__ __nv_bfloat16 from_bits(unsigned bits, __nv_bfloat16) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
__device__ signed char from_bits(unsigned bits, signed char) { return static_cast<signed char>(bits); }
__device__ __nv_fp8_e4m3 from_bits(unsigned bits, __nv_fp8_e4m3 out) {
  out.__x = static_cast<unsigned char>(bits);
  return out;
}
__device__ __nv_fp8_e5m2 from_bits(unsigned bits, __nv_fp8_e5m2 out) {
  out.__x = static_cast<unsigned char>(bits);
  return out;
}
__device__ unsigned bits_of(__half v) { return __half_as_ushort(v); }
__device__ unsigned bits_of(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }

// Two numbers as a word.
template <class T, class A>
__device__ unsigned word_of(A low, A high) {
  return bits_of(static_cast<T>(low)) | bits_of(static_cast<T>(high)) << 16;
}
template <>
__device__ unsigned word_of<__half, float>(float low, float high) {
  unsigned word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
template <>
__device__ unsigned word_of<__nv_bfloat16, float>(float low, float high) {
  unsigned word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

// How a piece is in memory, and the same as numbers of type A. Primary template: 16 bytes of a 16-bit type.
template <class T, int kVector>
struct Piece {
  using Raw = uint4;
  template <class A>
  __device__ static void unpack(const Raw& raw, A* v) {
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      v[2 * w] = static_cast<A>(from_bits(words[w] & 0xffffu, T()));
      v[2 * w + 1] = static_cast<A>(from_bits(words[w] >> 16, T()));
    }
  }
  template <class A>
  __device__ static Raw pack(const A* v) {
    unsigned words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) words[w] = word_of<T>(v[2 * w], v[2 * w + 1]);
    return make_uint4(words[0], words[1], words[2], words[3]);
  }
};
template <class T>
struct Piece<T, 1> {
  using Raw = T;
  template <class A>
  __device__ static void unpack(const Raw& raw, A* v) { v[0] = static_cast<A>(raw); }
  template <class A>
  __device__ static Raw pack(const A* v) { return static_cast<T>(v[0]); }
};
// 8-bit types, which are only loaded.
template <class T>
struct Piece<T, 16> {
  using Raw = uint4;
  template <class A>
  __device__ static void unpack(const Raw& raw, A* v) {
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = static_cast<A>(from_bits(words[i / 4] >> (8 * (i % 4)) & 0xffu, T()));
  }
};
template <>
struct Piece<float, 4> {
  using Raw = float4;
  template <class A>
  __device__ static void unpack(const Raw& raw, A* v) {
    v[0] = raw.x;
    v[1] = raw.y;
    v[2] = raw.z;
    v[3] = raw.w;
  }
  template <class A>
  __device__ static Raw pack(const A* v) { return make_float4(v[0], v[1], v[2], v[3]); }
};
template <>
struct Piece<double, 2> {
  using Raw = double2;
  template <class A>
  __device__ static void unpack(const Raw& raw, A* v) {
    v[0] = raw.x;
    v[1] = raw.y;
  }
  template <class A>
  __device__ static Raw pack(const A* v) { return make_double2(v[0], v[1]); }
};

template <class T, int kVector>
__device__ typename Piece<T, kVector>::Raw raw_piece(const T* p) {
  return *reinterpret_cast<const typename Piece<T, kVector>::Raw*>(p);
}
// The piece at p as kVector numbers of type A.
template <class T, int kVector, class A>
__device__ void load_piece(const T* p, A* v) {
  Piece<T, kVector>::unpack(raw_piece<T, kVector>(p), v);
}
template <class T, int kVector, class A>
__device__ void store_piece(T* p, const A* v) {
  *reinterpret_cast<typename Piece<T, kVector>::Raw*>(p) = Piece<T, kVector>::pack(v);
}

// N elements of any type, in accesses of up to 16 bytes.
template <class T, int N>
struct __align__(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
  T of[N];
};

// a / b, with 32 bits where they are sufficient. Both are at least 0.
__device__ long long divided(long long a, long long b) {
  if ((a | b) <= 0xffffffffll) return static_cast<unsigned>(a) / static_cast<unsigned>(b);
  return a / b;
}

// As Index::offsets(), with divisions of 32 bits where they are sufficient.
template <int R, int N>
__device__ void offsets_of(const Index<R, N>& index, long long i, long long (&at)[N]) {
  if constexpr (R > 1) {
    if (i <= 0xffffffffll) {
      unsigned rest = static_cast<unsigned>(i);
      for (int t = 0; t < N; ++t) at[t] = index.first[t];
#pragma unroll
      for (int axis = R - 1; axis >= 0; --axis) {
        const bool is_last = axis == 0 || index.extent[axis] > 0xffffffffll;
        const unsigned next = is_last ? 0 : rest / static_cast<unsigned>(index.extent[axis]);
        const long long here = rest - next * static_cast<unsigned>(index.extent[axis]);
        for (int t = 0; t < N; ++t) at[t] += here * index.stride[t][axis];
        rest = next;
      }
      return;
    }
  }
  index.offsets(i, at);
}

// Functions for results of type T. Approximations are precise enough for 16 bits.
template <class T>
__device__ float exponential(float x) {
  if constexpr (sizeof(T) != 2) return expf(x);
  float out;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(x * 1.44269504f));
  return out;
}
template <class T>
__device__ double exponential(double x) {
  return exp(x);
}
template <class T>
__device__ float reciprocal(float x) {
  if constexpr (sizeof(T) != 2) return 1.0f / x;
  float out;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(x));
  return out;
}
template <class T>
__device__ double reciprocal(double x) {
  return 1 / x;
}

template <class A>
__device__ A infinity() {
  return static_cast<A>(CUDART_INF_F);
}

}  // namespace quern_ops
