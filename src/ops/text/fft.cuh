// Fourier transforms. A block transforms lines of up to kPoints elements in shared memory, with the algorithm of
// Stockham. Longer transforms are several passes over lines, with twiddle factors in between.

namespace quern_ops {

template <class C>
__device__ C plus(C a, C b) {
  C r;
  r.x = a.x + b.x;
  r.y = a.y + b.y;
  return r;
}
template <class C>
__device__ C minus(C a, C b) {
  C r;
  r.x = a.x - b.x;
  r.y = a.y - b.y;
  return r;
}
template <class C>
__device__ C times(C a, C b) {
  C r;
  r.x = a.x * b.x - a.y * b.y;
  r.y = a.x * b.y + a.y * b.x;
  return r;
}
template <class C, class A>
__device__ C scaled(C a, A factor) {
  a.x *= factor;
  a.y *= factor;
  return a;
}
// a * -i for direction 1, a * i for direction -1.
template <class C, class A>
__device__ C turned(C a, A direction) {
  C r;
  r.x = direction * a.y;
  r.y = -direction * a.x;
  return r;
}

template <class C>
__device__ void dft2(C& a, C& b) {
  const C sum = plus(a, b);
  b = minus(a, b);
  a = sum;
}
template <class C, class A>
__device__ void dft4(C& a, C& b, C& c, C& d, A direction) {
  const C p = plus(a, c), q = minus(a, c), r = plus(b, d), s = turned(minus(b, d), direction);
  a = plus(p, r);
  b = plus(q, s);
  c = minus(p, r);
  d = minus(q, s);
}

// Transforms v[0] to v[radix - 1].
template <class C, class A>
__device__ void dft3(C (&v)[8], A direction) {
  const C s = plus(v[1], v[2]), d = turned(minus(v[1], v[2]), direction * A(0.86602540378443864676));
  const C t = minus(v[0], scaled(s, A(0.5)));
  v[0] = plus(v[0], s);
  v[1] = plus(t, d);
  v[2] = minus(t, d);
}
template <class C, class A>
__device__ void dft5(C (&v)[8], A direction) {
  const A c1 = A(0.30901699437494742410), c2 = A(-0.80901699437494742410);
  const A s1 = A(0.95105651629515357212), s2 = A(0.58778525229247312917);
  const C p = plus(v[1], v[4]), q = plus(v[2], v[3]), e = minus(v[1], v[4]), f = minus(v[2], v[3]);
  const C t1 = plus(v[0], plus(scaled(p, c1), scaled(q, c2))), t2 = plus(v[0], plus(scaled(p, c2), scaled(q, c1)));
  const C u1 = turned(plus(scaled(e, s1), scaled(f, s2)), direction);
  const C u2 = turned(minus(scaled(e, s2), scaled(f, s1)), direction);
  v[0] = plus(v[0], plus(p, q));
  v[1] = plus(t1, u1);
  v[2] = plus(t2, u2);
  v[3] = minus(t2, u2);
  v[4] = minus(t1, u1);
}
template <class C, class A>
__device__ void dft7(C (&v)[8], A direction) {
  const A c1 = A(0.62348980185873353053), c2 = A(-0.22252093395631440429), c3 = A(-0.90096886790241912624);
  const A s1 = A(0.78183148246802980871), s2 = A(0.97492791218182360702), s3 = A(0.43388373911755812048);
  const C p = plus(v[1], v[6]), q = plus(v[2], v[5]), r = plus(v[3], v[4]);
  const C e = minus(v[1], v[6]), f = minus(v[2], v[5]), g = minus(v[3], v[4]);
  const C t1 = plus(v[0], plus(scaled(p, c1), plus(scaled(q, c2), scaled(r, c3))));
  const C t2 = plus(v[0], plus(scaled(p, c2), plus(scaled(q, c3), scaled(r, c1))));
  const C t3 = plus(v[0], plus(scaled(p, c3), plus(scaled(q, c1), scaled(r, c2))));
  const C u1 = turned(plus(scaled(e, s1), plus(scaled(f, s2), scaled(g, s3))), direction);
  const C u2 = turned(minus(scaled(e, s2), plus(scaled(f, s3), scaled(g, s1))), direction);
  const C u3 = turned(plus(minus(scaled(e, s3), scaled(f, s1)), scaled(g, s2)), direction);
  v[0] = plus(v[0], plus(p, plus(q, r)));
  v[1] = plus(t1, u1);
  v[2] = plus(t2, u2);
  v[3] = plus(t3, u3);
  v[4] = minus(t3, u3);
  v[5] = minus(t2, u2);
  v[6] = minus(t1, u1);
}
template <class C, class A>
__device__ void dft8(C (&v)[8], A direction) {
  dft4(v[0], v[2], v[4], v[6], direction);
  dft4(v[1], v[3], v[5], v[7], direction);
  const A h = A(0.70710678118654752440);
  const C o1 = scaled(plus(v[3], turned(v[3], direction)), h), o2 = turned(v[5], direction);
  const C o3 = scaled(minus(turned(v[7], direction), v[7]), h);
  const C e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1];
  v[0] = plus(e0, o0);
  v[1] = plus(e1, o1);
  v[2] = plus(e2, o2);
  v[3] = plus(e3, o3);
  v[4] = minus(e0, o0);
  v[5] = minus(e1, o1);
  v[6] = minus(e2, o2);
  v[7] = minus(e3, o3);
}

// A stage for lines of n elements: from points[from...] to points[to...]. `width`: the product of the radices of
// earlier stages. roots[t] is exp(-2 pi i t / n). Code is shared by all radices: a kernel compiles faster.
template <int kThreads, class C, class A>
__device__ void fft_stage(C* points, int from, int to, unsigned lines, unsigned n, unsigned radix, unsigned width,
                          A direction, const C* roots) {
  const unsigned part = n / radix, step = part / width, total = lines * part;
  for (unsigned t = threadIdx.x; t < total; t += kThreads) {
    const unsigned line = t / part, j = t - line * part, group = j / width, k = j - group * width;
    const unsigned source = static_cast<unsigned>(from) + line * n + j;
    C v[8];
#pragma unroll
    for (unsigned r = 0; r < 8; ++r) {
      if (r < radix) {
        v[r] = points[source + r * part];
        if (r != 0) {
          C root = roots[k * r * step];
          root.y *= direction;
          v[r] = times(v[r], root);
        }
      }
    }
    switch (radix) {
      case 2: dft2(v[0], v[1]); break;
      case 3: dft3(v, direction); break;
      case 4: dft4(v[0], v[1], v[2], v[3], direction); break;
      case 5: dft5(v, direction); break;
      case 7: dft7(v, direction); break;
      default: dft8(v, direction); break;
    }
    const unsigned target = static_cast<unsigned>(to) + line * n + group * width * radix + k;
#pragma unroll
    for (unsigned r = 0; r < 8; ++r) {
      if (r < radix) points[target + r * width] = v[r];
    }
  }
}

// One pass of a transform. A place is the position of an element in the whole transform: in its input for the
// first pass, in its result for the last one.
struct FftPass {
  long long lines;                       // of `count` elements
  long long in_step, out_step;           // distance of the elements of a line
  long long place_step;                  // distance of their places
  long long in_places, out_places;       // places from there on are 0 in the input, and not stored in the result
  long long whole, whole_step;           // places whose second half is the conjugate of the first, and the
                                         // distance of their elements; none: a large number
  long long stages;                      // radices, 4 bits for each
  long long roots;                       // the first elements of tables
  long long low, high;                   // of twiddle factors: of the lower and the upper bits; -1: none
  long long in_factors, out_factors;     // by place; -1: none
  int count, lines_of_block;
  int low_bits;                          // of the exponent of twiddle factors
  int in_is_by_line, out_is_by_line;     // whether neighboring lines are nearer than neighboring elements
  int in_is_real, out_is_real;
  int direction, factor_direction, spare;
};

// Element i of a line at `at` whose first place is `first`, times its factor. 0 at places that are not stored.
template <class A, class C>
__device__ C load_place(const FftPass& pass, const A* in, const C* tables, long long at, long long first, unsigned i) {
  const long long place = first + i * pass.place_step;
  C v;
  v.x = 0;
  v.y = 0;
  if (place < pass.in_places) {
    const bool is_mirrored = 2 * place > pass.whole;
    const long long from = at + i * pass.in_step + (is_mirrored ? (pass.whole - 2 * place) * pass.whole_step : 0);
    if (pass.in_is_real != 0) {
      v.x = in[from];
    } else {
      v = reinterpret_cast<const C*>(in)[from];
      if (is_mirrored) v.y = -v.y;
    }
    if (pass.in_factors >= 0) {
      C factor = tables[pass.in_factors + place];
      factor.y *= static_cast<A>(pass.factor_direction);
      v = times(v, factor);
    }
  }
  return v;
}
template <class A, class C>
__device__ void store_place(const FftPass& pass, A* out, const C* tables, long long at, long long first, unsigned i,
                            C v, A scale) {
  const long long place = first + i * pass.place_step;
  if (place >= pass.out_places) return;
  if (pass.out_factors >= 0) {
    C factor = tables[pass.out_factors + place];
    factor.y *= static_cast<A>(pass.factor_direction);
    v = times(v, factor);
  }
  const long long to = at + i * pass.out_step;
  v = scaled(v, scale);
  if (pass.out_is_real != 0) {
    out[to] = v.x;
  } else {
    reinterpret_cast<C*>(out)[to] = v;
  }
}

// A: float or double. C: float2 or double2. Offsets and strides count elements, which are real or complex. The
// tensors of the index: input, result, places.
template <class A, class C, int kPoints, int kAxes>
__global__ void __launch_bounds__(256) fft(FftPass pass, Index<kAxes, 3> index, A scale, const A* in, A* out,
                                           const C* tables) {
  constexpr int kThreads = 256, kMostLines = 64;
  __shared__ C points[2 * kPoints];
  __shared__ long long at_in[kMostLines], at_out[kMostLines], places[kMostLines];
  const unsigned thread = threadIdx.x, n = static_cast<unsigned>(pass.count);
  const A direction = static_cast<A>(pass.direction);
  for (long long first = static_cast<long long>(blockIdx.x) * pass.lines_of_block; first < pass.lines;
       first += static_cast<long long>(gridDim.x) * pass.lines_of_block) {
    const unsigned lines = static_cast<unsigned>(min(static_cast<long long>(pass.lines_of_block), pass.lines - first));
    if (thread < lines) {
      long long at[3];
      offsets_of(index, first + thread, at);
      at_in[thread] = at[0];
      at_out[thread] = at[1];
      places[thread] = at[2];
    }
    __syncthreads();
    const unsigned total = lines * n;
    for (unsigned e = thread; e < total; e += kThreads) {
      const unsigned line = pass.in_is_by_line != 0 ? e % lines : e / n;
      const unsigned i = pass.in_is_by_line != 0 ? e / lines : e % n;
      points[line * n + i] = load_place(pass, in, tables, at_in[line], places[line], i);
    }
    __syncthreads();
    int from = 0;
    unsigned width = 1;
    for (long long stages = pass.stages; stages != 0; stages >>= 4) {
      const unsigned radix = static_cast<unsigned>(stages & 15);
      const int to = kPoints - from;
      const C* const roots = tables + pass.roots;
      fft_stage<kThreads>(points, from, to, lines, n, radix, width, direction, roots);
      __syncthreads();
      from = to;
      width *= radix;
    }
    for (unsigned e = thread; e < total; e += kThreads) {
      const unsigned line = pass.out_is_by_line != 0 ? e % lines : e / n;
      const unsigned i = pass.out_is_by_line != 0 ? e / lines : e % n;
      C v = points[static_cast<unsigned>(from) + line * n + i];
      if (pass.low >= 0) {
        const long long exponent = places[line] * i;
        C root = times(tables[pass.low + (exponent & ((1ll << pass.low_bits) - 1))],
                       tables[pass.high + (exponent >> pass.low_bits)]);
        root.y *= direction;
        v = times(v, root);
      }
      store_place(pass, out, tables, at_out[line], places[line], i, v, scale);
    }
    __syncthreads();
  }
}

}  // namespace quern_ops
