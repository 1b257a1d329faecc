// Inline PTX: matrices in registers. In all shapes, lane L holds in each register of a: row L / 4 (plus 8 in
// every second register if there are 16 rows), and consecutive elements along k from L % 4 times their
// number; b likewise with its column; of c, two adjacent columns in each row. Sums are made in the order of
// k.

struct __ptx_tf32 {};
struct __ptx_e4m3 {};
struct __ptx_e5m2 {};
struct __ptx_s4 {};
struct __ptx_u4 {};

// Number of elements in a register, and the value of one.
template <class T> __device__ constexpr int __ptx_per_register() {
  if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return 2;
  } else if constexpr (std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char> ||
                       std::is_same_v<T, __ptx_e4m3> || std::is_same_v<T, __ptx_e5m2>) {
    return 4;
  } else if constexpr (std::is_same_v<T, __ptx_s4> || std::is_same_v<T, __ptx_u4>) {
    return 8;
  } else {
    return 1;
  }
}
__device__ float __ptx_from_e4m3(unsigned bits) {
  const unsigned exponent = bits >> 3 & 15, fraction = bits & 7;
  float size = float(fraction) * 0x1p-9f;
  if (exponent != 0) size = __uint_as_float((exponent + 120) << 23 | fraction << 20);
  if ((bits & 127) == 127) size = __uint_as_float(0x7fffffffu);
  return bits & 128 ? -size : size;
}
__device__ float __ptx_from_e5m2(unsigned bits) {
  return __half2float(std::bit_cast<__half>((unsigned short)(bits << 8)));
}
template <class T, class W> __device__ auto __ptx_element(W word, int i) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(word);
  } else if constexpr (std::is_same_v<T, __half>) {
    return __half2float(std::bit_cast<__half>((unsigned short)(word >> 16 * i)));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __uint_as_float(word >> 16 * i << 16);
  } else if constexpr (std::is_same_v<T, __ptx_tf32>) {
    return __uint_as_float(word & 0xffffe000u);
  } else if constexpr (std::is_same_v<T, __ptx_e4m3>) {
    return __ptx_from_e4m3(word >> 8 * i & 255);
  } else if constexpr (std::is_same_v<T, __ptx_e5m2>) {
    return __ptx_from_e5m2(word >> 8 * i & 255);
  } else if constexpr (std::is_same_v<T, signed char>) {
    return int(word << (24 - 8 * i)) >> 24;
  } else if constexpr (std::is_same_v<T, unsigned char>) {
    return int(word >> 8 * i & 255);
  } else if constexpr (std::is_same_v<T, __ptx_s4>) {
    return int(word << (28 - 4 * i)) >> 28;
  } else {
    return int(word >> 4 * i & 15);
  }
}
template <class S> __device__ S __ptx_multiply_add(S a, S b, S c) {
  if constexpr (std::is_same_v<S, double>) {
    return fma(a, b, c);
  } else {
    return c + a * b;
  }
}

template <int Rows, int K, class A, class B, class S, class W>
__device__ void __ptx_products(S (&sums)[Rows * 2], const W* a, const W* b) {
  constexpr int per = __ptx_per_register<A>();
  const unsigned lane = __quern_lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
  for (int step = 0; step < K / (4 * per); ++step) {
    for (unsigned from = 0; from < 4; ++from) {
      const W first = __shfl_sync(0xffffffffu, b[step], column + from);
      const W second = __shfl_sync(0xffffffffu, b[step], column + 4 + from);
      for (int r = 0; r < Rows; ++r) {
        const W left = __shfl_sync(0xffffffffu, a[step * Rows + r], row + from);
        for (int i = 0; i < per; ++i) {
          const S value = S(__ptx_element<A>(left, i));
          sums[r * 2] = __ptx_multiply_add(value, S(__ptx_element<B>(first, i)), sums[r * 2]);
          sums[r * 2 + 1] = __ptx_multiply_add(value, S(__ptx_element<B>(second, i)), sums[r * 2 + 1]);
        }
      }
    }
  }
}

template <int I, int N, class V, class F, class... R>
__device__ void __ptx_give(const V* values, F& first, R&... rest) {
  first.bits = values[I];
  if constexpr (I + 1 < N) __ptx_give<I + 1, N>(values, rest...);
}
__device__ int __ptx_saturated(long x) {
  return x > 2147483647l ? 2147483647 : x < -2147483648l ? -2147483647 - 1 : int(x);
}
template <class D, class W> __device__ void __ptx_pack_sum(W* out, int i, float sum) {
  if constexpr (std::is_same_v<D, __half>) {
    const unsigned bits = std::bit_cast<unsigned short>(__float2half(sum));
    out[i / 2] = i % 2 == 0 ? bits : out[i / 2] | bits << 16;
  } else {
    out[i] = __float_as_uint(sum);
  }
}

// The registers of d, a, b and c.
template <int M, int K, bool Saturates, class D, class A, class B, class C, class F, class... R>
__device__ void __ptx_mma(F& first, R&... rest) {
  constexpr int rows = M / 8, per = __ptx_per_register<A>(), steps = K / (4 * per);
  constexpr int outputs = std::is_same_v<D, __half> ? rows : rows * 2;
  constexpr int inputs = std::is_same_v<C, __half> ? rows : rows * 2;
  static_assert(1 + sizeof...(rest) == outputs + steps * rows + steps + inputs,
                "mma has another number of registers");
  using W = decltype(first.bits);
  W all[1 + sizeof...(rest)] = {first.bits, rest.bits...};
  const W *a = all + outputs, *b = a + steps * rows, *c = b + steps;
  if constexpr (std::is_same_v<D, double>) {
    double sums[rows * 2];
    for (int i = 0; i < rows * 2; ++i) sums[i] = std::bit_cast<double>(c[i]);
    __ptx_products<rows, K, A, B>(sums, a, b);
    for (int i = 0; i < rows * 2; ++i) all[i] = std::bit_cast<W>(sums[i]);
  } else if constexpr (std::is_same_v<D, int>) {
    if constexpr (Saturates) {
      long sums[rows * 2];
      for (int i = 0; i < rows * 2; ++i) sums[i] = int(c[i]);
      __ptx_products<rows, K, A, B>(sums, a, b);
      for (int i = 0; i < rows * 2; ++i) all[i] = unsigned(__ptx_saturated(sums[i]));
    } else {
      int sums[rows * 2];
      for (int i = 0; i < rows * 2; ++i) sums[i] = int(c[i]);
      __ptx_products<rows, K, A, B>(sums, a, b);
      for (int i = 0; i < rows * 2; ++i) all[i] = unsigned(sums[i]);
    }
  } else {
    float sums[rows * 2];
    for (int i = 0; i < rows * 2; ++i) {
      if constexpr (std::is_same_v<C, __half>) {
        sums[i] = __ptx_element<__half>(c[i / 2], i % 2);
      } else {
        sums[i] = __uint_as_float(c[i]);
      }
    }
    __ptx_products<rows, K, A, B>(sums, a, b);
    for (int i = 0; i < rows * 2; ++i) __ptx_pack_sum<D>(all, i, sums[i]);
  }
  __ptx_give<0, outputs>(all, first, rest...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k4_row_col(R&... r) {
  __ptx_mma<16, 4, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k8_row_col(R&... r) {
  __ptx_mma<16, 8, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k16_row_col(R&... r) {
  __ptx_mma<16, 16, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k32_row_col(R&... r) {
  __ptx_mma<16, 32, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k64_row_col(R&... r) {
  __ptx_mma<16, 64, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m8n8k4_row_col(R&... r) {
  static_assert(std::is_same_v<A, double>, "mma.m8n8k4 is supported for f64 only");
  __ptx_mma<8, 4, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m8n8k16_row_col(R&... r) {
  __ptx_mma<8, 16, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m8n8k32_row_col(R&... r) {
  __ptx_mma<8, 32, false, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k16_row_col_satfinite(R&... r) {
  __ptx_mma<16, 16, true, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k32_row_col_satfinite(R&... r) {
  __ptx_mma<16, 32, true, D, A, B, C>(r...);
}
template <class D, class A, class B, class C, class... R>
__device__ void __ptx_mma_sync_aligned_m16n8k64_row_col_satfinite(R&... r) {
  __ptx_mma<16, 64, true, D, A, B, C>(r...);
}

// ldmatrix and stmatrix: lane 8 i + r has the address of row r (16 bytes) of the square i. Lane L holds the
// elements 2 (L % 4) and the next of row L / 4, or of that column with .trans.
__device__ unsigned __ptx_row_address(__ptx_shared at, unsigned lane) {
  return __shfl_sync(0xffffffffu, at.at, lane);
}
// The simulator reports addresses that are not aligned.
__device__ __ptx_shared __ptx_row(__ptx_shared at) {
  if (__quern_ptx_form() != 2u) return at;
  return __ptx_shared{__quern_shared_address(__ptx_pointer<16>(at))};
}
__device__ __ptx_shared __ptx_row(const char* p) {
  return __ptx_row(__ptx_shared{__quern_shared_address(p)});
}
template <bool Transposed> __device__ unsigned __ptx_square(__ptx_shared rows, unsigned first) {
  const unsigned lane = __quern_lane_id();
  if constexpr (!Transposed) {
    const unsigned row = __ptx_row_address(rows, first + lane / 4);
    return *(const unsigned*)__ptx_pointer<4>(__ptx_shared{row + lane % 4 * 4});
  } else {
    unsigned out = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned row = __ptx_row_address(rows, first + lane % 4 * 2 + i);
      const unsigned word = *(const unsigned*)__ptx_pointer<4>(__ptx_shared{row + lane / 8 * 4});
      out |= (word >> lane / 4 % 2 * 16 & 0xffffu) << 16 * i;
    }
    return out;
  }
}
template <class T, class P> __device__ void __ptx_ldmatrix(__ptx_r32& a, P at) {
  a.bits = __ptx_square<false>(__ptx_row(at), 0);
}
template <class T, class P> __device__ void __ptx_ldmatrix(__ptx_r32& a, __ptx_r32& b, P at) {
  const __ptx_shared rows = __ptx_row(at);
  a.bits = __ptx_square<false>(rows, 0), b.bits = __ptx_square<false>(rows, 8);
}
template <class T, class P>
__device__ void __ptx_ldmatrix(__ptx_r32& a, __ptx_r32& b, __ptx_r32& c, __ptx_r32& d, P at) {
  const __ptx_shared rows = __ptx_row(at);
  a.bits = __ptx_square<false>(rows, 0), b.bits = __ptx_square<false>(rows, 8);
  c.bits = __ptx_square<false>(rows, 16), d.bits = __ptx_square<false>(rows, 24);
}
template <class T, class P> __device__ void __ptx_ldmatrix_trans(__ptx_r32& a, P at) {
  a.bits = __ptx_square<true>(__ptx_row(at), 0);
}
template <class T, class P> __device__ void __ptx_ldmatrix_trans(__ptx_r32& a, __ptx_r32& b, P at) {
  const __ptx_shared rows = __ptx_row(at);
  a.bits = __ptx_square<true>(rows, 0), b.bits = __ptx_square<true>(rows, 8);
}
template <class T, class P>
__device__ void __ptx_ldmatrix_trans(__ptx_r32& a, __ptx_r32& b, __ptx_r32& c, __ptx_r32& d, P at) {
  const __ptx_shared rows = __ptx_row(at);
  a.bits = __ptx_square<true>(rows, 0), b.bits = __ptx_square<true>(rows, 8);
  c.bits = __ptx_square<true>(rows, 16), d.bits = __ptx_square<true>(rows, 24);
}

template <bool Transposed>
__device__ void __ptx_put_square(__ptx_shared rows, unsigned first, unsigned word) {
  const unsigned lane = __quern_lane_id();
  if constexpr (!Transposed) {
    const unsigned row = __ptx_row_address(rows, first + lane / 4);
    *(unsigned*)__ptx_pointer<4>(__ptx_shared{row + lane % 4 * 4}) = word;
  } else {
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned row = __ptx_row_address(rows, first + lane % 4 * 2 + i);
      *(unsigned short*)__ptx_pointer<2>(__ptx_shared{row + lane / 4 * 2}) = (unsigned short)(word >> 16 * i);
    }
  }
}
template <bool Transposed, class P, class... R> __device__ void __ptx_put_squares(P at, R... r) {
  const __ptx_shared rows = __ptx_row(at);
  const unsigned words[sizeof...(r)] = {r.bits...};
  for (unsigned i = 0; i < sizeof...(r); ++i) __ptx_put_square<Transposed>(rows, i * 8, words[i]);
}
template <class T, class P, class... R> __device__ void __ptx_stmatrix(P at, R... r) {
  __ptx_put_squares<false>(at, r...);
}
template <class T, class P, class... R> __device__ void __ptx_stmatrix_trans(P at, R... r) {
  __ptx_put_squares<true>(at, r...);
}
template <class T, class A> __device__ unsigned __ptx_movmatrix_sync_aligned_m8n8_trans(A a) {
  const unsigned lane = __quern_lane_id();
  unsigned out = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned word = __shfl_sync(0xffffffffu, __ptx_get<unsigned>(a), (lane % 4 * 2 + i) * 4 + lane / 8);
    out |= (word >> lane / 4 % 2 * 16 & 0xffffu) << 16 * i;
  }
  return out;
}
