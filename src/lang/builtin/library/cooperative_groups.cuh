// <cooperative_groups.h>: the block, the grid, and groups of threads given by a mask.

namespace cooperative_groups {

// Threads of the block in their linear order.
__device__ unsigned __block_rank() {
  return (__quern_thread_id(2) * __quern_block_dim(1) + __quern_thread_id(1)) * __quern_block_dim(0) +
         __quern_thread_id(0);
}
__device__ unsigned __block_size() {
  return __quern_block_dim(0) * __quern_block_dim(1) * __quern_block_dim(2);
}

// Any group. A mask of 0 is the whole block.
struct thread_group {
  unsigned __mask;
  __device__ explicit thread_group(unsigned mask) : __mask(mask) {}
  __device__ unsigned long long size() const {
    return __mask == 0 ? __block_size() : unsigned(__quern_popc(__mask));
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    return __mask == 0 ? __block_rank() : unsigned(__quern_popc(__mask & ((1u << __quern_lane_id()) - 1)));
  }
  __device__ void sync() const {
    if (__mask == 0) {
      __quern_barrier();
    } else {
      __quern_warp_barrier(__mask);
    }
  }
  __device__ bool is_valid() const { return true; }
};

struct thread_block : thread_group {
  struct arrival_token {};
  __device__ thread_block() : thread_group(0) {}
  __device__ static void sync() { __quern_barrier(); }
  __device__ arrival_token barrier_arrive() const { return arrival_token(); }
  __device__ void barrier_wait(arrival_token) const { __quern_barrier(); }
  __device__ static unsigned size() { return __block_size(); }
  __device__ static unsigned num_threads() { return __block_size(); }
  __device__ static unsigned thread_rank() { return __block_rank(); }
  __device__ static dim3 group_index() {
    return dim3(__quern_block_id(0), __quern_block_id(1), __quern_block_id(2));
  }
  __device__ static dim3 thread_index() {
    return dim3(__quern_thread_id(0), __quern_thread_id(1), __quern_thread_id(2));
  }
  __device__ static dim3 group_dim() {
    return dim3(__quern_block_dim(0), __quern_block_dim(1), __quern_block_dim(2));
  }
  __device__ static dim3 dim_threads() { return group_dim(); }
};
__device__ thread_block this_thread_block() { return thread_block(); }

// Scratch memory that CUDA requires for large tiles; it is not needed here.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory { char __unused; };
template <unsigned MaxBlockSize>
__device__ thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) { return thread_block(); }

struct grid_group {
  struct arrival_token {};
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const { __quern_grid_barrier(); }
  __device__ arrival_token barrier_arrive() const { return arrival_token(); }
  __device__ void barrier_wait(arrival_token) const { __quern_grid_barrier(); }
  __device__ static unsigned long long num_blocks() {
    return (unsigned long long)__quern_grid_dim(0) * __quern_grid_dim(1) * __quern_grid_dim(2);
  }
  __device__ static unsigned long long block_rank() {
    unsigned long long plane = __quern_block_id(2);
    unsigned long long row = plane * __quern_grid_dim(1) + __quern_block_id(1);
    return row * __quern_grid_dim(0) + __quern_block_id(0);
  }
  __device__ static unsigned long long num_threads() { return num_blocks() * __block_size(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * __block_size() + __block_rank();
  }
  __device__ static dim3 group_dim() {
    return dim3(__quern_grid_dim(0), __quern_grid_dim(1), __quern_grid_dim(2));
  }
  __device__ static dim3 dim_blocks() { return group_dim(); }
  __device__ static dim3 block_index() { return thread_block::group_index(); }
  __device__ static dim3 thread_index() {
    return dim3(__quern_block_id(0) * __quern_block_dim(0) + __quern_thread_id(0),
                __quern_block_id(1) * __quern_block_dim(1) + __quern_thread_id(1),
                __quern_block_id(2) * __quern_block_dim(2) + __quern_thread_id(2));
  }
  __device__ static dim3 dim_threads() {
    return dim3(__quern_grid_dim(0) * __quern_block_dim(0), __quern_grid_dim(1) * __quern_block_dim(1),
                __quern_grid_dim(2) * __quern_block_dim(2));
  }
};
__device__ grid_group this_grid() { return grid_group(); }

// Adjacent blocks that run concurrently and can access each other's shared memory.
struct cluster_group {
  struct arrival_token {};
  __device__ static void sync() { __quern_cluster_barrier(); }
  __device__ static arrival_token barrier_arrive() { return arrival_token(); }
  __device__ static void barrier_wait(arrival_token = arrival_token()) { __quern_cluster_barrier(); }
  __device__ static dim3 dim_blocks() {
    return dim3(__quern_cluster_dim(0), __quern_cluster_dim(1), __quern_cluster_dim(2));
  }
  __device__ static dim3 block_index() {
    return dim3(__quern_block_id(0) % __quern_cluster_dim(0), __quern_block_id(1) % __quern_cluster_dim(1),
                __quern_block_id(2) % __quern_cluster_dim(2));
  }
  __device__ static unsigned num_blocks() {
    return __quern_cluster_dim(0) * __quern_cluster_dim(1) * __quern_cluster_dim(2);
  }
  __device__ static unsigned block_rank() {
    dim3 at = block_index();
    return (at.z * __quern_cluster_dim(1) + at.y) * __quern_cluster_dim(0) + at.x;
  }
  __device__ static dim3 dim_threads() {
    return dim3(__quern_cluster_dim(0) * __quern_block_dim(0), __quern_cluster_dim(1) * __quern_block_dim(1),
                __quern_cluster_dim(2) * __quern_block_dim(2));
  }
  __device__ static dim3 thread_index() {
    dim3 at = block_index();
    return dim3(at.x * __quern_block_dim(0) + __quern_thread_id(0),
                at.y * __quern_block_dim(1) + __quern_thread_id(1),
                at.z * __quern_block_dim(2) + __quern_thread_id(2));
  }
  __device__ static unsigned num_threads() { return num_blocks() * __block_size(); }
  __device__ static unsigned size() { return num_threads(); }
  __device__ static unsigned thread_rank() { return block_rank() * __block_size() + __block_rank(); }
  // The same variable in the shared memory of another block.
  template <class T>
  __device__ static T* map_shared_rank(T* at, int rank) {
    return (T*)__quern_map_shared(at, rank);
  }
};
__device__ cluster_group this_cluster() { return cluster_group(); }

// Shuffles of any type: numbers directly, other types as 32-bit words. Kind: 0 index, 1 up, 2 down, 3 xor.
template <int Kind, class T>
__device__ T __shuffle_number(unsigned mask, T v, unsigned at, unsigned width) {
  if constexpr (Kind == 0) {
    return __quern_shuffle_index(mask, v, at, width);
  } else if constexpr (Kind == 1) {
    return __quern_shuffle_up(mask, v, at, width);
  } else if constexpr (Kind == 2) {
    return __quern_shuffle_down(mask, v, at, width);
  } else {
    return __quern_shuffle_xor(mask, v, at, width);
  }
}
template <int Kind, class T>
__device__ T __shuffle(unsigned mask, T v, unsigned at, unsigned width) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    return __shuffle_number<Kind>(mask, v, at, width);
  } else if constexpr (std::is_integral_v<T>) {
    return T(__shuffle_number<Kind>(mask, int(v), at, width));
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>((unsigned short)__shuffle_number<Kind>(
        mask, unsigned(std::bit_cast<unsigned short>(v)), at, width));
  } else {
    unsigned words[(sizeof(T) + 3) / 4];
    words[(sizeof(T) + 3) / 4 - 1] = 0;
    __quern_mem_copy(words, &v, sizeof(T));
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; ++i) {
      words[i] = __shuffle_number<Kind>(mask, words[i], at, width);
    }
    __quern_mem_copy(&v, words, sizeof(T));
    return v;
  }
}

// The lane of the n-th thread of a mask, from 0; lanes of a mask as bits of ranks.
__device__ unsigned __nth_lane(unsigned mask, unsigned n) {
  for (; n > 0; --n) mask &= mask - 1;
  return unsigned(__quern_ctz(mask));
}
__device__ unsigned __pack_lanes(unsigned mask, unsigned lanes) {
  unsigned packed = 0;
  unsigned bit = 1;
  for (; mask != 0; mask &= mask - 1) {
    if ((lanes & mask & (~mask + 1)) != 0) packed |= bit;
    bit <<= 1;
  }
  return packed;
}

// The threads of a warp that arrived here together, or a part of them.
struct coalesced_group : thread_group {
  unsigned __part, __parts;
  __device__ explicit coalesced_group(unsigned mask, unsigned part = 0, unsigned parts = 1)
      : thread_group(mask), __part(part), __parts(parts) {}
  __device__ unsigned size() const { return unsigned(__quern_popc(__mask)); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return unsigned(__quern_popc(__mask & ((1u << __quern_lane_id()) - 1)));
  }
  __device__ unsigned meta_group_rank() const { return __part; }
  __device__ unsigned meta_group_size() const { return __parts; }
  __device__ void sync() const { __quern_warp_barrier(__mask); }
  template <class T>
  __device__ T shfl(T v, unsigned rank) const {
    return __shuffle<0>(__mask, v, __mask == 0xffffffffu ? rank : __nth_lane(__mask, rank % size()), 32);
  }
  template <class T>
  __device__ T shfl_up(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    return shfl(v, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  __device__ T shfl_down(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    return shfl(v, rank + delta < size() ? rank + delta : rank);
  }
  __device__ int any(int predicate) const { return __quern_vote_any(__mask, predicate != 0); }
  __device__ int all(int predicate) const { return __quern_vote_all(__mask, predicate != 0); }
  __device__ unsigned ballot(int predicate) const {
    return __pack_lanes(__mask, __quern_ballot(__mask, predicate != 0));
  }
  template <class T>
  __device__ unsigned match_any(T v) const { return __pack_lanes(__mask, __match_any_sync(__mask, v)); }
  template <class T>
  __device__ unsigned match_all(T v, int& all) const {
    return __pack_lanes(__mask, __match_all_sync(__mask, v, &all));
  }
};
__device__ coalesced_group coalesced_threads() { return coalesced_group(__quern_active_mask()); }

// Sizes chosen at run time: a power of two up to 32.
__device__ coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  unsigned part = parent.thread_rank() / size;
  unsigned left = parent.__mask;
  for (unsigned i = part * size; i > 0; --i) left &= left - 1;
  unsigned mask = 0;
  for (unsigned i = 0; i < size && left != 0; ++i) {
    mask |= left & (~left + 1);
    left &= left - 1;
  }
  return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}
__device__ thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.__mask != 0) return tiled_partition(coalesced_group(parent.__mask), size);
  if (size >= __block_size()) return thread_group(0);
  unsigned lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1;
  unsigned first = __quern_lane_id() / size * size;
  unsigned mask = lanes << first;
  unsigned left = __block_size() - __block_rank() / 32 * 32;
  return thread_group(left < 32 ? mask & ((1u << left) - 1) : mask);
}
}  // namespace cooperative_groups
