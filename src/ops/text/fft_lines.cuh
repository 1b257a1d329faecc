// Fourier transforms of lines of 2^k elements, after fft.cuh. A thread keeps kEach elements of a line in registers; a
// block transforms a tile of kLines neighboring lines. The stages of Stockham's algorithm have radix kEach, but for one
// that may be smaller. Between stages, the threads of a line exchange their elements through shared memory.

namespace quern_ops {

// How a tile is accessed: neighboring threads have neighboring elements of a line at a distance of 1 or of any step, or
// the same element of neighboring lines.
constexpr int kRows = 0, kStridedRows = 1, kColumns = 2;
// What happens to elements besides the transform: load_place(), twiddle factors for the next pass, store_place().
constexpr int kLoadsPlaces = 1, kTurns = 2, kStoresPlaces = 4;

// The innermost axis of the lines, which is divided into tiles.
struct FftTiles {
  long long count;                          // of tiles
  long long extent;                         // of the axis
  long long in_line, out_line, place_line;  // distances along the axis
  long long turns, turns_row;               // the table of twiddle factors, and the elements of its rows
};

constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

// The radix of the stage after stages with the product `width`. The smaller one comes second: the twiddle factors of a
// thread are then equal for all its butterflies.
constexpr int radix_at(int count, int each, int width) {
  const int odd = log2_of(count / width) % log2_of(each);
  return width == 1 || odd == 0 ? each : 1 << odd;
}

// Lines in shared memory. The padding avoids bank conflicts. kUnits: elements of 128 bytes.
template <class C, int kCount, int kLines>
struct FftMemory {
  static constexpr int kUnits = 128 / static_cast<int>(sizeof(C));
  static constexpr int kShift = kLines >= kUnits ? 1 : kUnits / kLines;  // between lines, modulo kUnits
  static constexpr int kPadded = kCount + kCount / kUnits;
  static constexpr int kPitch = kPadded + (kShift + kUnits - kPadded % kUnits) % kUnits;
  __device__ static unsigned at(unsigned line, unsigned i) { return line * kPitch + i + i / kUnits; }
  static constexpr int padded(int i) { return i + i / kUnits; }
};

// Position of a thread in the tile.
template <int kWorkers, int kLines, int kAccess>
struct FftPlace {
  unsigned line, worker;
  __device__ explicit FftPlace(unsigned thread)
      : line(kAccess == kColumns ? thread % kLines : thread / kWorkers),
        worker(kAccess == kColumns ? thread / kLines : thread % kWorkers) {}
};

// a * -i.
template <class C>
__device__ C quarter(C a) {
  C r;
  r.x = a.y;
  r.y = -a.x;
  return r;
}
template <class C>
__device__ void dft4(C& a, C& b, C& c, C& d) {
  const C p = plus(a, c), q = minus(a, c), r = plus(b, d), s = quarter(minus(b, d));
  a = plus(p, r);
  b = plus(q, s);
  c = minus(p, r);
  d = minus(q, s);
}
// a * exp(-2 pi i / 8) and a * exp(-6 pi i / 8).
template <class A, class C>
__device__ C eighth(C a) {
  return scaled(plus(a, quarter(a)), A(0.70710678118654752440));
}
template <class A, class C>
__device__ C three_eighths(C a) {
  return scaled(minus(quarter(a), a), A(0.70710678118654752440));
}
template <class A, class C>
__device__ C constant(A x, A y) {
  C r;
  r.x = x;
  r.y = y;
  return r;
}

template <class A, int kRadix, class C>
__device__ void dft(C (&v)[kRadix]) {
  if constexpr (kRadix == 2) {
    dft2(v[0], v[1]);
  } else if constexpr (kRadix == 4) {
    dft4(v[0], v[1], v[2], v[3]);
  } else if constexpr (kRadix == 8) {
    dft4(v[0], v[2], v[4], v[6]);
    dft4(v[1], v[3], v[5], v[7]);
    const C e1 = v[2], e2 = v[4], e3 = v[6];
    C o0 = v[1], o1 = eighth<A>(v[3]), o2 = quarter(v[5]), o3 = three_eighths<A>(v[7]);
    v[4] = minus(v[0], o0);
    v[0] = plus(v[0], o0);
    v[1] = plus(e1, o1);
    v[5] = minus(e1, o1);
    v[2] = plus(e2, o2);
    v[6] = minus(e2, o2);
    v[3] = plus(e3, o3);
    v[7] = minus(e3, o3);
  } else {
    const A c = A(0.92387953251128675613), s = A(0.38268343236508977173);
    C u[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) dft4(v[i], v[i + 4], v[i + 8], v[i + 12]);
    v[5] = times(v[5], constant<A, C>(c, -s));
    v[6] = eighth<A>(v[6]);
    v[7] = times(v[7], constant<A, C>(s, -c));
    v[9] = eighth<A>(v[9]);
    v[10] = quarter(v[10]);
    v[11] = three_eighths<A>(v[11]);
    v[13] = times(v[13], constant<A, C>(s, -c));
    v[14] = three_eighths<A>(v[14]);
    v[15] = times(v[15], constant<A, C>(-c, s));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      dft4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
#pragma unroll
      for (int k = 0; k < 4; ++k) u[i + 4 * k] = v[4 * i + k];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = u[i];
  }
}

// powers[q] = powers[0] * root^q, where steps[b] is root^(2^b). powers[0] is 1 without a factor, and is not used.
template <bool kHasFactor, int kCount, class C>
__device__ void add_powers(C (&powers)[kCount], const C* steps) {
  constexpr int kBits = log2_of(kCount);
#pragma unroll
  for (int b = 0; b < kBits; ++b) {
#pragma unroll
    for (int q = 0; q < kCount / 2; ++q) {  // with a constant bound, so that the loop is unrolled
      if (q < 1 << b) powers[q + (1 << b)] = q != 0 || kHasFactor ? times(powers[q], steps[b]) : steps[b];
    }
  }
}

// Multiplies v[m + q * kEach / kRadix] by factor * root^q. The steps come from tables: few products keep the error small.
// Powers of four roots at a time take few registers.
template <int kRadix, bool kHasFactor, int kEach, class C>
__device__ void multiply_by_powers(C (&v)[kEach], C factor, const C* steps) {
  constexpr int kParts = kEach / kRadix, kLowBits = log2_of(kRadix) / 2, kLow = 1 << kLowBits, kHigh = kRadix / kLow;
  C low[kLow], high[kHigh];
  high[0] = factor;
  add_powers<false>(low, steps);
  add_powers<kHasFactor>(high, steps + kLowBits);
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int l = 0; l < kLow; ++l) {
      if (!kHasFactor && h == 0 && l == 0) continue;
      const C power = l == 0 ? high[h] : h == 0 && !kHasFactor ? low[l] : times(high[h], low[l]);
#pragma unroll
      for (int m = 0; m < kParts; ++m) {
        const int at = m + (h * kLow + l) * kParts;
        v[at] = times(v[at], power);
      }
    }
  }
}

// Butterflies of the elements m + q * kEach / kRadix.
template <class A, int kRadix, int kEach, class C>
__device__ void butterflies(C (&v)[kEach]) {
  constexpr int kParts = kEach / kRadix;
#pragma unroll
  for (int m = 0; m < kParts; ++m) {
    C u[kRadix];
#pragma unroll
    for (int q = 0; q < kRadix; ++q) u[q] = v[m + q * kParts];
    dft<A>(u);
#pragma unroll
    for (int q = 0; q < kRadix; ++q) v[m + q * kParts] = u[q];
  }
}

// Results of a stage with radix kRadix after stages with the product kWidth, to their positions in the lines.
template <class Memory, int kRadix, int kWidth, int kWorkers, int kEach, class C>
__device__ void store_stage(const C (&v)[kEach], C* points, unsigned line, unsigned worker) {
  constexpr int kParts = kEach / kRadix;
#pragma unroll
  for (int m = 0; m < kParts; ++m) {
    const unsigned j = worker + m * kWorkers, k = j % kWidth;
    C* const to = points + Memory::at(line, (j - k) * kRadix + k);
#pragma unroll
    for (int q = 0; q < kRadix; ++q) to[Memory::padded(q * kWidth)] = v[m + q * kParts];
  }
}

// The stages after those with the product kWidth, of which the last one has radix kBefore. kTable: position of the
// first twiddle factors in roots.
template <class A, class Memory, int kCount, int kWidth, int kBefore, int kTable, class From, class To, int kEach, class C>
__device__ void later_stages(C (&v)[kEach], C* points, From from, To to, const C* roots) {
  if constexpr (kWidth < kCount) {
    constexpr int kWorkers = kCount / kEach, kRadix = radix_at(kCount, kEach, kWidth), kBits = log2_of(kRadix);
    C steps[kBits];
#pragma unroll
    for (int b = 0; b < kBits; ++b) steps[b] = roots[kTable + b * kWidth + to.worker % kWidth];
    if (kWidth > kEach) __syncthreads();
    store_stage<Memory, kBefore, kWidth / kBefore, kWorkers>(v, points, from.line, from.worker);
    __syncthreads();
    const C* const line = points + Memory::at(to.line, to.worker);
#pragma unroll
    for (int r = 0; r < kEach; ++r) v[r] = line[Memory::padded(r * kWorkers)];
    multiply_by_powers<kRadix, false>(v, steps[0], steps);
    butterflies<A, kRadix>(v);
    later_stages<A, Memory, kCount, kWidth * kRadix, kRadix, kTable + kBits * kWidth>(v, points, to, to, roots);
  }
}

// Registers of the elements, and the threads that a compute unit keeps with them.
constexpr int threads_of_unit(int bytes) { return bytes <= 64 ? 1536 : bytes <= 128 ? 1024 : 512; }
constexpr int blocks_of_unit(int threads, int bytes) {
  return threads_of_unit(bytes) < threads ? 1 : threads_of_unit(bytes) / threads;
}

// A: float or double. C: float2 or double2. Offsets and strides count elements, which are real or complex. The tensors of
// the index: input, result, places, and the position of a tile along its axis. A transform with pass.direction -1 is
// conjugated before and after.
template <class A, class C, int kCount, int kEach, int kLines, int kIn, int kOut, int kExtras, int kAxes>
__global__ void __launch_bounds__(kCount / kEach * kLines,
                                  blocks_of_unit(kCount / kEach* kLines, kEach * static_cast<int>(sizeof(C))))
    fft_lines(FftPass pass, FftTiles tiles, Index<kAxes, 4> index, A scale, const A* in, A* out, const C* tables) {
  constexpr int kWorkers = kCount / kEach;
  using Memory = FftMemory<C, kCount, kLines>;
  extern __shared__ __align__(16) unsigned char fft_memory[];
  C* const points = reinterpret_cast<C*>(fft_memory);
  const FftPlace<kWorkers, kLines, kIn> from(threadIdx.x);
  const FftPlace<kWorkers, kLines, kOut> to(threadIdx.x);
  const A direction = static_cast<A>(pass.direction);
  for (long long tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
    long long at[4];
    offsets_of(index, tile, at);
    const long long in_step = kIn == kRows ? 1 : pass.in_step, out_step = kOut == kRows ? 1 : pass.out_step;
    C v[kEach];
    if (at[3] + from.line < tiles.extent) {
      const long long line = at[0] + from.line * tiles.in_line, place = at[2] + from.line * tiles.place_line;
      const C* const elements = reinterpret_cast<const C*>(in) + line + from.worker * in_step;
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        if constexpr ((kExtras & kLoadsPlaces) != 0) {
          v[r] = load_place(pass, in, tables, line, place, from.worker + r * kWorkers);
        } else {
          v[r] = elements[r * kWorkers * in_step];
        }
        v[r].y *= direction;
      }
    } else {
#pragma unroll
      for (int r = 0; r < kEach; ++r) v[r] = constant<A, C>(0, 0);
    }
    dft<A>(v);
    later_stages<A, Memory, kCount, kEach, kEach, 0>(v, points, from, to, tables + pass.roots);
    if (at[3] + to.line < tiles.extent) {
      const long long line = at[1] + to.line * tiles.out_line, place = at[2] + to.line * tiles.place_line;
      if constexpr ((kExtras & kTurns) != 0) {
        const C* const turns = tables + tiles.turns + place;
        constexpr int kBits = log2_of(kEach);
        C steps[kBits];
#pragma unroll
        for (int b = 0; b < kBits; ++b) steps[b] = turns[(kWorkers + b) * tiles.turns_row];
        multiply_by_powers<kEach, true>(v, turns[to.worker * tiles.turns_row], steps);
      }
      C* const elements = reinterpret_cast<C*>(out) + line + to.worker * out_step;
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        if constexpr ((kExtras & kStoresPlaces) != 0) {
          v[r].y *= direction;
          store_place(pass, out, tables, line, place, to.worker + r * kWorkers, v[r], scale);
        } else {
          v[r].x *= scale;
          v[r].y *= scale * direction;
          elements[r * kWorkers * out_step] = v[r];
        }
      }
    }
    if (tile + gridDim.x < tiles.count) __syncthreads();
  }
}

}  // namespace quern_ops
