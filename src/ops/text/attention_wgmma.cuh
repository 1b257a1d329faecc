// Attention with the tensor cores of sm_90a, after attention_keys.cuh and hopper.cuh. A block has groups of four warps:
// a thread of the first copies tiles to shared memory with tensor maps, the others have 64 rows each. They multiply
// queries and keys, compute weights in registers, and multiply these and the values. While the tensor cores multiply for
// one group, others compute weights; a group multiplies the next tile of keys before it computes the weights of the tile.
//
// A tile in shared memory consists of chunks of 64 elements: each token is a line of 128 bytes in a chunk.

namespace quern_ops {

constexpr int kGroupThreads = 128, kChunkElements = 64;

// The order of work. A group has rows of `packed` neighboring heads, which share keys, and `tokens` queries. Blocks process
// queries with most keys first, of `section` tensors of `packed` heads at a time, so that they share keys and values in the
// L2 cache. With several splits, a block reads a part of the keys and stores unfinished rows as attention_decode does.
struct AttentionOrder {
  unsigned packed, tokens, tiles, section, splits;  // `tiles`: of queries
};

// The queries of a block and the tiles of keys that they need, from the last one to the first one.
template <int kGroups, int kKeys>
struct AttentionTile {
  int split, batch, head, key_head, query, length, tiles, last_key;  // `query`: the first; `last_key`: of the last tile
  __device__ AttentionTile(const AttentionShape& shape, const AttentionOrder& order, unsigned index, const int* lengths) {
    const unsigned heads = static_cast<unsigned>(shape.heads * shape.group) / order.packed;
    const unsigned all = static_cast<unsigned>(shape.batches) * heads, whole = index / order.splits;
    const unsigned section = whole / (order.section * order.tiles);
    const unsigned in_section = whole - section * (order.section * order.tiles);
    const unsigned together = min(order.section, all - section * order.section);
    const unsigned tile = in_section / together, unit = section * order.section + (in_section - tile * together);
    const int queries = static_cast<int>(kGroups * order.tokens);
    split = static_cast<int>(index - whole * order.splits);
    batch = static_cast<int>(unit / heads);
    head = static_cast<int>(unit - batch * heads);
    key_head = static_cast<int>(head * order.packed / static_cast<unsigned>(shape.group));
    query = static_cast<int>(order.tiles - 1 - tile) * queries;
    length = static_cast<int>(length_of(shape, lengths, batch));
    const int last_query = min(query + queries, static_cast<int>(shape.queries)) - 1;
    const int begin = static_cast<int>(keys_of(shape, length, query).begin);
    const int end = static_cast<int>(keys_of(shape, length, last_query).end);
    const int last_tile = max(end - 1, 0) / kKeys, count = end > begin ? last_tile - begin / kKeys + 1 : 0;
    const int each = static_cast<int>((count + order.splits - 1) / order.splits);
    tiles = min(max(count - split * each, 0), each);
    last_key = (last_tile - split * each) * kKeys;
  }
};

// Work of a block: every second round in reverse order, so that all blocks get as many keys.
__device__ unsigned work_of_round(unsigned round) {
  return round * gridDim.x + (round % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x);
}

// A box of a tensor with the axes element, packed head, token, head and batch.
__device__ void load_box(unsigned to, const CUtensorMap& from, unsigned barrier, int element, int token, int head,
                         int batch) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], "
      "[%2];" ::"r"(to),
      "l"(&from), "r"(barrier), "r"(element), "r"(0), "r"(token), "r"(head), "r"(batch)
      : "memory");
}
__device__ void store_box(const CUtensorMap& to, unsigned from, int element, int token, int head, int batch) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&to),
               "r"(from), "r"(element), "r"(0), "r"(token), "r"(head), "r"(batch)
               : "memory");
}

// 2^x. Results below 2^-126 are 0.
__device__ float power_of_2(float x) {
  float out;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(x));
  return out;
}
template <class T>
__device__ unsigned packed(float low, float high) {
  unsigned out;
  if constexpr (std::is_same_v<T, __half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
  }
  return out;
}

// Named barriers: 0 is that of the block, those of the groups follow.
template <int kGroups>
struct AttentionBarriers {
  static constexpr int kTurn = kGroups + 1, kAll = 2 * kGroups + 1;
  __device__ static void wait_for_turn(int group) {
    asm volatile("bar.sync %0, 256;" ::"r"(kTurn + group) : "memory");
  }
  __device__ static void give_turn(int group) {
    asm volatile("bar.arrive %0, 256;" ::"r"(kTurn + (group + 1) % kGroups) : "memory");
  }
  __device__ static void wait_for_all() {
    asm volatile("bar.sync %0, %1;" ::"n"(kAll), "n"(kGroups * kGroupThreads) : "memory");
  }
};

// Shared memory of a block. For each group, a tile of queries, and one of results if it does not replace the queries.
template <int kExtent, int kKeys, int kStages, int kGroups, bool kReplacesQueries, bool kIsSplit>
struct AttentionMemory {
  static constexpr int kRowBytes = kExtent / kChunkElements * kChunkBytes;  // of a group
  static constexpr int kKeyChunk = kKeys * kLineBytes, kKeyBytes = kExtent / kChunkElements * kKeyChunk;
  unsigned queries, keys, values, results;
  unsigned full_queries, empty_queries, full_keys, empty_keys, full_values, empty_values;  // barriers
  __device__ explicit AttentionMemory(const void* memory) {
    queries = shared_address(memory);
    keys = queries + kGroups * kRowBytes;
    values = keys + kStages * kKeyBytes;
    const unsigned end = values + kStages * kKeyBytes;
    results = kReplacesQueries ? queries : end;
    full_queries = kReplacesQueries ? end : end + kGroups * kRowBytes;
    empty_queries = full_queries + 8 * kGroups;
    full_keys = empty_queries + 8 * kGroups;
    empty_keys = full_keys + 8 * kStages;
    full_values = empty_keys + 8 * kStages;
    empty_values = full_values + 8 * kStages;
  }
  __device__ void init() const {
    for (int g = 0; g < kGroups; ++g) {
      init_barrier(full_queries + 8 * g, 1);
      init_barrier(empty_queries + 8 * g, kReplacesQueries && !kIsSplit ? 1 : 4);  // of a thread, else of each warp
    }
    for (int s = 0; s < kStages; ++s) {
      init_barrier(full_keys + 8 * s, 1);
      init_barrier(empty_keys + 8 * s, 4 * kGroups);
      init_barrier(full_values + 8 * s, 1);
      init_barrier(empty_values + 8 * s, 4 * kGroups);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
};

// Copies a tile of keys or values.
template <int kExtent, int kKeyChunk, int kStages, class Map>
__device__ void load_keys(unsigned tiles, const Map& from, unsigned full, unsigned empty, Stage<kStages>& stage, int key,
                          int head, int batch) {
  constexpr int kChunks = kExtent / kChunkElements;
  wait_for(empty + 8 * stage.index, stage.parity ^ 1);
  arrive_expecting(full + 8 * stage.index, kChunks * kKeyChunk);
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    load_box(tiles + (stage.index * kChunks + c) * kKeyChunk, from, full + 8 * stage.index, c * kChunkElements, key, head,
             batch);
  stage.advance();
}

// The online softmax of two rows, which four lanes share: element i is of the second row if i / 2 is odd. Replaces scores
// by weights. The largest score is that before it is scaled. `factor`: of what was summed so far.
struct OnlineRows {
  float largest[2], sum[2], factor[2];
  __device__ OnlineRows() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      largest[r] = -CUDART_INF_F;
      sum[r] = factor[r] = 0.0f;
    }
  }
  template <int kCount>
  __device__ void weigh(float (&score)[kCount], float scale) {
    float most[4] = {largest[0], largest[0], largest[1], largest[1]}, base[2], total[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < kCount; ++i) most[i % 4] = fmaxf(most[i % 4], score[i]);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float all = fmaxf(most[2 * r], most[2 * r + 1]);
      all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, 1));
      all = fmaxf(all, __shfl_xor_sync(0xffffffffu, all, 2));
      base[r] = all == -CUDART_INF_F ? 0.0f : all * scale;
      factor[r] = power_of_2(fmaf(largest[r], scale, -base[r]));
      largest[r] = all;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      score[i] = power_of_2(fmaf(score[i], scale, -base[i / 2 % 2]));
      total[i % 4] += score[i];
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) sum[r] = fmaf(sum[r], factor[r], total[2 * r] + total[2 * r + 1]);
  }
  // After the last tile.
  __device__ void add_lanes() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
      factor[r] = sum[r] == 0.0f ? 0.0f : 1.0f / sum[r];
    }
  }
};

// As attention_decode: the elements of row `r` of the two rows, its largest score and its sum.
template <int kCount>
__device__ void store_unfinished(float* to, const float (&out)[kCount], const OnlineRows& rows, int r, float scale,
                                 int lane) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4)
    *reinterpret_cast<float2*>(to + i * 2 + lane % 4 * 2) = make_float2(out[i + 2 * r], out[i + 2 * r + 1]);
  if (lane % 4 == 0)
    *reinterpret_cast<float2*>(to + kCount * 2) = make_float2(rows.largest[r] * scale, rows.sum[r]);
}

// The keys of two rows.
struct RowKeys {
  int begin[2], end[2];
  __device__ RowKeys(const AttentionShape& shape, int length, int query, int next_query) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const KeyRange range = keys_of(shape, length, r == 0 ? query : next_query);
      begin[r] = static_cast<int>(range.begin);
      end[r] = static_cast<int>(range.end);
    }
  }
  // Excludes other keys: key + 8 * (i / 4) + i % 2 is that of element i.
  template <int kCount>
  __device__ void mask(float (&score)[kCount], int key) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int at = i / 4 * 8 + i % 2, r = i / 2 % 2;
      if (at < begin[r] - key || at >= end[r] - key) score[i] = -CUDART_INF_F;
    }
  }
};

template <class T, class Map, int kExtent, int kKeys, int kStages, int kGroups, bool kTakesTurns, bool kReplacesQueries,
          bool kIsSplit>
__global__ void __launch_bounds__((kGroups + 1) * kGroupThreads, kGroups == 1 && kExtent <= 128 ? 2 : 1)
    attention_wgmma(AttentionShape shape, AttentionOrder order, float scale, const __grid_constant__ Map q_map,
                    const __grid_constant__ Map k_map, const __grid_constant__ Map v_map,
                    const __grid_constant__ Map out_map, const int* lengths, float* unfinished) {
  using Memory = AttentionMemory<kExtent, kKeys, kStages, kGroups, kReplacesQueries, kIsSplit>;
  using Tile = AttentionTile<kGroups, kKeys>;
  using Barriers = AttentionBarriers<kGroups>;
  constexpr int kChunks = kExtent / kChunkElements, kKeyChunk = Memory::kKeyChunk;
  constexpr bool kHasTurns = kTakesTurns && kGroups > 1;
  // Otherwise each thread has 255 registers from the start.
  constexpr bool kMovesRegisters = kGroups > 1 || kExtent <= 128;
  extern __shared__ __align__(1024) unsigned char memory[];
  const Memory at(memory);
  const int warps_group = static_cast<int>(threadIdx.x) / kGroupThreads;
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const unsigned heads = static_cast<unsigned>(shape.heads * shape.group) / order.packed;
  const unsigned work = static_cast<unsigned>(shape.batches) * heads * order.tiles * order.splits;
  if (threadIdx.x == 0) at.init();
  __syncthreads();

  if (warps_group == 0) {
    if constexpr (kGroups == 3) asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
    if constexpr (kGroups < 3 && kMovesRegisters) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread == 0) {
      Stage<kStages> k_stage, v_stage;
      unsigned parity = 1;
      unsigned index;
      for (unsigned round = 0; (index = work_of_round(round)) < work; ++round) {
        const Tile tile(shape, order, index, lengths);
        for (int g = 0; g < kGroups; ++g) {
          wait_for(at.empty_queries + 8 * g, parity);
          arrive_expecting(at.full_queries + 8 * g, kChunks * order.packed * order.tokens * kLineBytes);
          for (int c = 0; c < kChunks; ++c)
            load_box(at.queries + (g * kChunks + c) * kChunkBytes, q_map, at.full_queries + 8 * g, c * kChunkElements,
                     tile.query + g * static_cast<int>(order.tokens), tile.head, tile.batch);
        }
        parity ^= 1;
        // In the order in which they are used.
        for (int i = 0; tile.tiles > 0 && i <= tile.tiles; ++i) {
          const int key = tile.last_key - i * kKeys;
          if (i < tile.tiles)
            load_keys<kExtent, kKeyChunk>(at.keys, k_map, at.full_keys, at.empty_keys, k_stage, key, tile.key_head,
                                          tile.batch);
          if (i > 0)
            load_keys<kExtent, kKeyChunk>(at.values, v_map, at.full_values, at.empty_values, v_stage, key + kKeys,
                                          tile.key_head, tile.batch);
        }
      }
    }
    __syncwarp();
  } else {
    if constexpr (kGroups == 3) asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
    if constexpr (kGroups == 2) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    if constexpr (kGroups == 1 && kMovesRegisters) asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
    const int group = warps_group - 1, lane = thread % 32, warp = thread / 32;
    const unsigned queries = at.queries + group * Memory::kRowBytes, results = at.results + group * Memory::kRowBytes;
    const unsigned full_queries = at.full_queries + 8 * group, empty_queries = at.empty_queries + 8 * group;
    Stage<kStages> k_stage, v_stage;
    unsigned parity = 0;
    unsigned index;
    if (kHasTurns && group == kGroups - 1) Barriers::give_turn(group);
    for (unsigned round = 0; (index = work_of_round(round)) < work; ++round) {
      const Tile tile(shape, order, index, lengths);
      const unsigned row = warp * 16 + lane / 4;
      const int tokens = static_cast<int>(order.tokens), first_query = tile.query + group * tokens;
      const int query = first_query + static_cast<int>(row / order.packed),
                next_query = first_query + static_cast<int>((row + 8) / order.packed);
      float out[kExtent / 2], score[kKeys / 2];
      unsigned weights[kKeys / 4];
      OnlineRows rows;
#pragma unroll
      for (int i = 0; i < kExtent / 2; ++i) out[i] = 0.0f;
      const RowKeys keys(shape, tile.length, query, next_query);
      // Tiles in which the rows of the group differ in their keys have these outside of [uniform_begin, uniform_end).
      const int uniform_begin = static_cast<int>(keys_of(shape, tile.length, first_query + tokens - 1).begin);
      const int uniform_end = static_cast<int>(keys_of(shape, tile.length, first_query).end);

      const auto multiply_keys = [&] {
        const unsigned long long a = tile_descriptor(queries),
                                 b = tile_descriptor(at.keys + k_stage.index * Memory::kKeyBytes);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < kExtent / 16; ++i)
          TensorCore<T>::template multiply<kKeys, false, true>(
              score, a + (i / 4 * kChunkBytes + i % 4 * 32) / 16, b + (i / 4 * kKeyChunk + i % 4 * 32) / 16, i);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      };
      const auto multiply_values = [&] {
        const unsigned long long b = tile_descriptor(at.values + v_stage.index * Memory::kKeyBytes, kKeyChunk);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < kKeys / 16; ++i)
          multiply_registers<T, kExtent>(out, weights + 4 * i, b + i * (16 * kLineBytes / 16));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      };
      const auto weigh = [&](int key) {
        if (key < uniform_begin || key + kKeys > uniform_end)
          keys.mask(score, key + lane % 4 * 2);
        rows.weigh(score, scale);
      };
      const auto pack = [&] {
#pragma unroll
        for (int i = 0; i < kKeys / 4; ++i) weights[i] = packed<T>(score[2 * i], score[2 * i + 1]);
      };
      const auto release = [&](unsigned empty, Stage<kStages>& stage) {
        if (lane == 0) arrive(empty + 8 * stage.index);
        stage.advance();
      };

      wait_for(full_queries, parity);
      parity ^= 1;
      if (tile.tiles > 0) {
        wait_for(at.full_keys + 8 * k_stage.index, k_stage.parity);
        multiply_keys();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        release(at.empty_keys, k_stage);
        weigh(tile.last_key);
        pack();
        // The rest of a cache may be NaN, and 0 * NaN is not 0.
        if (tile.length < shape.keys && tile.last_key + kKeys > tile.length) {
          wait_for(at.full_values + 8 * v_stage.index, v_stage.parity);
          const int first = (tile.length - tile.last_key) * 8, pieces = (kKeys - (tile.length - tile.last_key)) * 8;
          for (int p = group * kGroupThreads + thread; p < pieces * kChunks; p += kGroups * kGroupThreads)
            asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at.values + v_stage.index * Memory::kKeyBytes +
                                                                         p / pieces * kKeyChunk + (first + p % pieces) * 16),
                         "r"(0)
                         : "memory");
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          Barriers::wait_for_all();
        }
        for (int i = 1; i < tile.tiles; ++i) {
          wait_for(at.full_keys + 8 * k_stage.index, k_stage.parity);
          if constexpr (kHasTurns) Barriers::wait_for_turn(group);
          multiply_keys();
          wait_for(at.full_values + 8 * v_stage.index, v_stage.parity);
          multiply_values();
          if constexpr (kHasTurns) Barriers::give_turn(group);
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          release(at.empty_keys, k_stage);
          weigh(tile.last_key - i * kKeys);
          asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
          release(at.empty_values, v_stage);
          pack();
#pragma unroll
          for (int e = 0; e < kExtent / 2; ++e) out[e] *= rows.factor[e / 2 % 2];
        }
        wait_for(at.full_values + 8 * v_stage.index, v_stage.parity);
        multiply_values();
        rows.add_lanes();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        release(at.empty_values, v_stage);
      }

      if constexpr (kIsSplit) {
        if (lane == 0) arrive(empty_queries);
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const unsigned row_of_tile = row + r * 8, head = row_of_tile % order.packed + tile.head * order.packed;
          const long long row_of_keys =
              (r == 0 ? query : next_query) * shape.group + (head - tile.key_head * shape.group);
          if (row_of_tile < order.packed * order.tokens && row_of_keys < shape.rows())
            store_unfinished(unfinished + (((tile.batch * shape.heads + tile.key_head) * shape.rows() + row_of_keys) *
                                               order.splits +
                                           tile.split) *
                                              (kExtent + 2),
                             out, rows, r, scale, lane);
        }
      } else {
        if (!kReplacesQueries && lane == 0) arrive(empty_queries);
        if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");  // results of the last tile
        wait_for_group(group + 1);
#pragma unroll
        for (int j = 0; j < kExtent / 8; j += 2) {
          T values[4][2];
#pragma unroll
          for (int e = 0; e < 8; ++e) values[e / 2][e % 2] = static_cast<T>(out[j * 4 + e] * rows.factor[e / 2 % 2]);
          store_in_chunk(results + j / 8 * kChunkBytes, warp, lane, j % 8, values);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        wait_for_group(group + 1);
        if (thread == 0) {
          for (int c = 0; c < kChunks; ++c)
            store_box(out_map, results + c * kChunkBytes, c * kChunkElements, first_query, tile.head, tile.batch);
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          if constexpr (kReplacesQueries) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            arrive(empty_queries);
          }
        }
      }
    }
    if (kHasTurns && group == 0) Barriers::wait_for_turn(group);
    if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    __syncwarp();
  }
}

}  // namespace quern_ops
