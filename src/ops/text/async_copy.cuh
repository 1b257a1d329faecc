// Asynchronous copies to shared memory (NVIDIA devices of compute capability 8.0 or later) of steps of matrix products,
// after index.cuh and matmul.cuh.

namespace quern_ops {

// Begins to copy `bytes`; the others of kBytes become 0.
template <int kBytes>
__device__ void copy_async(void* to, const void* from, int bytes) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from), "n"(kBytes), "r"(bytes) : "memory");
  }
}
__device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most kPending groups of copies of this thread are not complete, and for all threads.
template <int kPending>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
  __syncthreads();
}

// Copies steps of kLines rows of a, or columns of b, with all kThreads threads of a block, in pieces of kVector elements.
// kDepthIsInner: depth is contiguous in memory. kByDepth: shared memory has [depth][line], otherwise [line][depth]. The
// padding avoids bank conflicts.
template <class T, int kThreads, int kLines, int kDepth, int kVector, bool kDepthIsInner, bool kByDepth>
struct AsyncCopy {
  static_assert(kVector == 1 || kDepthIsInner != kByDepth, "elements of a piece are adjacent in both memories");
  static constexpr int kPitch = (kByDepth ? kLines : kDepth) + 4;
  static constexpr int kSize = (kByDepth ? kDepth : kLines) * kPitch;
  static constexpr int kPerLine = (kDepthIsInner ? kDepth : kLines) / kVector;
  static constexpr int kEach = kLines * kDepth / kVector / kThreads, kStep = kThreads / kPerLine;
  static_assert(kStep * kPerLine == kThreads && kEach * kThreads * kVector == kLines * kDepth);

  static constexpr int kBytes = kVector * static_cast<int>(sizeof(T));
  static __device__ constexpr int place(int l, int d) { return kByDepth ? d * kPitch + l : l * kPitch + d; }
  static constexpr int kNext = kDepthIsInner ? (kByDepth ? kStep : kStep * kPitch) : (kByDepth ? kStep * kPitch : kStep);

  const T* at;
  long long piece_step, depth_stride;
  int line, depth, pieces;  // of this thread; pieces of lines that exist

  __device__ AsyncCopy(const T* from, long long line_stride, long long stride_of_depth, long long lines_left) {
    const int thread = static_cast<int>(threadIdx.x), inner = thread % kPerLine * kVector, outer = thread / kPerLine;
    line = kDepthIsInner ? outer : inner;
    depth = kDepthIsInner ? inner : outer;
    const int lines = static_cast<int>(min(lines_left, static_cast<long long>(kLines))) - line;
    pieces = kDepthIsInner ? (lines + kStep - 1) / kStep : lines > 0 ? kEach : 0;
    at = from + line * line_stride + depth * stride_of_depth;
    piece_step = kStep * (kDepthIsInner ? line_stride : stride_of_depth);
    depth_stride = stride_of_depth;
  }
  // Begins to copy the first step, which has `count` rows or columns; the others become 0.
  __device__ void copy_first(T* to, int count) {
    T* const first = to + place(line, depth);
    const T* piece = at;
#pragma unroll
    for (int i = 0; i < kEach; ++i, piece += piece_step) {
      const bool exists = i < pieces && (kDepthIsInner ? depth : depth + i * kStep) < count;
      copy_async<kBytes>(first + i * kNext, piece, exists ? kBytes : 0);
    }
    at += count * depth_stride;
  }
  // Begins to copy the next step, or zeros. There is no branch, so that copies are scheduled among other instructions.
  __device__ void copy(T* to, bool exists) {
    T* const first = to + place(line, depth);
    const T* piece = at;
    const int count = exists ? pieces : 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i, piece += piece_step)
      copy_async<kBytes>(first + i * kNext, piece, i < count ? kBytes : 0);
    at += kDepth * depth_stride;
  }
};

// The steps of both operands: kStages of them are in shared memory, or on the way. The first one may have less depth.
template <class T, class Left, class Right, int kDepth, int kStages>
struct AsyncSteps {
  static constexpr int kSize = Left::kSize + Right::kSize;

  Left left;
  Right right;
  T* memory;
  int rest;   // steps from the current one to the last one
  int stage;  // of the current step

  __device__ AsyncSteps(T* shared, const Left& a, const Right& b, long long k)
      : left(a), right(b), memory(shared), rest(static_cast<int>((k + kDepth - 1) / kDepth)), stage(0) {
    const int first = static_cast<int>(k - (rest - 1) * static_cast<long long>(kDepth));
    left.copy_first(memory, first);
    right.copy_first(memory + Left::kSize, first);
    commit_copies();
#pragma unroll
    for (int s = 1; s < kStages - 1; ++s) begin(s, s < rest);
  }
  __device__ void begin(int to, bool exists) {
    left.copy(memory + to * kSize, exists);
    right.copy(memory + to * kSize + Left::kSize, exists);
    commit_copies();
  }
  // Begins to copy to the memory of the step before the current one.
  __device__ void begin_next() { begin(stage == 0 ? kStages - 1 : stage - 1, rest >= kStages); }
  // Waits for the step after those that were waited for.
  __device__ void wait() const { wait_for_copies<kStages - 2>(); }
  __device__ int next_stage() const { return stage + 1 == kStages ? 0 : stage + 1; }
  __device__ void end_step(int next) {
    stage = next;
    --rest;
  }
  __device__ const T* left_step(int s) const { return memory + s * kSize; }
  __device__ const T* right_step(int s) const { return memory + s * kSize + Left::kSize; }
};

// A block's tile of the result. Neighboring blocks compute bands of 8 rows of tiles, which share more in the cache than
// whole rows.
struct TilePlace {
  long long batch, row, column;
  __device__ TilePlace(long long work, long long tiles_m, long long tiles_n, int rows_of_tile, int columns_of_tile) {
    batch = work / (tiles_m * tiles_n);
    const long long tile = work - batch * (tiles_m * tiles_n);
    const long long band = tile / (8 * tiles_n) * 8, rows = min(8ll, tiles_m - band), in_band = tile - band * tiles_n;
    row = (band + in_band % rows) * rows_of_tile;
    column = in_band / rows * columns_of_tile;
  }
};

}  // namespace quern_ops
