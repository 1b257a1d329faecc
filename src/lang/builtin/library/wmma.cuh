// Matrix fragments, CUDA's nvcuda::wmma. A fragment is the array of the elements that one thread of a warp
// holds; see ir/matrix.hpp. __quern_matrix_form says how a target multiplies: with its own instruction on
// such arrays (1), with opaque objects (2), or as implemented here, by shuffles (0) or shared memory (3).
// __quern_unroll__() is #pragma unroll.

namespace nvcuda::wmma::precision {
struct tf32 {};
}  // namespace nvcuda::wmma::precision

namespace nvcuda::wmma::experimental::precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace nvcuda::wmma::experimental::precision

namespace nvcuda::wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

// The element type of a matrix: its number in ir/matrix.hpp, the stored type, and how many are exchanged
// together.
template <class T>
struct __of {
  static constexpr int number = -1, packed = 1;
  using stored = T;
};
template <>
struct __of<__half> {
  static constexpr int number = 0, packed = 2;
  using stored = __half;
};
template <>
struct __of<__nv_bfloat16> {
  static constexpr int number = 1, packed = 2;
  using stored = __nv_bfloat16;
};
template <>
struct __of<precision::tf32> {
  static constexpr int number = 2, packed = 1;
  using stored = float;
};
template <>
struct __of<signed char> {
  static constexpr int number = 3, packed = 4;
  using stored = signed char;
};
template <>
struct __of<unsigned char> {
  static constexpr int number = 4, packed = 4;
  using stored = unsigned char;
};
template <>
struct __of<double> {
  static constexpr int number = 5, packed = 1;
  using stored = double;
};
template <>
struct __of<experimental::precision::u4> {
  static constexpr int number = -2, packed = 1;
  using stored = unsigned;
};
template <>
struct __of<experimental::precision::s4> {
  static constexpr int number = -2, packed = 1;
  using stored = int;
};
template <>
struct __of<experimental::precision::b1> {
  static constexpr int number = -2, packed = 1;
  using stored = unsigned;
};

__device__ constexpr int __shape_of(int m, int n, int k) {
  return m == 16 && n == 16 && k == 16  ? 0
         : m == 32 && n == 8 && k == 16 ? 1
         : m == 8 && n == 32 && k == 16 ? 2
         : m == 16 && n == 16 && k == 8 ? 3
         : m == 8 && n == 8 && k == 4   ? 4
                                        : -1;
}

// Whether matrices a and b (sums: c and d) of that type exist in that shape.
template <class T, bool IsSum>
__device__ constexpr bool __fits(int shape) {
  if (IsSum && std::is_same_v<T, float>) return shape >= 0 && shape <= 3;
  if (IsSum && (std::is_same_v<T, int> || std::is_same_v<T, __half>)) return shape >= 0 && shape <= 2;
  if (std::is_same_v<T, double>) return shape == 4;
  if (IsSum) return false;
  if (std::is_same_v<T, precision::tf32>) return shape == 3;
  return __of<T>::number >= 0 && shape >= 0 && shape <= 2;
}

template <class T, int N>
struct __piece {
  alignas(N * sizeof(T)) T at[N];
};

// The positions of the elements of a matrix a or b of R rows (columns): pieces of Packed neighbors along k.
template <int R, int K, int Packed, bool IsLeft>
struct __places {
  static constexpr int along_k = K / (4 * Packed);
  static constexpr int pieces = R / 8 * along_k;
  static constexpr bool has_pairs = IsLeft && R > 8;
  __device__ static constexpr int piece(int eighth, int j) {
    return has_pairs ? (eighth / 2 * along_k + j) * 2 + eighth % 2 : eighth * along_k + j;
  }
  __device__ static constexpr int eighth(int piece) {
    return has_pairs ? piece / (2 * along_k) * 2 + piece % 2 : piece / along_k;
  }
  __device__ static unsigned line(int piece, unsigned lane) { return eighth(piece) * 8 + lane / 4; }
  __device__ static unsigned k(int piece, unsigned lane) {
    return ((has_pairs ? piece / 2 : piece) % along_k * 4 + lane % 4) * Packed;
  }
};

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static_assert(std::is_same_v<Use, matrix_a> || std::is_same_v<Use, matrix_b>,
                "the use of a fragment must be matrix_a, matrix_b or accumulator");
  static_assert(__of<T>::number != -2, "fragments of elements of fewer than 8 bits are not supported");
  static_assert(__of<T>::number != -1,
                "a fragment of matrix_a or matrix_b must have elements of __half, __nv_bfloat16, "
                "precision::tf32, signed char, unsigned char or double");
  static_assert(__of<T>::number < 0 || __fits<T, false>(__shape_of(M, N, K)),
                "the shape of a fragment must be 16x16x16, 32x8x16 or 8x32x16, of tf32 16x16x8, "
                "of double 8x8x4");
  static_assert(std::is_same_v<Layout, row_major> || std::is_same_v<Layout, col_major>,
                "a fragment of matrix_a or matrix_b must be row_major or col_major");
  static constexpr bool __is_a = std::is_same_v<Use, matrix_a>;
  static constexpr bool __is_by_column = std::is_same_v<Layout, col_major>;
  static constexpr bool __is_flat = M == 8 && N == 32, __is_left = __is_a != __is_flat;
  // Neighbors along k are neighbors in memory.
  static constexpr bool __is_along_k = __is_a != __is_by_column;
  static constexpr int __type = __of<T>::number, __packed = __of<T>::packed;
  static constexpr int __which = __type | __shape_of(M, N, K) << 4 | !__is_a << 8 | __is_by_column << 10;
  using __stored = typename __of<T>::stored;
  using __at = __places<(__is_a ? M : N), K, __of<T>::packed,
                        (std::is_same_v<Use, matrix_a> != (M == 8 && N == 32))>;
  using element_type = T;
  using storage_element_type = __stored;
  static constexpr int num_elements = (__is_a ? M : N) * K / 32, num_storage_elements = num_elements;
  __stored x[num_elements];
};
template <int M, int N, int K, class T>
struct fragment<accumulator, M, N, K, T, void> {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, int> ||
                    std::is_same_v<T, double>,
                "a fragment of accumulator must have elements of float, __half, int or double");
  static_assert(!(std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, int> ||
                  std::is_same_v<T, double>) || __fits<T, true>(__shape_of(M, N, K)),
                "the shape of a fragment must be 16x16x16, 32x8x16 or 8x32x16, of tf32 16x16x8, "
                "of double 8x8x4");
  static constexpr bool __is_flat = M == 8 && N == 32;
  static constexpr int __m = M, __n = N, __k = K;
  static constexpr int __type = std::is_same_v<T, double> ? 5 : K == 8 ? 2 : std::is_same_v<T, int> ? 3 : 0;
  static constexpr int __which = __type | __shape_of(M, N, K) << 4 | 2 << 8 | std::is_same_v<T, __half> << 11;
  using __stored = T;
  using element_type = T;
  using storage_element_type = T;
  static constexpr int num_elements = M * N / 32, num_storage_elements = num_elements;
  // The matrix that is multiplied: the transposed one if it is flat.
  static constexpr int __rows = __is_flat ? N : M, __columns = __is_flat ? M : N;
  __device__ static constexpr int __pair(int eighth, int column) {
    return __rows == 8 ? column : (eighth / 2 * (__columns / 8) + column) * 2 + eighth % 2;
  }
  __device__ static unsigned __row(int pair, unsigned lane) {
    return (__rows == 8 ? 0 : pair / 2 / (__columns / 8) * 2 + pair % 2) * 8 + lane / 4;
  }
  __device__ static unsigned __column(int pair, unsigned lane) {
    return (__rows == 8 ? pair : pair / 2 % (__columns / 8)) * 8 + lane % 4 * 2;
  }
  T x[num_elements];
};

template <class F, class V>
__device__ void __fill(F& to, V value) {
  if (__quern_matrix_form(F::__which) == 2u) {
    __quern_matrix_fill(to.x, (typename F::__stored)value, F::__which);
    return;
  }
  __quern_unroll__() for (int i = 0; i < F::num_elements; ++i) to.x[i] = value;
}
template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const V& value) {
  __fill(to, (typename fragment<Use, M, N, K, T, Layout>::__stored)value);
}

// 16-bit elements from shared memory: each thread passes the address of a row of eight, and the device's
// instruction distributes four (two) 8x8 tiles of such rows.
template <class F>
__device__ void __load_rows(F& to, const typename F::__stored* from, unsigned ldm) {
  constexpr int squares = F::__at::pieces < 4 ? F::__at::pieces : 4;
  unsigned lane = __quern_lane_id();
  __quern_unroll__() for (int first = 0; first < F::__at::pieces; first += squares) {
    int piece = first + lane / 8 % squares;
    unsigned line = F::__at::eighth(piece) * 8, k = F::__at::k(piece, 0);
    unsigned at = F::__is_along_k ? (line + lane % 8) * ldm + k : (k + lane % 8) * ldm + line;
    __quern_matrix_load(to.x + first * 2, from + at, (unsigned)squares,
                        (F::__which & 0x3ff) | !F::__is_along_k << 10);
  }
}

template <class Use, int M, int N, int K, class T, class Layout>
__device__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to,
                                 const typename fragment<Use, M, N, K, T, Layout>::__stored* from,
                                 unsigned ldm) {
  using F = fragment<Use, M, N, K, T, Layout>;
  if (__quern_matrix_form(F::__which) == 2u) {
    __quern_matrix_load(to.x, from, ldm, F::__which);
    return;
  }
  constexpr int packed = F::__packed;
  unsigned lane = __quern_lane_id();
  if constexpr (packed == 2) {
    if (__quern_matrix_form(F::__which) == 1u && __quern_is_shared(from)) {
      __load_rows(to, from, ldm);
      return;
    }
  }
  __quern_unroll__() for (int i = 0; i < F::__at::pieces; ++i) {
    unsigned line = F::__at::line(i, lane), k = F::__at::k(i, lane);
    if constexpr (F::__is_along_k) {
      using Piece = __piece<typename F::__stored, packed>;
      Piece got = *(const Piece*)(from + (line * ldm + k));
      __quern_unroll__() for (int e = 0; e < packed; ++e) to.x[i * packed + e] = got.at[e];
    } else {
      __quern_unroll__() for (int e = 0; e < packed; ++e) to.x[i * packed + e] = from[(k + e) * ldm + line];
    }
  }
}

template <int M, int N, int K, class T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned ldm) {
  static_assert(M < 0, "load_matrix_sync of an accumulator needs mem_row_major or mem_col_major");
}

template <bool IsByColumn, class F, class T>
__device__ void __load_sum(F& to, const T* from, unsigned ldm) {
  if (__quern_matrix_form(F::__which) == 2u) {
    __quern_matrix_load(to.x, from, ldm, F::__which | IsByColumn << 10);
    return;
  }
  unsigned lane = __quern_lane_id();
  __quern_unroll__() for (int i = 0; i < F::num_elements / 2; ++i) {
    unsigned row = F::__row(i, lane), column = F::__column(i, lane);
    if constexpr (F::__is_flat == IsByColumn) {
      __piece<T, 2> got = *(const __piece<T, 2>*)(from + (row * ldm + column));
      to.x[2 * i] = got.at[0];
      to.x[2 * i + 1] = got.at[1];
    } else {
      to.x[2 * i] = from[column * ldm + row];
      to.x[2 * i + 1] = from[(column + 1) * ldm + row];
    }
  }
}
template <int M, int N, int K, class T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned ldm,
                                 layout_t layout) {
  if (layout == mem_row_major) {
    __load_sum<false>(to, from, ldm);
  } else {
    __load_sum<true>(to, from, ldm);
  }
}

template <bool IsByColumn, class F, class T>
__device__ void __store_sum(T* to, const F& from, unsigned ldm) {
  if (__quern_matrix_form(F::__which) == 2u) {
    __quern_matrix_store(to, from.x, ldm, F::__which | IsByColumn << 10);
    return;
  }
  unsigned lane = __quern_lane_id();
  __quern_unroll__() for (int i = 0; i < F::num_elements / 2; ++i) {
    unsigned row = F::__row(i, lane), column = F::__column(i, lane);
    if constexpr (F::__is_flat == IsByColumn) {
      __piece<T, 2> put;
      put.at[0] = from.x[2 * i];
      put.at[1] = from.x[2 * i + 1];
      *(__piece<T, 2>*)(to + (row * ldm + column)) = put;
    } else {
      to[column * ldm + row] = from.x[2 * i];
      to[(column + 1) * ldm + row] = from.x[2 * i + 1];
    }
  }
}
template <int M, int N, int K, class T>
__device__ void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from, unsigned ldm,
                                  layout_t layout) {
  if (layout == mem_row_major) {
    __store_sum<false>(to, from, ldm);
  } else {
    __store_sum<true>(to, from, ldm);
  }
}

// Words that threads exchange.
template <class T, int Packed>
__device__ auto __word_of(__piece<T, Packed> p) {
  if constexpr (Packed == 1) {
    return p.at[0];
  } else if constexpr (Packed == 2) {
    return __quern_bitcast<unsigned short>(p.at[0]) |
           (unsigned)__quern_bitcast<unsigned short>(p.at[1]) << 16;
  } else {
    return (unsigned char)p.at[0] | (unsigned char)p.at[1] << 8 | (unsigned char)p.at[2] << 16 |
           (unsigned)(unsigned char)p.at[3] << 24;
  }
}
template <class T, int Packed, class W>
__device__ __piece<T, Packed> __piece_of(W word) {
  __piece<T, Packed> p;
  if constexpr (Packed == 1) {
    p.at[0] = word;
  } else if constexpr (Packed == 2) {
    p.at[0] = __quern_bitcast<T>((unsigned short)word);
    p.at[1] = __quern_bitcast<T>((unsigned short)(word >> 16));
  } else {
    p.at[0] = (T)word;
    p.at[1] = (T)(word >> 8);
    p.at[2] = (T)(word >> 16);
    p.at[3] = (T)(word >> 24);
  }
  return p;
}

// A piece of a fragment as the word that is sent to others.
template <class F>
__device__ auto __word_at(const F& f, int piece) {
  __piece<typename F::__stored, F::__packed> mine;
  __quern_unroll__() for (int e = 0; e < F::__packed; ++e) mine.at[e] = f.x[piece * F::__packed + e];
  return __word_of<typename F::__stored, F::__packed>(mine);
}

// The words of consecutive lanes, through shared memory: for targets where a shuffle is implemented that way.
template <class W>
__device__ W* __words_of_warp() {
  __shared__ W words[1024];
  return words + ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & ~31u);
}
template <class W, int N>
__device__ void __of_lanes(W* to, W mine, unsigned first) {
  W* words = __words_of_warp<W>();
  words[__quern_lane_id()] = mine;
  __quern_warp_barrier(0xffffffffu);
  __quern_unroll__() for (int i = 0; i < N; ++i) to[i] = words[first + i];
  __quern_warp_barrier(0xffffffffu);
}

// One step of a sum: products are exact in float (of bfloat16 and tf32 but for their range).
__device__ void __add_product(float& sum, float a, float b) { sum += a * b; }
__device__ void __add_product(int& sum, int a, int b) { sum += a * b; }
__device__ void __add_product(double& sum, double a, double b) { sum = __quern_fma(a, b, sum); }

template <class T>
__device__ T __product_part(T v) { return v; }
// The matrix units use only the upper 19 bits of tf32.
__device__ float __product_part(float v) {
  return __quern_bitcast<float>(__quern_bitcast<unsigned>(v) & 0xffffe000u);
}

__device__ int __sum_and_saturate(int a, int b) {
  int sum = (int)((unsigned)a + (unsigned)b);
  bool is_beyond = ((a ^ sum) & (b ^ sum)) < 0;
  return is_beyond ? (a < 0 ? (int)0x80000000 : 0x7fffffff) : sum;
}

// The products of one column of pieces, 4 * packed along k, for the piece t of each: added to `sums`.
template <class D, class A, class B, class S, class W>
__device__ void __add_products(S* sums, const W* left, const W* right) {
  constexpr int packed = A::__packed, rows = D::__rows / 8, columns = D::__columns / 8;
  using T = typename A::__stored;
  __quern_unroll__() for (int q = 0; q < columns * 2; ++q) {
    __piece<T, packed> b = __piece_of<T, packed>(right[q]);
    __quern_unroll__() for (int r = 0; r < rows; ++r) {
      __piece<T, packed> a = __piece_of<T, packed>(left[r]);
      __quern_unroll__() for (int e = 0; e < packed; ++e) {
        __add_product(sums[D::__pair(r, q / 2) * 2 + q % 2], __product_part(a.at[e]),
                      __product_part(b.at[e]));
      }
    }
  }
}

template <class D, class A, class B, class S>
__device__ void __sum_by_shuffles(S* sums, const A& a, const B& b) {
  constexpr int rows = D::__rows / 8, columns = D::__columns / 8;
  using W = decltype(__word_at(a, 0));
  unsigned lane = __quern_lane_id();
  __quern_unroll__() for (int j = 0; j < A::__at::along_k; ++j) {
    __quern_unroll__(1) for (int t = 0; t < 4; ++t) {
      W left[rows], right[columns * 2];
      __quern_unroll__() for (int r = 0; r < rows; ++r) {
        left[r] =
            __quern_shuffle_index(0xffffffffu, __word_at(a, A::__at::piece(r, j)), (lane & 28u) + t, 32u);
      }
      __quern_unroll__() for (int q = 0; q < columns * 2; ++q) {
        right[q] = __quern_shuffle_index(0xffffffffu, __word_at(b, B::__at::piece(q / 2, j)),
                                         (lane % 4 * 2 + q % 2) * 4 + t, 32u);
      }
      __add_products<D, A, B>(sums, left, right);
    }
  }
}

template <class D, class A, class B, class S>
__device__ void __sum_by_memory(S* sums, const A& a, const B& b) {
  constexpr int rows = D::__rows / 8, columns = D::__columns / 8;
  using W = decltype(__word_at(a, 0));
  unsigned lane = __quern_lane_id();
  __quern_unroll__() for (int j = 0; j < A::__at::along_k; ++j) {
    W lefts[rows * 4], rights[columns * 8];
    __quern_unroll__() for (int r = 0; r < rows; ++r) {
      __of_lanes<W, 4>(lefts + r * 4, __word_at(a, A::__at::piece(r, j)), lane & 28u);
    }
    __quern_unroll__() for (int q = 0; q < columns; ++q) {
      __of_lanes<W, 8>(rights + q * 8, __word_at(b, B::__at::piece(q, j)), lane % 4 * 8);
    }
    __quern_unroll__() for (int t = 0; t < 4; ++t) {
      W left[rows], right[columns * 2];
      __quern_unroll__() for (int r = 0; r < rows; ++r) left[r] = lefts[r * 4 + t];
      __quern_unroll__() for (int q = 0; q < columns * 2; ++q) right[q] = rights[q * 4 + t];
      __add_products<D, A, B>(sums, left, right);
    }
  }
}

// d = a * b + c with plain arithmetic, for c and d of one type: along k in order, in S, rounded at the end.
template <class S, bool IsSaturating, class D, class A, class B>
__device__ void __multiply(D& d, const A& a, const B& b, const D& c, bool by_memory) {
  S sums[D::num_elements];
  __quern_unroll__() for (int i = 0; i < D::num_elements; ++i) sums[i] = IsSaturating ? (S)0 : (S)c.x[i];
  if (by_memory) {
    __sum_by_memory<D>(sums, a, b);
  } else {
    __sum_by_shuffles<D>(sums, a, b);
  }
  __quern_unroll__() for (int i = 0; i < D::num_elements; ++i) {
    if constexpr (IsSaturating) {
      d.x[i] = __sum_and_saturate(sums[i], c.x[i]);
    } else {
      d.x[i] = sums[i];
    }
  }
}

template <bool IsSaturating, class D, class A, class B>
__device__ void __multiply_add(D& d, const A& a, const B& b, const D& c) {
  constexpr int which = A::__type | (D::__which & 0x8f0) | IsSaturating << 12;
  unsigned form = __quern_matrix_form(which);
  if (form == 1u || form == 2u) {
    __quern_matrix_multiply(d.x, a.x, b.x, c.x, which);
  } else {
    using T = typename D::element_type;
    using S = std::conditional_t<std::is_same_v<T, __half>, float, T>;
    if constexpr (D::__is_flat) {
      __multiply<S, IsSaturating>(d, b, a, c, form == 3u);
    } else {
      __multiply<S, IsSaturating>(d, a, b, c, form == 3u);
    }
  }
}

// The effect of `satf`: no infinities, and 0 for NaN.
template <class F>
__device__ void __limit(F& f) {
  constexpr float most = std::is_same_v<typename F::element_type, __half> ? 65504.0f : 3.402823466e+38f;
  __quern_unroll__() for (int i = 0; i < F::num_elements; ++i) {
    float v = f.x[i];
    f.x[i] = v != v ? 0.0f : v > most ? most : v < -most ? -most : v;
  }
}

template <class T, class C>
__device__ constexpr bool __sums_into() {
  if (std::is_same_v<T, __half>) return std::is_same_v<C, float> || std::is_same_v<C, __half>;
  if (std::is_same_v<T, double>) return std::is_same_v<C, double>;
  if (std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>) return std::is_same_v<C, int>;
  return std::is_same_v<C, float>;
}

template <int M, int N, int K, class D, int MA, int NA, int KA, class A, class LA, int MB, int NB, int KB,
          class B, class LB, int MC, int NC, int KC, class C>
__device__ void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, MA, NA, KA, A, LA>& a,
                         const fragment<matrix_b, MB, NB, KB, B, LB>& b,
                         const fragment<accumulator, MC, NC, KC, C>& c, bool satf = false) {
  constexpr bool has_one_shape =
      M == MA && M == MB && M == MC && N == NA && N == NB && N == NC && K == KA && K == KB && K == KC;
  static_assert(has_one_shape, "the fragments of mma_sync must have the same shape");
  static_assert(std::is_same_v<A, B>, "the fragments a and b of mma_sync must have the same element type");
  static_assert(__sums_into<A, C>() && __sums_into<A, D>(),
                "mma_sync sums __half in __half or float, __nv_bfloat16 and tf32 in float, 8-bit integers in "
                "int, double in double");
  if constexpr (!std::is_same_v<C, D>) {
    fragment<accumulator, M, N, K, float> sum;
    __quern_unroll__() for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = c.x[i];
    __multiply_add<false>(sum, a, b, sum);
    __quern_unroll__() for (int i = 0; i < sum.num_elements; ++i) d.x[i] = sum.x[i];
    if (satf) __limit(d);
  } else if constexpr (std::is_same_v<D, int>) {
    if (satf) {
      __multiply_add<true>(d, a, b, c);
    } else {
      __multiply_add<false>(d, a, b, c);
    }
  } else {
    __multiply_add<false>(d, a, b, c);
    if constexpr (!std::is_same_v<D, double>) {
      if (satf) __limit(d);
    }
  }
}

// To the nearest number with 10 fraction bits, ties away from zero.
__device__ float __float_to_tf32(float v) {
  unsigned bits = __quern_bitcast<unsigned>(v);
  if ((bits & 0x7f800000u) == 0x7f800000u) return v;
  return __quern_bitcast<float>((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace nvcuda::wmma
