// Programs about data: sorting, searching, graphs, tables, queues.
#include <cstdio>
#include <limits.h>
#include <vector>

//! run bitonic_step(i32[8]=iota, 4, 8) block 8
//! data = 4 5 6 7 0 1 2 3
__global__ void bitonic_step(int* data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ j;
  if (partner > i) {
    if ((i & k) == 0) {
      if (data[i] < data[partner]) {
        int kept = data[i];
        data[i] = data[partner];
        data[partner] = kept;
      }
    } else if (data[i] > data[partner]) {
      int kept = data[i];
      data[i] = data[partner];
      data[partner] = kept;
    }
  }
}

//! run bitonic_sort(i32[16]) block 16
//! out = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
__global__ void bitonic_sort(int* out) {
  __shared__ int s[16];
  unsigned t = threadIdx.x;
  s[t] = (t * 7 + 3) % 16;
  for (unsigned k = 2; k <= 16; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      unsigned other = t ^ j;
      if (other > t) {
        bool up = (t & k) == 0;
        if ((s[t] > s[other]) == up) {
          int kept = s[t];
          s[t] = s[other];
          s[other] = kept;
        }
      }
    }
  }
  __syncthreads();
  out[t] = s[t];
}

//! run odd_even_sort(i32[9]) block 4
//! out = 1 2 3 4 5 6 7 8 9
__global__ void odd_even_sort(int* out) {
  __shared__ int s[9];
  for (int i = threadIdx.x; i < 9; i += blockDim.x) s[i] = 9 - i;
  __syncthreads();
  for (int round = 0; round < 9; ++round) {
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < 9 && s[i] > s[i + 1]) {
      int a = s[i];
      s[i] = s[i + 1];
      s[i + 1] = a;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 9; i += blockDim.x) out[i] = s[i];
}

//! run blelloch_scan(i32[16]=iota, i32[16]) block 8 shared 64
//! out = 0 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105
__global__ void blelloch_scan(const int* in, int* out) {
  extern __shared__ int temp[];
  int t = threadIdx.x, n = 2 * blockDim.x, offset = 1;
  temp[2 * t] = in[2 * t];
  temp[2 * t + 1] = in[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int left = temp[a];
      temp[a] = temp[b];
      temp[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = temp[2 * t];
  out[2 * t + 1] = temp[2 * t + 1];
}

//! run radix_pass(u32[8]=iota, u32[8], 0) block 8
//! out = 0 2 4 6 1 3 5 7
__global__ void radix_pass(const unsigned* in, unsigned* out, int bit) {
  __shared__ unsigned zeros[8];
  unsigned t = threadIdx.x, value = in[t], is_zero = !(value >> bit & 1);
  zeros[t] = is_zero;
  __syncthreads();
  unsigned before = 0, total = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if (i < t) before += zeros[i];
    total += zeros[i];
  }
  out[is_zero ? before : total + t - before] = value;
}

//! run binary_search(i32[10]=iota, 10, i32[4]) block 4
//! out = -1 3 9 -1
__global__ void binary_search(const int* sorted, int n, int* out) {
  const int wanted[] = {-5, 3, 9, 12};
  int key = wanted[threadIdx.x], low = 0, high = n - 1, found = -1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle] == key) {
      found = middle;
      break;
    }
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  out[threadIdx.x] = found;
}

struct Node {
  int start, degree;
};
//! run breadth_first_step(i32[6], i32[1]=0) block 6
//! cost = 0 1 1 -1 -1 -1
//! again = 1
__global__ void breadth_first_step(int* cost, int* again) {
  // 0 -> 1, 2; 1 -> 3; 2 -> 3, 4; 3 -> 5
  const Node nodes[6] = {{0, 2}, {2, 1}, {3, 2}, {5, 1}, {6, 0}, {6, 0}};
  const int edges[6] = {1, 2, 3, 3, 4, 5};
  __shared__ int level[6];
  int t = threadIdx.x;
  level[t] = t == 0 ? 0 : -1;
  __syncthreads();
  bool in_front = level[t] == 0;
  __syncthreads();
  if (in_front) {
    for (int e = nodes[t].start; e < nodes[t].start + nodes[t].degree; ++e) {
      if (level[edges[e]] < 0) {
        level[edges[e]] = level[t] + 1;
        *again = 1;
      }
    }
  }
  __syncthreads();
  cost[t] = level[t];
}

//! run relax_edges(i32[4], 4) block 5
//! distance = 0 2 3 6
__global__ void relax_edges(int* distance, int rounds) {
  const int from[] = {0, 0, 1, 1, 2}, to[] = {1, 2, 2, 3, 3}, weight[] = {2, 5, 1, 7, 3};
  if (threadIdx.x < 4) distance[threadIdx.x] = threadIdx.x == 0 ? 0 : INT_MAX;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    int e = threadIdx.x, known = atomicAdd(&distance[from[e]], 0);
    if (known != INT_MAX) atomicMin(&distance[to[e]], known + weight[e]);
    __syncthreads();
  }
}

constexpr unsigned kEmpty = 0xffffffffu;
__device__ unsigned hash(unsigned key, unsigned capacity) {
  key ^= key >> 16;
  key *= 0x85ebca6bu;
  key ^= key >> 13;
  return key % capacity;
}
__device__ bool insert(unsigned* slots, unsigned capacity, unsigned key) {
  unsigned at = hash(key, capacity);
  for (unsigned probe = 0; probe < capacity; ++probe) {
    unsigned before = atomicCAS(&slots[at], kEmpty, key);
    if (before == kEmpty) return true;
    if (before == key) return false;
    at = (at + 1) % capacity;
  }
  return false;
}
//! run hash_table(u32[32]=4294967295, i32[2]=0) block 40
//! out = 20 20
__global__ void hash_table(unsigned* slots, int* out) {
  if (insert(slots, 32, threadIdx.x % 20 * 977)) atomicAdd(&out[0], 1);
  __syncthreads();
  if (threadIdx.x < 32 && slots[threadIdx.x] != kEmpty) atomicAdd(&out[1], 1);
}

//! run queue(i32[20]=iota, i32[10], i32[1]=0, 20) grid 2 block 10
//! count = 10
__global__ void queue(const int* in, int* items, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2 == 1) {
    int at = atomicAdd(count, 1);
    items[at] = in[i];
  }
}

//! run queue_through_shared_memory(i32[64]=iota, i32[22], i32[1]=0) grid 2 block 32
//! count = 22
__global__ void queue_through_shared_memory(const int* in, int* items, int* count) {
  __shared__ int local[32];
  __shared__ int local_count, base;
  if (threadIdx.x == 0) local_count = 0;
  __syncthreads();
  int value = in[blockIdx.x * 32 + threadIdx.x];
  if (value % 3 == 0) local[atomicAdd(&local_count, 1)] = value;
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, local_count);
  __syncthreads();
  for (int i = threadIdx.x; i < local_count; i += blockDim.x) items[base + i] = local[i];
}

//! run life(u8[25], u8[25]) block 5,5
//! after = 0 0 0 0 0 0 0 0 0 0 0 1 1 1 0 0 0 0 0 0 0 0 0 0 0
__global__ void life(unsigned char* before, unsigned char* after) {
  int x = threadIdx.x, y = threadIdx.y;
  before[y * 5 + x] = x == 2 && y >= 1 && y <= 3;
  __syncthreads();
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      neighbours += before[(y + dy + 5) % 5 * 5 + (x + dx + 5) % 5];
    }
  }
  after[y * 5 + x] = neighbours == 3 || (neighbours == 2 && before[y * 5 + x]);
}

//! run alignment_scores(i32[36]) block 5
//! score[30:36] = -5 -3 -3 -1 0 2
__global__ void alignment_scores(int* score) {
  // GATTA against GCATA by Needleman and Wunsch: 1 for a match, -1 for a mismatch or a gap.
  const char a[] = "GATTA", b[] = "GCATA";
  const int n = 5, width = n + 1;
  int t = threadIdx.x;
  if (t == 0) score[0] = 0;
  score[t + 1] = -(t + 1);
  score[(t + 1) * width] = -(t + 1);
  __syncthreads();
  for (int diagonal = 0; diagonal < 2 * n - 1; ++diagonal) {
    int i = t, j = diagonal - t;
    if (j >= 0 && j < n) {
      int here = (i + 1) * width + j + 1;
      int across = score[here - width - 1] + (a[i] == b[j] ? 1 : -1);
      score[here] = max(across, max(score[here - 1], score[here - width]) - 1);
    }
    __syncthreads();
  }
}

struct Point {
  float x, y;
};
//! run nearest_centre(i32[6], f32[2]=0, f32[2]=0, i32[2]=0) block 6
//! label = 0 0 0 1 1 1
//! sum_x = 3 33
//! sum_y = 0 3
//! members = 3 3
__global__ void nearest_centre(int* label, float* sum_x, float* sum_y, int* members) {
  const Point points[6] = {{0, 0}, {1, 0}, {2, 0}, {10, 1}, {11, 1}, {12, 1}};
  const Point centres[2] = {{1, 0}, {9, 2}};
  Point p = points[threadIdx.x];
  int best = -1;
  float best_distance = 3.4e38f;
  for (int c = 0; c < 2; ++c) {
    float dx = p.x - centres[c].x, dy = p.y - centres[c].y;
    float d = dx * dx + dy * dy;
    if (d < best_distance) {
      best_distance = d;
      best = c;
    }
  }
  label[threadIdx.x] = best;
  atomicAdd(&sum_x[best], p.x);
  atomicAdd(&sum_y[best], p.y);
  atomicAdd(&members[best], 1);
}

//! run run_lengths(i32[12], i32[5], i32[1]) block 12
//! lengths = 3 1 4 2 2
//! runs = 5
__global__ void run_lengths(int* scratch, int* lengths, int* runs) {
  const int data[12] = {7, 7, 7, 1, 4, 4, 4, 4, 9, 9, 2, 2};
  int t = threadIdx.x;
  scratch[t] = t == 0 || data[t] != data[t - 1];
  __syncthreads();
  int run = 0;
  for (int i = 0; i <= t; ++i) run += scratch[i];
  if (t < 5) lengths[t] = 0;
  __syncthreads();
  atomicAdd(&lengths[run - 1], 1);
  if (t == 11) *runs = run;
}

static void sort_on_device(std::vector<int>& data) {
  int* d = nullptr;
  cudaMalloc((void**)&d, data.size() * sizeof(int));
  for (int k = 2; k <= (int)data.size(); k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) bitonic_step<<<data.size() / 256, 256>>>(d, j, k);
  cudaFree(d);
}
int main() {
  std::vector<int> data(1 << 16);
  sort_on_device(data);
  printf("%d\n", data.front());
}
