// Attention with an online softmax. Eight threads hold a query: element (j * 8 + lane) * kVector + e of a head is in
// thread `lane` of them.

namespace quern_ops {

constexpr int kLanes = 8;         // that hold a query
constexpr int kTileRows = 32;     // queries of a block of attention_tiles
constexpr int kGroups = 32;       // of eight threads in a block

struct Tokens {
  long long first, batch, head, token, element;  // strides
  __device__ long long at(long long b, long long h, long long t) const {
    return first + b * batch + h * head + t * token;
  }
};

// The elements of a token that this lane holds. Those beyond the extent are 0.
template <class T, int kVector, int kDims, class A>
__device__ void load_token(const T* p, long long stride, int extent, int lane, bool exists, A (&v)[kDims]) {
#pragma unroll
  for (int j = 0; j < kDims / kVector; ++j) {
    const int d = (j * kLanes + lane) * kVector;
    if (exists && d < extent) {
      if constexpr (kVector == 1) v[j] = static_cast<A>(p[d * stride]);
      if constexpr (kVector > 1) load_piece<T, kVector>(p + d, v + j * kVector);
    } else {
#pragma unroll
      for (int e = 0; e < kVector; ++e) v[j * kVector + e] = A(0);
    }
  }
}

template <class A>
__device__ A sum_of_lanes(A value) {
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

// The state of the online softmax of a row: scores are exponents of 2.
template <class A>
struct Online {
  A largest, sum;
  // Includes a score; returns the factor of what was summed so far.
  __device__ A raise(A score) {
    const A before = largest;
    largest = Max{}(largest, score);
    const A factor = before == largest ? A(1) : exp2(before - largest);
    sum *= factor;
    return factor;
  }
  __device__ A weight(A score) const {
    return largest == -infinity<A>() ? A(0) : exp2(score - largest);
  }
};

// A tile of rows for each block; tiles of keys and values in shared memory.
template <class T, class A, int kExtent, int kVector>
__global__ void __launch_bounds__(256) attention_tiles(AttentionShape shape, Tokens q_layout, Tokens k_layout,
                                                       Tokens v_layout, Tokens out_layout, A scale, const T* q,
                                                       const T* k, const T* v, T* out, const int* lengths) {
  constexpr int kDims = kExtent / kLanes, kKeys = 2048 / kExtent;
  __shared__ A k_tile[kKeys * kExtent];
  __shared__ A v_tile[kKeys * kExtent];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, extent = static_cast<int>(shape.extent);
  const long long tiles = (shape.rows() + kTileRows - 1) / kTileRows;
  for (long long w = blockIdx.x; w < shape.batches * shape.heads * tiles; w += gridDim.x) {
    const long long unit = w / tiles, first = (tiles - 1 - (w - unit * tiles)) * kTileRows;  // long ones first
    const long long batch = unit / shape.heads, head = unit - batch * shape.heads;
    const long long row = first + thread / kLanes, query = row / shape.group;
    const long long q_head = head * shape.group + (row - query * shape.group);
    const bool is_row = row < shape.rows();
    const long long length = length_of(shape, lengths, batch);
    const KeyRange own = keys_of(shape, length, query);
    const long long last = min(first + kTileRows, shape.rows()) - 1;
    const long long begin = keys_of(shape, length, first / shape.group).begin;
    const long long end = keys_of(shape, length, last / shape.group).end;
    A query_of_row[kDims], sum[kDims];
    load_token<T, 1>(q + q_layout.at(batch, q_head, query), q_layout.element, extent, lane, is_row, query_of_row);
#pragma unroll
    for (int j = 0; j < kDims; ++j) {
      query_of_row[j] *= scale;
      sum[j] = A(0);
    }
    Online<A> online{-infinity<A>(), A(0)};
    for (long long tile = begin; tile < end; tile += kKeys) {
      for (int e = thread; e < kKeys * kExtent / kVector; e += 256) {
        const int key = e / (kExtent / kVector), d = e % (kExtent / kVector) * kVector;
        A from_k[kVector], from_v[kVector];
#pragma unroll
        for (int i = 0; i < kVector; ++i) from_k[i] = from_v[i] = A(0);
        if (tile + key < end && d < extent) {
          load_piece<T, kVector>(k + (k_layout.at(batch, head, tile + key) + d * k_layout.element), from_k);
          load_piece<T, kVector>(v + (v_layout.at(batch, head, tile + key) + d * v_layout.element), from_v);
        }
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
          k_tile[key * kExtent + d + i] = from_k[i];
          v_tile[key * kExtent + d + i] = from_v[i];
        }
      }
      __syncthreads();
      A score[kKeys], largest = -infinity<A>();
#pragma unroll
      for (int key = 0; key < kKeys; ++key) {
        A product = A(0);
#pragma unroll
        for (int j = 0; j < kDims; ++j) product += query_of_row[j] * k_tile[key * kExtent + j * kLanes + lane];
        product = sum_of_lanes(product);
        score[key] = tile + key >= own.begin && tile + key < own.end ? product : -infinity<A>();
        largest = Max{}(largest, score[key]);
      }
      const A factor = online.raise(largest);
#pragma unroll
      for (int j = 0; j < kDims; ++j) sum[j] *= factor;
#pragma unroll
      for (int key = 0; key < kKeys; ++key) {
        const A weight = online.weight(score[key]);
        online.sum += weight;
#pragma unroll
        for (int j = 0; j < kDims; ++j) sum[j] += weight * v_tile[key * kExtent + j * kLanes + lane];
      }
      __syncthreads();
    }
    if (is_row) {
      T* const to = out + out_layout.at(batch, q_head, query);
      const A divisor = online.sum == A(0) ? A(1) : online.sum;
#pragma unroll
      for (int j = 0; j < kDims; ++j) {
        const int d = j * kLanes + lane;
        if (d < extent) to[d * out_layout.element] = static_cast<T>(sum[j] / divisor);
      }
    }
  }
}

// kRows rows for each block, whose 32 groups of eight threads read different keys. With several splits, a block reads
// a part of the keys, and stores the unfinished row: its elements, then its largest score and its sum.
template <class T, class A, int kExtent, int kVector, int kRows>
__global__ void __launch_bounds__(256) attention_decode(AttentionShape shape, Tokens q_layout, Tokens k_layout,
                                                        Tokens v_layout, Tokens out_layout, A scale, const T* q,
                                                        const T* k, const T* v, T* out, A* unfinished,
                                                        const int* lengths) {
  constexpr int kDims = kExtent / kLanes, kSteps = 2, kWarps = 8, kStored = kExtent + 2;
  __shared__ A parts[kWarps * kStored];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, group = thread / kLanes;
  const int extent = static_cast<int>(shape.extent);
  const long long tiles = (shape.rows() + kRows - 1) / kRows;
  for (long long w = blockIdx.x; w < shape.batches * shape.heads * tiles * shape.splits; w += gridDim.x) {
    const long long unit = w / shape.splits, split = w - unit * shape.splits;
    const long long head_of_all = unit / tiles, first = (unit - head_of_all * tiles) * kRows;
    const long long batch = head_of_all / shape.heads, head = head_of_all - batch * shape.heads;
    const long long length = length_of(shape, lengths, batch);
    const long long last = min(first + kRows, shape.rows()) - 1;
    const long long all_begin = keys_of(shape, length, first / shape.group).begin;
    const long long all_end = keys_of(shape, length, last / shape.group).end;
    const long long steps = (max(all_end - all_begin, 0ll) + kGroups - 1) / kGroups;
    const long long each = (steps + shape.splits - 1) / shape.splits * kGroups;
    const long long begin = all_begin + split * each, end = min(begin + each, all_end);
    A query_of_row[kRows][kDims], sum[kRows][kDims];
    Online<A> online[kRows];
    KeyRange own[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const long long row = first + r, query = row / shape.group;
      own[r] = keys_of(shape, length, query);
      load_token<T, kVector>(q + q_layout.at(batch, head * shape.group + (row - query * shape.group), query),
                             q_layout.element, extent, lane, row < shape.rows(), query_of_row[r]);
#pragma unroll
      for (int j = 0; j < kDims; ++j) {
        query_of_row[r][j] *= scale;
        sum[r][j] = A(0);
      }
      online[r] = Online<A>{-infinity<A>(), A(0)};
    }
    for (long long step = begin; step < end; step += kGroups * kSteps) {
      A from_k[kSteps][kDims], from_v[kSteps][kDims];
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        const long long key = step + s * kGroups + group;
        load_token<T, kVector>(k + k_layout.at(batch, head, key), k_layout.element, extent, lane, key < end, from_k[s]);
        load_token<T, kVector>(v + v_layout.at(batch, head, key), v_layout.element, extent, lane, key < end, from_v[s]);
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        A score[kSteps], largest = -infinity<A>();
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
          const long long key = step + s * kGroups + group;
          A product = A(0);
#pragma unroll
          for (int j = 0; j < kDims; ++j) product += query_of_row[r][j] * from_k[s][j];
          product = sum_of_lanes(product);
          score[s] = key < end && key >= own[r].begin && key < own[r].end ? product : -infinity<A>();
          largest = Max{}(largest, score[s]);
        }
        const A factor = online[r].raise(largest);
#pragma unroll
        for (int j = 0; j < kDims; ++j) sum[r][j] *= factor;
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
          const A weight = online[r].weight(score[s]);
          online[r].sum += weight;
#pragma unroll
          for (int j = 0; j < kDims; ++j) sum[r][j] += weight * from_v[s][j];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      // The groups of a warp.
#pragma unroll
      for (int distance = kLanes; distance < 32; distance *= 2) {
        const A largest = __shfl_xor_sync(0xffffffffu, online[r].largest, distance);
        const A other = __shfl_xor_sync(0xffffffffu, online[r].sum, distance);
        const A factor = online[r].raise(largest), weight = online[r].weight(largest);
        online[r].sum += weight * other;
#pragma unroll
        for (int j = 0; j < kDims; ++j)
          sum[r][j] = sum[r][j] * factor + weight * __shfl_xor_sync(0xffffffffu, sum[r][j], distance);
      }
      // The warps.
      __syncthreads();
      A* const part = parts + thread / 32 * kStored;
      if (thread % 32 < kLanes) {
#pragma unroll
        for (int j = 0; j < kDims; ++j) part[(j / kVector * kLanes + lane) * kVector + j % kVector] = sum[r][j];
        if (lane == 0) {
          part[kExtent] = online[r].largest;
          part[kExtent + 1] = online[r].sum;
        }
      }
      __syncthreads();
      const long long row = first + r, query = row / shape.group;
      if (thread < extent && row < shape.rows()) {
        Online<A> total{-infinity<A>(), A(0)};
        A element = A(0);
#pragma unroll
        for (int p = 0; p < kWarps; ++p) {
          const A* const from = parts + p * kStored;
          element *= total.raise(from[kExtent]);
          const A weight = total.weight(from[kExtent]);
          element += weight * from[thread];
          total.sum += weight * from[kExtent + 1];
        }
        if (shape.splits > 1) {
          A* const to = unfinished + ((head_of_all * shape.rows() + row) * shape.splits + split) * kStored;
          to[thread] = element;
          if (thread == 0) {
            to[kExtent] = total.largest;
            to[kExtent + 1] = total.sum;
          }
        } else {
          out[out_layout.at(batch, head * shape.group + (row - query * shape.group), query) +
              thread * out_layout.element] = static_cast<T>(total.sum == A(0) ? A(0) : element / total.sum);
        }
      }
    }
  }
}

// The second pass: one element of the result for each thread.
template <class T, class A, int kExtent>
__global__ void attention_combine(AttentionShape shape, Tokens out_layout, const A* unfinished, T* out) {
  constexpr int kStored = kExtent + 2;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long work = shape.batches * shape.heads * shape.rows() * shape.extent;
  for (long long w = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; w < work; w += step) {
    const long long row_of_all = w / shape.extent, d = w - row_of_all * shape.extent;
    const long long head_of_all = row_of_all / shape.rows(), row = row_of_all - head_of_all * shape.rows();
    const long long batch = head_of_all / shape.heads, head = head_of_all - batch * shape.heads;
    const long long query = row / shape.group;
    // The loads of several splits are in flight at the same time.
    const A* const from = unfinished + row_of_all * shape.splits * kStored;
    Online<A> total{-infinity<A>(), A(0)};
    A element = A(0);
#pragma unroll 8
    for (long long split = 0; split < shape.splits; ++split)
      total.largest = Max{}(total.largest, from[split * kStored + kExtent]);
#pragma unroll 8
    for (long long split = 0; split < shape.splits; ++split) {
      const A weight = total.weight(from[split * kStored + kExtent]);
      element += weight * from[split * kStored + d];
      total.sum += weight * from[split * kStored + kExtent + 1];
    }
    out[out_layout.at(batch, head * shape.group + (row - query * shape.group), query) + d * out_layout.element] =
        static_cast<T>(total.sum == A(0) ? A(0) : element / total.sum);
  }
}

}  // namespace quern_ops
