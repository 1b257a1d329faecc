// Embedding lookup and rotary position embedding.

namespace quern_ops {

// Copies pieces of kVector elements. The tensors of the index: indices, and rows of the result.
template <class T, class I, int kVector, int kAxes>
__global__ void embedding(long long work, long long pieces, long long table_rows, Index<kAxes, 2> index,
                          long long table_first, long long table_row, long long table_piece, long long out_piece,
                          const T* table, const I* indices, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < work; w += step) {
    const long long row = divided(w, pieces), piece = w - row * pieces;
    long long at[2];
    offsets_of(index, row, at);
    const long long from = static_cast<long long>(indices[at[0]]);
    T v[kVector];
    if (from >= 0 && from < table_rows) {
      load_piece<T, kVector>(table + table_first + from * table_row + piece * table_piece, v);
    } else {
#pragma unroll
      for (int k = 0; k < kVector; ++k) v[k] = static_cast<T>(0);
    }
    store_piece<T, kVector>(out + at[1] + piece * out_piece, v);
  }
}

// Of one head. Pairs are in pieces of kVector.
struct Rotation {
  long long heads, heads_each;  // all, and those of a thread
  long long pieces, rest;       // of pairs that are rotated, and of those that are copied
  long long near, far;          // pair i begins at i * near; distance of its elements: far
  long long in, out;            // strides of an element
  long long in_head, out_head;
};

template <int kVector, class T, class A>
__device__ void load_elements(const T* p, long long first, long long stride, A* v) {
  if constexpr (kVector == 1) {
    v[0] = static_cast<A>(p[first * stride]);
  } else {
    load_piece<T, kVector>(p + first, v);
  }
}
template <int kVector, class T, class A>
__device__ void store_elements(T* p, long long first, long long stride, const A* v) {
  if constexpr (kVector == 1) {
    p[first * stride] = static_cast<T>(v[0]);
  } else {
    store_piece<T, kVector>(p + first, v);
  }
}

// A thread rotates or copies kVector pairs of some heads. Angles are multiples of pi, since those are cheap to reduce. The tensors of the index: input, positions and result,
// without the last two axes.
template <class T, class A, class I, int kVector, int kAxes>
__global__ void rotary(long long work, Rotation rotation, Index<kAxes, 3> index, A exponent, A scale, const T* in,
                       const I* positions, T* out) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long pieces = rotation.pieces + rotation.rest;
  const long long groups = divided(rotation.heads + rotation.heads_each - 1, rotation.heads_each);
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < work; w += step) {
    const long long unit = divided(w, pieces), piece = w - unit * pieces;
    const long long token = divided(unit, groups), group = unit - token * groups;
    const bool is_copy = piece >= rotation.pieces;
    long long at[3];
    offsets_of(index, token, at);
    const long long pair = piece * kVector;
    const long long first = is_copy ? 2 * pair : pair * rotation.near;
    const long long second = first + (is_copy ? kVector : rotation.far);
    A sine[kVector], cosine[kVector];
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      const A angle = static_cast<A>(positions[at[1]]) * scale * exp2(exponent * static_cast<A>(pair + k));
      sine[k] = is_copy ? A(0) : sinpi(angle);
      cosine[k] = is_copy ? A(1) : cospi(angle);
    }
    const long long end = min((group + 1) * rotation.heads_each, rotation.heads);
    for (long long head = group * rotation.heads_each; head < end; ++head) {
      const T* const from = in + at[0] + head * rotation.in_head;
      T* const to = out + at[2] + head * rotation.out_head;
      A x[kVector], y[kVector];
      load_elements<kVector>(from, first, rotation.in, x);
      load_elements<kVector>(from, second, rotation.in, y);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const A turned = x[k] * cosine[k] - y[k] * sine[k];
        y[k] = y[k] * cosine[k] + x[k] * sine[k];
        x[k] = turned;
      }
      store_elements<kVector>(to, first, rotation.out, x);
      store_elements<kVector>(to, second, rotation.out, y);
    }
  }
}

}  // namespace quern_ops
