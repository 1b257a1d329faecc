// cub::BlockRunLengthDecode, and cub's searches and sorts of one thread.
#include <cub/cub.cuh>

// Thread t has the runs 2t and 2t + 1; run r has r % 5 items (every fifth is empty).
//! run decode_runs(i32[128], i32[128], i32[32]) block 32
//! values[0:12] = 1 2 2 3 3 3 4 4 4 4 6 7
//! places[0:12] = 0 0 1 0 1 2 0 1 2 3 0 0
//! values[124:128] = 63 63 63 63
//! totals = 126*32
__global__ void decode_runs(int* values, int* places, int* totals) {
  using Decode = cub::BlockRunLengthDecode<int, 32, 2, 4>;
  __shared__ Decode::TempStorage temp;
  int runs[2], lengths[2], items[4];
  unsigned offsets[4];
  for (int i = 0; i < 2; ++i) {
    runs[i] = 2 * threadIdx.x + i;
    lengths[i] = runs[i] % 5;
  }
  int total;
  Decode decode(temp, runs, lengths, total);
  decode.RunLengthDecode(items, offsets);
  for (int i = 0; i < 4; ++i) {
    values[4 * threadIdx.x + i] = items[i];
    places[4 * threadIdx.x + i] = offsets[i];
  }
  totals[threadIdx.x] = total;
}

// In pieces, compared with a loop.
//! run decode_pieces(i32[1]=0) block 64
//! wrong = 0
__global__ void decode_pieces(int* wrong) {
  using Decode = cub::BlockRunLengthDecode<short, 64, 1, 2>;
  __shared__ Decode::TempStorage temp;
  short runs[1] = {short(threadIdx.x * 3)};
  unsigned lengths[1] = {threadIdx.x * 7 % 11};
  unsigned total;
  Decode decode(temp, runs, lengths, total);
  for (unsigned from = 0; from < total; from += 128) {
    short items[2];
    decode.RunLengthDecode(items, from);
    for (int i = 0; i < 2; ++i) {
      const unsigned at = from + threadIdx.x * 2 + i;
      unsigned end = 0;
      for (int run = 0; run < 64 && at < total; ++run) {
        end += run * 7 % 11;
        if (at < end) {
          if (items[i] != run * 3) atomicAdd(wrong, 1);
          break;
        }
      }
    }
  }
}

//! run decode_offsets(i32[16]) block 8
//! out = 0 0 10 10 10 20 30 30 40 50 50 50 50 60 70 70
__global__ void decode_offsets(int* out) {
  using Decode = cub::BlockRunLengthDecode<int, 8, 1, 2>;
  __shared__ Decode::TempStorage temp;
  const int firsts[8] = {0, 2, 5, 6, 8, 9, 13, 14};
  int runs[1] = {int(threadIdx.x) * 10}, first[1] = {firsts[threadIdx.x]}, items[2];
  Decode(temp, runs, first).RunLengthDecode(items);
  out[2 * threadIdx.x] = items[0];
  out[2 * threadIdx.x + 1] = items[1];
}

//! run thread_searches(i32[6]) block 1
//! out = 2 4 0 6 3 2
__global__ void thread_searches(int* out) {
  const int a[6] = {1, 3, 5, 5, 7, 9}, b[4] = {2, 4, 6, 8};
  out[0] = cub::LowerBound(a, 6, 5);
  out[1] = cub::UpperBound(a, 6, 5);
  out[2] = cub::LowerBound(a, 6, 0);
  out[3] = cub::UpperBound(a, 6, 10);
  int2 path;
  cub::MergePathSearch(5, a, b, 6, 4, path);
  out[4] = path.x;
  out[5] = path.y;
}

//! run thread_sort(i32[7], i32[7]) block 1
//! keys = 0 1 1 2 3 3 5
//! items = 6 1 4 3 0 5 2
__global__ void thread_sort(int* keys, int* items) {
  int k[7] = {3, 1, 5, 2, 1, 3, 0}, v[7] = {0, 1, 2, 3, 4, 5, 6};
  cub::StableOddEvenSort(k, v, [](int a, int b) { return a < b; });
  for (int i = 0; i < 7; ++i) {
    keys[i] = k[i];
    items[i] = v[i];
  }
}
