// A block moves along an axis of the grid: the first of three axes, or the first of two. A plane is a tile across that axis (the march axis) with a halo. The other axes are
// the row axis, whose extent is 1 if the grid has less than three axes, and the last axis.
//
// Level l holds values after l of kSteps time steps; level 0 is the input. In iteration k, level l computes plane
// k - l * kLag. A thread keeps its values of the latest planes in registers, and a block keeps planes of all levels but
// the last one in shared memory, for the values of other threads.

namespace quern_ops {

// The position in the grid of the value that a tile holds for a position.
template <int kEdge>
__device__ int home(int p, int n) {
  return mapped<kEdge == kPeriodic || kEdge == kMirror ? kEdge : kClamp>(p, n);
}
// The position in a tile from which a neighbor at a position is read: tiles hold the periodic continuation.
template <int kEdge>
__device__ int neighbor(int p, int n, int first, int size) {
  const int i = mapped<kEdge == kPeriodic ? kOpen : kEdge>(p, n) - first;
  return i < 0 ? 0 : i < size ? i : size - 1;
}
// A sum of offsets. Compilers do not widen its parts to 64 bits: the sum may wrap.
__device__ int sum_of(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
__device__ long long sum_of(long long a, long long b) { return a + b; }

// E: edges of the march axis, the row axis and the last axis.
// kIsFlat: neighbors outside of the plane of a point have the same row and column.
// kAhead: planes that a thread loads before it needs them.
// kAlongX: a thread computes kLines points of a row; otherwise points of kLines adjacent rows.
template <class E, int kSteps_, int kRadiusM_, int kRadiusR_, int kRadiusX_, bool kIsFlat_, int kLines_, bool kAlongX_,
          int kWidth_, int kHeight_, int kAhead_, bool kSwaps_>
struct March {
  using Edges = E;
  static constexpr int kSteps = kSteps_, kRadiusM = kRadiusM_, kRadiusR = kRadiusR_, kRadiusX = kRadiusX_;
  static constexpr int kAhead = kAhead_;
  static constexpr int kHaloR = kSteps * kRadiusR, kHaloX = kSteps * kRadiusX;
  static constexpr int kLines = kLines_, kWidth = kWidth_, kHeight = kHeight_, kPlane = kWidth * kHeight;
  static constexpr int kLineStep = kAlongX_ ? kWidth / kLines : kWidth;  // in a plane, from line to line
  static constexpr int kThreadsX = kAlongX_ ? kWidth / kLines : kWidth, kLinesX = kAlongX_ ? kLines : 1;
  static constexpr bool kIsFlat = kIsFlat_, kAlongX = kAlongX_, kSwaps = kSwaps_;
  static constexpr int kLag = !kIsFlat ? kRadiusM + 1 : kRadiusM > 1 ? kRadiusM : 1;
  static constexpr int kColumn = kRadiusM + kLag + 1;  // from the first neighbor to the newest plane
  static constexpr int kSlots = kLag + (kIsFlat ? 0 : kRadiusM) + 1;
  static constexpr bool kMapsM = E::kEdge0 == kClamp || E::kEdge0 == kMirror;
  static constexpr bool kMapsR = kRadiusR > 0 && (E::kEdge1 == kClamp || E::kEdge1 == kMirror);
  static __device__ bool has_plane(int m, int n) { return E::kEdge0 == kPeriodic || (m >= 0 && m < n); }
};

// The points of a thread in each plane. Positions in shared memory move with the iterations: they are variables of the
// loop, not sums that are computed for each access.
template <class M>
struct Points {
  int n_r, n_x;          // extents of the grid
  int first_r, first_x;  // of the tile
  int tile_r, tile_x;    // of the first point in the tile
  int home_r[M::kAlongX ? 1 : M::kLines], home_x[M::kLinesX];  // positions in the grid
  unsigned stored;       // lines of the result
  bool is_edge_r;        // whether the tile is at the edge of the row axis
  int newest, center;    // slots of the planes that level 0 gets in this iteration, and that levels compute
  int own;               // element of the first line in the newest plane
  // Elements of the center plane: for each line, those of the neighbors in its row; and those in the rows before and
  // after the lines.
  int near_x[M::kLinesX * (2 * M::kRadiusX + 1)], before[M::kRadiusR + 1], after[M::kRadiusR + 1];

  __device__ int r(int j) const { return first_r + tile_r + (M::kAlongX ? 0 : j); }
  __device__ int x(int j) const { return first_x + tile_x + (M::kAlongX ? j * M::kLineStep : 0); }
  __device__ int at_r(int j) const { return home_r[M::kAlongX ? 0 : j]; }
  __device__ int at_x(int j) const { return home_x[M::kAlongX ? j : 0]; }
  // The row of the tile at a distance from the first line.
  __device__ int row(int d) const { return neighbor<M::Edges::kEdge1>(r(0) + d, n_r, first_r, M::kHeight); }
  // An element of the center plane.
  __device__ int element(int j, int dr, int dx) const {
    const int column = near_x[(M::kAlongX ? j : 0) * (2 * M::kRadiusX + 1) + dx + M::kRadiusX];
    if (M::kAlongX) return column;
    const int d = j + dr, to_column = column - own - (center - newest) * M::kPlane;
    if (d < 0) return before[-d] + to_column;
    if (d >= M::kLines) return after[d - M::kLines + 1] + to_column;
    if (M::kMapsR && dr != 0 && is_edge_r) return column + (row(d) - tile_r) * M::kWidth;
    return column + d * M::kWidth;
  }
  // Whether a thread has the values that a level needs at a line.
  __device__ bool computes(int j, int level) const {
    const int i = tile_r + (M::kAlongX ? 0 : j), e = tile_x + (M::kAlongX ? j * M::kLineStep : 0);
    return i >= level * M::kRadiusR && i < M::kHeight - level * M::kRadiusR && e >= level * M::kRadiusX &&
           e < M::kWidth - level * M::kRadiusX &&
           (M::Edges::kEdge1 == kPeriodic || (r(j) >= 0 && r(j) < n_r)) &&
           (M::Edges::kEdge2 == kPeriodic || (x(j) >= 0 && x(j) < n_x));
  }
  __device__ bool stores(int j) const { return (stored >> j & 1u) != 0; }

  // To the next iteration.
  __device__ void advance() {
    own += step(newest);
    const int by = step(center);
#pragma unroll
    for (int i = 0; i < M::kLinesX * (2 * M::kRadiusX + 1); ++i) near_x[i] += by;
#pragma unroll
    for (int i = 0; i <= M::kRadiusR; ++i) {
      before[i] += by;
      after[i] += by;
    }
  }
  static __device__ int step(int& slot) {
    const bool is_last = slot + 1 == M::kSlots;
    slot = is_last ? 0 : slot + 1;
    return is_last ? -(M::kSlots - 1) * M::kPlane : M::kPlane;
  }
};

template <class M>
__device__ Points<M> points_of(int thread, int n_r, int n_x, int first_r, int first_x, int begin_r, int begin_x, int end_r,
                               int end_x) {
  Points<M> t;
  t.n_r = n_r;
  t.n_x = n_x;
  t.first_r = first_r - M::kHaloR;
  t.first_x = first_x - M::kHaloX;
  t.tile_r = M::kAlongX ? 0 : thread / M::kThreadsX * M::kLines;
  t.tile_x = M::kAlongX ? thread : thread % M::kThreadsX;
  t.is_edge_r = t.first_r < 0 || t.first_r + M::kHeight > n_r;
  t.stored = 0;
#pragma unroll
  for (int j = 0; j < M::kLines; ++j) {
    const int r = t.r(j), x = t.x(j);
    const bool is_stored = r >= first_r && r < first_r + M::kHeight - 2 * M::kHaloR && r >= begin_r && r < end_r &&
                           x >= first_x && x < first_x + M::kWidth - 2 * M::kHaloX && x >= begin_x && x < end_x;
    if (is_stored) t.stored |= 1u << j;
    if (j == 0 || !M::kAlongX) t.home_r[j] = home<M::Edges::kEdge1>(r, n_r);
    if (j == 0 || M::kAlongX) t.home_x[j] = home<M::Edges::kEdge2>(x, n_x);
  }
  t.newest = 0;
  t.center = M::kSlots - M::kLag;
  t.own = t.tile_r * M::kWidth + t.tile_x;
#pragma unroll
  for (int j = 0; j < M::kLinesX; ++j) {
#pragma unroll
    for (int d = -M::kRadiusX; d <= M::kRadiusX; ++d)
      t.near_x[j * (2 * M::kRadiusX + 1) + d + M::kRadiusX] =
          t.center * M::kPlane + t.tile_r * M::kWidth + neighbor<M::Edges::kEdge2>(t.x(j) + d, n_x, t.first_x, M::kWidth);
  }
#pragma unroll
  for (int i = 0; i <= M::kRadiusR; ++i) {
    t.before[i] = t.center * M::kPlane + t.row(-i) * M::kWidth + t.tile_x;
    t.after[i] = t.center * M::kPlane + t.row(M::kLines - 1 + i) * M::kWidth + t.tile_x;
  }
  return t;
}

// Values of a field at the points of a thread.
template <class T, class I, class M>
struct Columns {
  using Value = typename Wide<T>::type;
  Value values[M::kSteps][M::kLines][M::kColumn];  // of each level, from the oldest plane to the newest one
  Value next[M::kAhead][M::kLines];  // of planes of level 0 that are loaded
  I from[M::kLines];      // offsets of the points in a plane in device memory

  __device__ void clear() {
#pragma unroll
    for (int j = 0; j < M::kLines; ++j) {
#pragma unroll
      for (int i = 0; i < M::kAhead; ++i) next[i][j] = 0;
#pragma unroll
      for (int l = 0; l < M::kSteps; ++l) {
#pragma unroll
        for (int d = 0; d < M::kColumn; ++d) values[l][j][d] = 0;
      }
    }
  }
  // `plane`: where the plane starts in the field.
  __device__ void load(int i, const T* field, I plane) {
#pragma unroll
    for (int j = 0; j < M::kLines; ++j) next[i][j] = static_cast<Value>(field[sum_of(plane, from[j])]);
  }
  // Adds the newest plane of a level.
  __device__ void push(int level, const Value* newest, Value* shared, const Points<M>& t) {
#pragma unroll
    for (int j = 0; j < M::kLines; ++j) {
#pragma unroll
      for (int d = 0; d + 1 < M::kColumn; ++d) values[level][j][d] = values[level][j][d + 1];
      values[level][j][M::kColumn - 1] = newest[j];
      shared[t.own + j * M::kLineStep] = newest[j];
    }
  }
};

// Values around the points of a thread in a plane of a level.
template <class T, class M>
struct Around {
  T lines[2 * M::kRadiusM + 1][M::kLines + 2 * M::kRadiusR];
  int plane[2 * M::kRadiusM + 1];  // from the center plane in shared memory to the others

  template <class C>
  __device__ void fill(const C& columns, int level, const T* shared, const Points<M>& t, int m, int n_m) {
    const bool is_edge_m = M::kMapsM && (m < M::kRadiusM || m + M::kRadiusM >= n_m);
#pragma unroll
    for (int d = -M::kRadiusM; d <= M::kRadiusM; ++d) {
      const int to = is_edge_m ? mapped<M::Edges::kEdge0>(m + d, n_m) - m : d;
      const int slot = t.center + to;
      plane[d + M::kRadiusM] =
          (to + (slot < 0 ? M::kSlots : slot < M::kSlots ? 0 : -M::kSlots)) * M::kPlane;
#pragma unroll
      for (int j = 0; j < M::kLines; ++j) {
        T value = columns.values[level][j][d + M::kRadiusM];
        if constexpr (M::kMapsM) {
          if (is_edge_m) {
#pragma unroll
            for (int e = -M::kRadiusM; e <= M::kRadiusM; ++e)
              value = e == to ? columns.values[level][j][e + M::kRadiusM] : value;
          }
        }
        lines[d + M::kRadiusM][j + M::kRadiusR] = value;
      }
      if (d == 0) fill_rows(d, shared, t);
      if (d != 0 && !M::kIsFlat) fill_rows(d, shared + plane[d + M::kRadiusM], t);
    }
  }
  // The rows of other threads, and at the edge of the grid all rows.
  __device__ void fill_rows(int d, const T* shared, const Points<M>& t) {
#pragma unroll
    for (int i = 1; i <= M::kRadiusR; ++i) {
      lines[d + M::kRadiusM][M::kRadiusR - i] = shared[t.before[i]];
      lines[d + M::kRadiusM][M::kRadiusR + M::kLines - 1 + i] = shared[t.after[i]];
    }
    if constexpr (M::kMapsR) {
      if (t.is_edge_r) {
#pragma unroll
        for (int j = 0; j < M::kLines; ++j)
          lines[d + M::kRadiusM][M::kRadiusR + j] = shared[t.center * M::kPlane + t.row(j) * M::kWidth + t.tile_x];
      }
    }
  }
};

// Values around line j of a thread, as a source of Near.
template <class T, class M>
struct Window {
  using Value = T;
  const Around<T, M>* around;
  const Points<M>* points;
  const T* shared;
  int j;

  __device__ Value load(int dz, int dy, int dx) const {
    const int dm = M::kSwaps ? dy : dz, dr = M::kSwaps ? dz : dy;
    if (dx == 0) return around->lines[dm + M::kRadiusM][(M::kAlongX ? j : j + dr) + M::kRadiusR];
    const int e = points->element(j, dr, dx);
    return shared[dm == 0 ? e : e + around->plane[dm + M::kRadiusM]];
  }
};

}  // namespace quern_ops
