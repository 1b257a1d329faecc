// Matrix products with the tensor cores of sm_90a, after matmul.cuh. A block has three groups of four warps: one copies
// tiles of both operands to shared memory (a thread of it, with tensor maps), two multiply 64 rows each. Blocks process
// tile after tile. A cluster has kDown × kAcross × kSplit blocks: those with the same columns share the tile of b, those
// with the same rows the tile of a. kSplit blocks compute the same tile, a part of depth each; each of them receives the
// other parts' sums of its share of the columns, which it finishes.
//
// A tile of an operand has lines of 128 bytes in shared memory, in the order of the 128-byte swizzle. If depth is
// contiguous in memory, a line is a part of a row of a (a column of b); otherwise it is 64 rows (columns) of 16 bits, or 32
// of float, at one depth. The tensor cores read such tiles of 16 bits, and of float such tiles of a only through registers.

namespace quern_ops {

constexpr int kGroupRows = 64, kGroupThreads = 128, kBlockRows = 2 * kGroupRows;
QUERN_TENSOR_CORE(__nv_fp8_e4m3, float, "k32.f32.e4m3.e4m3", "+f", QUERN_FACTORS)
QUERN_TENSOR_CORE(__nv_fp8_e5m2, float, "k32.f32.e5m2.e5m2", "+f", QUERN_FACTORS)

// Products of float with a in registers.
#define QUERN_MULTIPLY_TF32(columns, registers, a_at, b_at, keep_at, sums)                                         \
  asm volatile("{\n.reg .pred keeps;\nsetp.ne.b32 keeps, " keep_at ", 0;\n"                                            \
               "wgmma.mma_async.sync.aligned.m64n" columns "k8.f32.tf32.tf32 {" registers "}, {" a_at "}, " b_at          \
               ", keeps, 1, 1;\n}\n"                                                                                    \
               : sums                                                                                                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep))
template <int kColumns>
__device__ void multiply_tf32(float* d, const unsigned* a, unsigned long long b, int keep) {
  if constexpr (kColumns == 64)
    QUERN_MULTIPLY_TF32("64", QUERN_REGISTERS_32, "%32, %33, %34, %35", "%36", "%37", QUERN_SUMS_32("+f", 0));
  if constexpr (kColumns == 128)
    QUERN_MULTIPLY_TF32("128", QUERN_REGISTERS_64, "%64, %65, %66, %67", "%68", "%69", QUERN_SUMS_64("+f"));
  if constexpr (kColumns == 192)
    QUERN_MULTIPLY_TF32("192", QUERN_REGISTERS_96, "%96, %97, %98, %99", "%100", "%101", QUERN_SUMS_96("+f"));
  if constexpr (kColumns == 256)
    QUERN_MULTIPLY_TF32("256", QUERN_REGISTERS_128, "%128, %129, %130, %131", "%132", "%133", QUERN_SUMS_128("+f"));
}

// The tiles of the result that the blocks of a cluster compute together. Clusters at work at the same time are in a band of
// rows: they share rows of a and columns of b in the L2 cache.
struct ClusterTile {
  int batch, row, column;  // the latter two count clusters
  __device__ ClusterTile(int index, int tiles_m, int tiles_n, int band) {
    batch = index / (tiles_m * tiles_n);
    const int in_batch = index - batch * (tiles_m * tiles_n), first = in_batch / (band * tiles_n) * band;
    const int rows = min(band, tiles_m - first), in_band = in_batch - first * tiles_n;
    row = first + in_band % rows;
    column = in_band / rows;
  }
};

// The position of a block in its cluster, and the ranks of others.
template <int kDown, int kAcross, int kSplit>
struct ClusterPlace {
  static constexpr int kSize = kDown * kAcross * kSplit, kPeers = kDown + kAcross - 1;
  int down, across, part;
  __device__ explicit ClusterPlace(int rank) : down(rank % kDown), across(rank / kDown % kAcross), part(rank / (kDown * kAcross)) {}
  __device__ int rank_of(int d, int a, int p) const { return d + kDown * (a + kAcross * p); }
  // The blocks that write to this block's stages, with itself: those of its column, then the others of its row.
  __device__ int peer(int i) const {
    const int other = i - kDown;
    return i < kDown ? rank_of(i, across, part) : rank_of(down, other + (other >= across ? 1 : 0), part);
  }
  // As bits for multicast.
  __device__ unsigned short column() const { return static_cast<unsigned short>(((1 << kDown) - 1) << rank_of(0, across, part)); }
  __device__ unsigned short row() const {
    int bits = 0;
    for (int a = 0; a < kAcross; ++a) bits |= 1 << (kDown * a);
    return static_cast<unsigned short>(bits << rank_of(down, 0, part));
  }
};

// To the same address of kBlocks blocks of the cluster, whose barriers count the bytes.
template <int kBlocks>
__device__ void load_shared_tile(unsigned to, const CUtensorMap& from, unsigned barrier, int x, int y, int batch, unsigned short blocks) {
  if constexpr (kBlocks == 1) {
    load_tile(to, from, barrier, x, y, batch);
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%4, %5, %6}], [%2], %3;" ::"r"(to),
        "l"(&from), "r"(barrier), "h"(blocks), "r"(x), "r"(y), "r"(batch)
        : "memory");
  }
}

// Loads this block's part of a tile that kBlocks blocks share; `index`: of the block. `line`: row of a, column of b.
// kWidth: elements of a line of the tile.
template <int kWidth, int kLines, int kBlocks, bool kDepthIsInner>
__device__ void load_part(unsigned tile, const CUtensorMap& from, unsigned barrier, int index, int line, int depth, int batch,
                          unsigned short blocks) {
  if constexpr (kDepthIsInner) {
    const int first = index * (kLines / kBlocks);
    load_shared_tile<kBlocks>(tile + first * kLineBytes, from, barrier, depth, line + first, batch, blocks);
  } else {
    const int first = index * (kWidth / kBlocks);
#pragma unroll
    for (int chunk = 0; chunk < kLines / kWidth; ++chunk)
      load_shared_tile<kBlocks>(tile + (chunk * kWidth + first) * kLineBytes, from, barrier, line + chunk * kWidth,
                                depth + first, batch, blocks);
  }
}

__device__ void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Sums, which are exchanged between the blocks of a tile. Without conversions to bits: a sum that is used as an integer
// makes the compiler move the registers of wgmma.
#define QUERN_EXCHANGE(S, type, constraint)                                          \
  __device__ void store_in_block(unsigned at, unsigned block, S value) {             \
    asm volatile(                                                                    \
        "{\n"                                                                        \
        ".reg .b32 there;\n"                                                         \
        "mapa.shared::cluster.u32 there, %0, %1;\n"                                  \
        "st.shared::cluster." type " [there], %2;\n"                                 \
        "}\n" ::"r"(at),                                                             \
        "r"(block), constraint(value)                                                \
        : "memory");                                                                 \
  }                                                                                  \
  __device__ void load_sum(unsigned at, S& value) {                                  \
    asm volatile("ld.shared." type " %0, [%1];" : "=" constraint(value) : "r"(at) : "memory"); \
  }
QUERN_EXCHANGE(float, "f32", "f")
QUERN_EXCHANGE(int, "s32", "r")

// How results are stored: by maps if their rows or columns (of 4 bytes) are contiguous.
enum Store { kStoreElements, kStoreRows, kStoreColumns };

// Elements of a tile of float [depth][line] as wgmma reads them from registers: two rows, 8 apart, at two depths, 4 apart.
// `line`: the first row of the thread.
__device__ void load_registers(unsigned tile, int line, int depth, unsigned* a) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int l = line + i % 2 * 8, d = depth + i / 2 * 4;
    const unsigned at = tile + l / 32 * (32 * kLineBytes) + d * kLineBytes + ((l % 32 / 4) ^ (d & 7)) * 16 + l % 4 * 4;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a[i]) : "r"(at) : "memory");
  }
}

// As store_in_chunk(), for results of 4 bytes that are contiguous in columns: a line of a chunk is a part of a column. A group
// has two chunks for 64 columns, for 32 of its rows each.
template <class C>
__device__ void store_in_columns(unsigned chunks, int warp, int lane, int j, const C (&v)[4][2]) {
  static_assert(sizeof(C) == 4, "");
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int row = warp % 2 * 16 + lane / 4 + e / 2 % 2 * 8, line = (j + e / 4) * 8 + lane % 4 * 2 + e % 2;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(chunks + warp / 2 * kChunkBytes + line * kLineBytes +
                                                 ((row / 4) ^ (line & 7)) * 16 + row % 4 * 4),
                 "r"(bits_of(v[e / 2][e % 2]))
                 : "memory");
  }
}

// `band`: rows of tiles, see ClusterTile. `lead`: steps that the first group that multiplies is ahead of the second one, so
// that one stores results while the other one multiplies.
template <class T, class C, int kActivation, bool kHasBias, bool kHasBeta, int kColumns, int kStages, int kDown, int kAcross,
          int kSplit, bool kAIsByColumn, bool kBIsByColumn, int kStore>
__global__ void __launch_bounds__(3 * kGroupThreads, 1)
    matmul_wgmma(int batches, int m, int n, int k, int band, int lead, int a_batch, int b_batch, Matrix c_layout, Line bias_line,
                 float alpha, float beta, const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                 const __grid_constant__ CUtensorMap c_map, C* c, const C* bias) {
  using Sum = typename TensorCore<T>::Sum;
  using Place = ClusterPlace<kDown, kAcross, kSplit>;
  constexpr int kABytes = kBlockRows * kLineBytes, kBBytes = kColumns * kLineBytes, kStageBytes = kABytes + kBBytes;
  constexpr int kDepth = kLineBytes / sizeof(T);  // of a step
  constexpr int kChunkColumns = kStore == kStoreColumns ? kChunkLines : kLineBytes / sizeof(C);  // of results stored at once
  constexpr int kOwnSums = kColumns / 2 / kSplit, kOthers = kSplit - 1;
  constexpr bool kStoresTiles = kStore != kStoreElements, kHasRegisters = kAIsByColumn && sizeof(T) == 4;
  static_assert(!(sizeof(T) != 2 && !kBIsByColumn) && !(sizeof(T) == 1 && kAIsByColumn), "");
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned stages = (shared_address(memory) + 1023) / 1024 * 1024;
  const unsigned results = stages + kStages * kStageBytes;  // two chunks for each group that multiplies
  const unsigned full = results + 4 * kChunkBytes, empty = full + 8 * kStages;
  // For kSplit > 1: the stages of all parts can be overwritten; the others' sums have arrived; the stages can be loaded.
  const unsigned ready = empty + 8 * kStages, given = ready + 8, free = given + 8;
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads, thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const Place place(static_cast<int>(blockIdx.x) % Place::kSize);
  const int tiles_m = (m + kDown * kBlockRows - 1) / (kDown * kBlockRows);
  const int tiles_n = (n + kAcross * kColumns - 1) / (kAcross * kColumns);
  const int tiles = batches * tiles_m * tiles_n, all_steps = (k + kDepth - 1) / kDepth;
  const int first_step = all_steps * place.part / kSplit, steps = all_steps * (place.part + 1) / kSplit - first_step;
  const int first_tile = static_cast<int>(blockIdx.x) / Place::kSize, tile_step = static_cast<int>(gridDim.x) / Place::kSize;
  if (threadIdx.x == 0) {
    prefetch_map(a_map);
    prefetch_map(b_map);
    if constexpr (kStoresTiles) prefetch_map(c_map);
    for (int s = 0; s < kStages; ++s) {
      init_barrier(full + 8 * s, 1);
      init_barrier(empty + 8 * s, 2 * Place::kPeers);
    }
    if constexpr (kSplit > 1) {
      init_barrier(ready, 2 * kOthers);
      init_barrier(given, 2 * kGroupThreads * kOthers);
      init_barrier(free, 2 * Place::kPeers);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if constexpr (Place::kSize > 1) {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }

  Stage<kStages> stage;
  unsigned round = 0;  // parity of tiles
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread == 0) {
      for (int t = first_tile; t < tiles; t += tile_step) {
        const ClusterTile tile(t, tiles_m, tiles_n, band);
        const int row = (tile.row * kDown + place.down) * kBlockRows;
        const int column = (tile.column * kAcross + place.across) * kColumns;
        const int of_a = tile.batch * a_batch, of_b = tile.batch * b_batch;
        if constexpr (kSplit > 1) {
          wait_for(free, round ^ 1);
          round ^= 1;
        }
        for (int s = 0; s < steps; ++s) {
          const int depth = (first_step + s) * kDepth;
          const unsigned a_tile = stages + stage.index * kStageBytes, b_tile = a_tile + kABytes;
          const unsigned barrier = full + 8 * stage.index;
          wait_for(empty + 8 * stage.index, stage.parity ^ 1);
          arrive_expecting(barrier, kStageBytes);
          load_part<kDepth, kBlockRows, kAcross, !kAIsByColumn>(a_tile, a_map, barrier, place.across, row, depth, of_a, place.row());
          load_part<kDepth, kColumns, kDown, kBIsByColumn>(b_tile, b_map, barrier, place.down, column, depth, of_b, place.column());
          stage.advance();
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = thread % 32, warp = thread / 32, first_line = (group - 1) * kGroupRows;
    const auto release = [&](unsigned barrier) {
      if constexpr (Place::kPeers > 1) {
        if (thread < Place::kPeers) arrive_in_block(barrier, place.peer(thread));
      } else {
        if (thread == 0) arrive(barrier);
      }
    };
    int turn = 0;  // of the chunks of results
    const int ahead = kHasRegisters ? 0 : min(lead, steps - 1);
    if (group == 2 && ahead > 0) asm volatile("bar.sync 3, 256;" ::: "memory");
    for (int t = first_tile; t < tiles; t += tile_step) {
      const ClusterTile tile(t, tiles_m, tiles_n, band);
      const int signal = group == 1 && t == first_tile && ahead > 0 ? ahead : -1;
      Sum d[kColumns / 2], own[kOwnSums];  // kSplit = 1: only d
      int previous = 0;
      for (int s = 0; s < steps; ++s) {
        wait_for(full + 8 * stage.index, stage.parity);
        const unsigned a_all = stages + stage.index * kStageBytes, a_tile = a_all + first_line * kLineBytes;
        const unsigned b_tile = stages + stage.index * kStageBytes + kABytes;
        const unsigned long long a_start = tile_descriptor(a_tile), b_start = tile_descriptor(b_tile);
        if constexpr (kHasRegisters) {
          unsigned a[4][4];
#pragma unroll
          for (int i = 0; i < 4; ++i) load_registers(a_all, first_line + warp * 16 + lane / 4, i * 8 + lane % 4, a[i]);
          asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
          for (int i = 0; i < 4; ++i) multiply_tf32<kColumns>(d, a[i], b_start + i * (32 >> 4), s + i);
          asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
          release(empty + 8 * stage.index);
          stage.advance();
          continue;
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 4; ++i)  // 32 bytes of each line, or 16 lines
          TensorCore<T>::template multiply<kColumns, kAIsByColumn, kBIsByColumn>(
              d, a_start + i * ((kAIsByColumn ? 16 * kLineBytes : 32) >> 4),
              b_start + i * ((kBIsByColumn ? 32 : 16 * kLineBytes) >> 4), s + i);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (s > 0) {
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          release(empty + 8 * previous);
        }
        if (s == signal) asm volatile("bar.arrive 3, 256;" ::: "memory");
        previous = stage.index;
        stage.advance();
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if constexpr (!kHasRegisters) release(empty + 8 * previous);

      if constexpr (kSplit > 1) {
        // [group][part][sum][thread], in the memory of the stages.
        const unsigned received = stages + (group - 1) * (kOthers * kOwnSums * kGroupThreads * 4) + thread * 4;
        wait_for_group(group);
        if (thread < kSplit && thread != place.part)
          arrive_in_block(ready, place.rank_of(place.down, place.across, thread));
        wait_for(ready, round);
#pragma unroll
        for (int p = 0; p < kSplit; ++p) {
          if (p == place.part) continue;
          const unsigned block = place.rank_of(place.down, place.across, p);
          const unsigned to = received + (place.part < p ? place.part : place.part - 1) * (kOwnSums * kGroupThreads * 4);
#pragma unroll
          for (int i = 0; i < kOwnSums; ++i) store_in_block(to + i * (kGroupThreads * 4), block, d[p * kOwnSums + i]);
          publish_in_block(given, block);
        }
        wait_for(given, round);
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
#pragma unroll
        for (int i = 0; i < kOwnSums; ++i) {
          Sum mine = d[i];
#pragma unroll
          for (int p = 1; p < kSplit; ++p) mine = p == place.part ? d[p * kOwnSums + i] : mine;
          own[i] = Sum(0);
#pragma unroll
          for (int p = 0; p < kSplit; ++p) {  // in the order of depth
            const int slot = max(p < place.part ? p : p - 1, 0);
            Sum other;
            load_sum(received + (slot * kOwnSums + i) * (kGroupThreads * 4), other);
            own[i] += p == place.part ? mine : other;
          }
        }
        wait_for_group(group);
        // Loads write to the same memory by another path.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        release(free);
        round ^= 1;
      }

      const int first_row = (tile.row * kDown + place.down) * kBlockRows + first_line;
      const int own_column = (tile.column * kAcross + place.across) * kColumns + place.part * (kColumns / kSplit);
#pragma unroll
      for (int chunk = 0; chunk < kColumns / kChunkColumns / kSplit; ++chunk) {
        const int first_column = own_column + chunk * kChunkColumns;
        // Columns fill both chunks of a group, rows each in turn, also in the next tile.
        const unsigned result = results + ((group - 1) * 2 + turn) * kChunkBytes;
        if constexpr (kStore != kStoreColumns) turn ^= 1;
        if (kStoresTiles && thread == 0) {
          if constexpr (kStore == kStoreColumns) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
          if constexpr (kStore == kStoreRows) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        wait_for_group(group);
#pragma unroll
        for (int j = 0; j < kChunkColumns / 8; j += 2) {
          C values[4][2];
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            const int row = first_row + warp * 16 + lane / 4 + e / 2 % 2 * 8;
            const int column = first_column + (j + e / 4) * 8 + lane % 4 * 2 + e % 2;
            const int at = chunk * (kChunkColumns / 2) + j * 4 + e;
            const Sum sum = kSplit > 1 ? own[kSplit > 1 ? at : 0] : d[at];
            values[e / 2][e % 2] = C(0);
            if ((!kHasBias && !kHasBeta) || (row < m && column < n))
              values[e / 2][e % 2] = finished<kActivation, kHasBias, kHasBeta>(
                  sum, alpha, beta, c + c_layout.at(tile.batch, row, column), bias, bias_line[column]);
          }
          if constexpr (kStore == kStoreColumns) {
            store_in_columns(result, warp, lane, j, values);
          } else {
            store_in_chunk(result, warp, lane, j, values);
          }
        }
        if constexpr (kStoresTiles) {
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          wait_for_group(group);
          if (thread == 0) {
            if constexpr (kStore == kStoreColumns) {
              for (int half = 0; half < 2; ++half) {
                if (first_row + half * 32 < m && first_column < n)
                  store_tile(c_map, result + half * kChunkBytes, first_row + half * 32, first_column, tile.batch);
              }
            } else if (first_row < m && first_column < n) {
              store_tile(c_map, result, first_column, first_row, tile.batch);
            }
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          }
        } else {
          wait_for_group(group);
          const unsigned char* const from = memory + (result - shared_address(memory));
          const bool is_by_column = c_layout.row == 1;
#pragma unroll 4
          for (int e = thread; e < kGroupRows * kChunkColumns; e += kGroupThreads) {
            const int r = is_by_column ? e % kGroupRows : e / kChunkColumns;
            const int x = (is_by_column ? e / kGroupRows : e % kChunkColumns) * static_cast<int>(sizeof(C));  // bytes
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
  if constexpr (Place::kSize > 1) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

}  // namespace quern_ops
