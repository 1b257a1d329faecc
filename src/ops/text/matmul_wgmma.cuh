// Matrix products with the tensor cores of sm_90a, after matmul.cuh. A block has three groups of four warps: one copies
// tiles of both operands to shared memory (a thread of it, with tensor maps), two multiply 64 rows each. Blocks process
// tile after tile; the blocks of a cluster have the same columns and share the tile of b.
//
// A tile of an operand has lines of 128 bytes in shared memory, in the order of the 128-byte swizzle. If depth is
// contiguous in memory, a line is a part of a row of a (a column of b); otherwise, which is possible for types of 16 bits
// only, it is 64 rows (columns) at one depth.

namespace quern_ops {

constexpr int kGroupRows = 64, kGroupThreads = 128, kBlockRows = 2 * kGroupRows;
constexpr int kBandRows = 16;  // of tiles: blocks at work together share rows of a and columns of b in the L2 cache

// A tile of the result that the blocks of a cluster compute together, and the order of these.
struct ClusterTile {
  int batch, row, column;  // the latter two count tiles
  __device__ ClusterTile(int index, int tiles_m, int tiles_n, int band) {
    batch = index / (tiles_m * tiles_n);
    const int in_batch = index - batch * (tiles_m * tiles_n), first = in_batch / (band * tiles_n) * band;
    const int rows = min(band, tiles_m - first), in_band = in_batch - first * tiles_n;
    row = first + in_band % rows;
    column = in_band / rows;
  }
};

template <class T, class C, int kActivation, bool kHasBias, bool kHasBeta, int kColumns, int kStages, int kCluster,
          bool kAIsByColumn, bool kBIsByColumn, bool kStoresTiles>
__global__ void __launch_bounds__(3 * kGroupThreads, 1)
    matmul_wgmma(int batches, int m, int n, int k, int a_batch, int b_batch, Matrix c_layout, Line bias_line, float alpha,
                 float beta, const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                 const __grid_constant__ CUtensorMap c_map, C* c, const C* bias) {
  constexpr int kABytes = kBlockRows * kLineBytes, kBBytes = kColumns * kLineBytes, kStageBytes = kABytes + kBBytes;
  constexpr int kDepth = kLineBytes / sizeof(T), kResultColumns = kLineBytes / sizeof(C);  // of a step; of a chunk
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned stages = (shared_address(memory) + 1023) / 1024 * 1024;
  const unsigned results = stages + kStages * kStageBytes;  // two chunks for each group that multiplies
  const unsigned full = results + 4 * kChunkBytes, empty = full + 8 * kStages;
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads, thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const int block = static_cast<int>(blockIdx.x) % kCluster;  // of the cluster
  const int tiles_m = (m + kCluster * kBlockRows - 1) / (kCluster * kBlockRows), tiles_n = (n + kColumns - 1) / kColumns;
  const int tiles = batches * tiles_m * tiles_n, steps = (k + kDepth - 1) / kDepth;
  const int first_tile = static_cast<int>(blockIdx.x) / kCluster, tile_step = static_cast<int>(gridDim.x) / kCluster;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init_barrier(full + 8 * s, 1);
      init_barrier(empty + 8 * s, 2 * kCluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if constexpr (kCluster > 1) {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }

  Stage<kStages> stage;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread == 0) {
      for (int t = first_tile; t < tiles; t += tile_step) {
        const ClusterTile tile(t, tiles_m, tiles_n, kBandRows / kCluster);
        const int row = (tile.row * kCluster + block) * kBlockRows, column = tile.column * kColumns;
        const int of_a = tile.batch * a_batch, of_b = tile.batch * b_batch;
        for (int s = 0; s < steps; ++s) {
          const int depth = s * kDepth;
          const unsigned a_tile = stages + stage.index * kStageBytes, b_tile = a_tile + kABytes;
          const unsigned barrier = full + 8 * stage.index;
          wait_for(empty + 8 * stage.index, stage.parity ^ 1);
          arrive_expecting(barrier, kStageBytes);
          if constexpr (kAIsByColumn) {
            load_tile(a_tile, a_map, barrier, row, depth, of_a);
            load_tile(a_tile + kChunkBytes, a_map, barrier, row + kChunkLines, depth, of_a);
          } else {
            load_tile(a_tile, a_map, barrier, depth, row, of_a);
          }
          // Of the lines of b, each block of the cluster loads its part for all.
          if constexpr (kBIsByColumn) {
            const int line = block * (kColumns / kCluster);
            load_tile_for<kCluster>(b_tile + line * kLineBytes, b_map, barrier, depth, column + line, of_b);
          } else {
            const int line = block * (kChunkLines / kCluster);
#pragma unroll
            for (int chunk = 0; chunk < kColumns / kChunkLines; ++chunk)
              load_tile_for<kCluster>(b_tile + chunk * kChunkBytes + line * kLineBytes, b_map, barrier,
                                      column + chunk * kChunkLines, depth + line, of_b);
          }
          stage.advance();
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = thread % 32, warp = thread / 32, first_line = (group - 1) * kGroupRows;
    const auto release = [&](int index) {
      if constexpr (kCluster > 1) {
        if (thread < kCluster) arrive_in_block(empty + 8 * index, thread);
      } else {
        if (thread == 0) arrive(empty + 8 * index);
      }
    };
    for (int t = first_tile; t < tiles; t += tile_step) {
      const ClusterTile tile(t, tiles_m, tiles_n, kBandRows / kCluster);
      typename TensorCore<T>::Sum d[kColumns / 2];
      int previous = 0;
      for (int s = 0; s < steps; ++s) {
        wait_for(full + 8 * stage.index, stage.parity);
        const unsigned a_tile = stages + stage.index * kStageBytes + first_line * kLineBytes;
        const unsigned b_tile = stages + stage.index * kStageBytes + kABytes;
        const unsigned long long a_start = tile_descriptor(a_tile), b_start = tile_descriptor(b_tile);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 4; ++i)  // 32 bytes of each line, or 16 lines
          TensorCore<T>::template multiply<kColumns, kAIsByColumn, kBIsByColumn>(
              d, a_start + i * ((kAIsByColumn ? 16 * kLineBytes : 32) >> 4),
              b_start + i * ((kBIsByColumn ? 32 : 16 * kLineBytes) >> 4), s + i);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (s > 0) {
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          release(previous);
        }
        previous = stage.index;
        stage.advance();
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      release(previous);

      const int first_row = (tile.row * kCluster + block) * kBlockRows + first_line;
#pragma unroll
      for (int chunk = 0; chunk < kColumns / kResultColumns; ++chunk) {
        const int first_column = tile.column * kColumns + chunk * kResultColumns;
        const unsigned result = results + ((group - 1) * 2 + chunk % 2) * kChunkBytes;
        if (kStoresTiles && thread == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        wait_for_group(group);
#pragma unroll
        for (int j = 0; j < kResultColumns / 8; j += 2) {
          C values[4][2];
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            const int row = first_row + warp * 16 + lane / 4 + e / 2 % 2 * 8;
            const int column = first_column + (j + e / 4) * 8 + lane % 4 * 2 + e % 2;
            const auto sum = d[chunk * (kResultColumns / 2) + j * 4 + e];
            values[e / 2][e % 2] = C(0);
            if ((!kHasBias && !kHasBeta) || (row < m && column < n))
              values[e / 2][e % 2] = finished<kActivation, kHasBias, kHasBeta>(
                  sum, alpha, beta, c + c_layout.at(tile.batch, row, column), bias, bias_line[column]);
          }
          store_in_chunk(result, warp, lane, j, values);
        }
        if constexpr (kStoresTiles) {
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          wait_for_group(group);
          if (thread == 0) {
            if (first_row < m && first_column < n) store_tile(c_map, result, first_column, first_row, tile.batch);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          }
        } else {
          wait_for_group(group);
          const unsigned char* const from = memory + (result - shared_address(memory));
          const bool is_by_column = c_layout.row == 1;
#pragma unroll 4
          for (int e = thread; e < kGroupRows * kResultColumns; e += kGroupThreads) {
            const int r = is_by_column ? e % kGroupRows : e / kResultColumns;
            const int x = (is_by_column ? e / kGroupRows : e % kResultColumns) * static_cast<int>(sizeof(C));  // bytes
            const int row = first_row + r, column = first_column + x / static_cast<int>(sizeof(C));
            if (row < m && column < n)
              c[c_layout.at(tile.batch, row, column)] =
                  *reinterpret_cast<const C*>(from + r * kLineBytes + ((x / 16) ^ (r & 7)) * 16 + x % 16);
          }
        }
      }
    }
    if (kStoresTiles && thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    __syncwarp();
  }
  // No block of a cluster ends while another one writes to its memory.
  if constexpr (kCluster > 1) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

}  // namespace quern_ops
