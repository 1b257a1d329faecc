// Pieces of 1 or 16 / sizeof(T) elements. A piece of 16 bytes is one access to memory.

namespace quern_ops {

__device__ __half from_bits(unsigned bits, __half) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
__device__ __nv_bfloat16 from_bits(unsigned bits, __nv_bfloat16) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
__device__ unsigned bits_of(__half v) { return __half_as_ushort(v); }
__device__ unsigned bits_of(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }

template <class T>
struct Words {  // 16-bit types
  template <class A>
  __device__ static void load(const T* p, A* v) {
    const uint4 raw = *reinterpret_cast<const uint4*>(p);
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      v[2 * w] = static_cast<A>(from_bits(words[w] & 0xffffu, T()));
      v[2 * w + 1] = static_cast<A>(from_bits(words[w] >> 16, T()));
    }
  }
  template <class A>
  __device__ static void store(T* p, const A* v) {
    unsigned words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w)
      words[w] = bits_of(static_cast<T>(v[2 * w])) | bits_of(static_cast<T>(v[2 * w + 1])) << 16;
    *reinterpret_cast<uint4*>(p) = make_uint4(words[0], words[1], words[2], words[3]);
  }
};
// 8-bit types.
__device__ signed char from_bits(unsigned bits, signed char) { return static_cast<signed char>(bits); }
__device__ __nv_fp8_e4m3 from_bits(unsigned bits, __nv_fp8_e4m3 out) {
  out.__x = static_cast<unsigned char>(bits);
  return out;
}
__device__ __nv_fp8_e5m2 from_bits(unsigned bits, __nv_fp8_e5m2 out) {
  out.__x = static_cast<unsigned char>(bits);
  return out;
}
template <class T>
struct Bytes {
  template <class A>
  __device__ static void load(const T* p, A* v) {
    const uint4 raw = *reinterpret_cast<const uint4*>(p);
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = static_cast<A>(from_bits(words[i / 4] >> (8 * (i % 4)) & 0xffu, T()));
  }
};
template <>
struct Words<signed char> : Bytes<signed char> {};
template <>
struct Words<__nv_fp8_e4m3> : Bytes<__nv_fp8_e4m3> {};
template <>
struct Words<__nv_fp8_e5m2> : Bytes<__nv_fp8_e5m2> {};
template <>
struct Words<float> {
  template <class A>
  __device__ static void load(const float* p, A* v) {
    const float4 raw = *reinterpret_cast<const float4*>(p);
    v[0] = raw.x;
    v[1] = raw.y;
    v[2] = raw.z;
    v[3] = raw.w;
  }
  template <class A>
  __device__ static void store(float* p, const A* v) {
    *reinterpret_cast<float4*>(p) = make_float4(v[0], v[1], v[2], v[3]);
  }
};
template <>
struct Words<double> {
  template <class A>
  __device__ static void load(const double* p, A* v) {
    const double2 raw = *reinterpret_cast<const double2*>(p);
    v[0] = raw.x;
    v[1] = raw.y;
  }
  template <class A>
  __device__ static void store(double* p, const A* v) {
    *reinterpret_cast<double2*>(p) = make_double2(v[0], v[1]);
  }
};

// The piece at p as kVector numbers of type A.
template <class T, int kVector, class A>
__device__ void load_piece(const T* p, A* v) {
  if constexpr (kVector == 1) v[0] = static_cast<A>(*p);
  if constexpr (kVector > 1) Words<T>::load(p, v);
}
template <class T, int kVector, class A>
__device__ void store_piece(T* p, const A* v) {
  if constexpr (kVector == 1) *p = static_cast<T>(v[0]);
  if constexpr (kVector > 1) Words<T>::store(p, v);
}

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

// exp(x): its fast form is precise enough for a result of 16 bits.
template <class T>
__device__ float exponential(float x) {
  if constexpr (sizeof(T) == 2) return __expf(x);
  return expf(x);
}
template <class T>
__device__ double exponential(double x) {
  return exp(x);
}

template <class A>
__device__ A infinity() {
  return static_cast<A>(CUDART_INF_F);
}

}  // namespace quern_ops
