// Launches from kernels, the streams of kernels and the errors of CUDA's device runtime. The records of
// launches are variables of the module (lang/ir/launch_record.hpp describes them). The compiler replaces
// QUERN_PENDING_LAUNCHES by the limit.

// The stream of a launch. 1: tail launch, 2: fire and forget, 0: any other, which is the stream of the block.
struct __lib_stream {
  unsigned kind;
  __device__ constexpr __lib_stream(unsigned k) : kind(k) {}
  __device__ constexpr __lib_stream(int) : kind(0) {}
  __device__ constexpr __lib_stream(std::nullptr_t) : kind(0) {}
  __device__ constexpr __lib_stream(cudaStream_t) : kind(0) {}
};
constexpr __lib_stream cudaStreamTailLaunch(1u);
constexpr __lib_stream cudaStreamFireAndForget(2u);
constexpr unsigned cudaStreamDefault = 0;
constexpr unsigned cudaStreamNonBlocking = 1;

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchPendingCountExceeded = 69,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999
};

__device__ unsigned __lib_launch_head[4];
__device__ __align__(16) unsigned __lib_launch_queue[QUERN_PENDING_LAUNCHES * 48];

// A named stream is the stream of the block.
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
__device__ cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

// The launches of the grid so far, also those of other threads.
__device__ cudaError_t cudaPeekAtLastError() {
  const unsigned count = atomicAnd(&__lib_launch_head[0], ~0u), units = atomicAnd(&__lib_launch_head[1], ~0u);
  const bool fits = count <= QUERN_PENDING_LAUNCHES && units <= QUERN_PENDING_LAUNCHES * 12;
  return fits ? cudaSuccess : cudaErrorLaunchPendingCountExceeded;
}
__device__ cudaError_t cudaGetLastError() { return cudaPeekAtLastError(); }

// To the simulator, 32: a size of the grid or block is 0, 33: the block has too many threads, 34: the grid
// is too large, 35: too much shared memory, 36: too many pending launches.
__device__ void __lib_launch_check(dim3 grid, dim3 block, unsigned long shared) {
  const unsigned long threads = (unsigned long)block.x * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0) {
    __quern_check_error(32u, 0u, 0u);
  } else if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024) {
    __quern_check_error(33u, unsigned(threads), 0u);
  } else if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) {
    __quern_check_error(34u, grid.y, grid.z);
  } else if (shared > 49152) {
    __quern_check_error(35u, unsigned(shared), 0u);
  }
}

// The first unit of a new record; ~0: there is no room, which the runtime finds in the counts.
__device__ unsigned __lib_launch_begin(unsigned kernel, unsigned line, unsigned units, dim3 grid, dim3 block,
                                       unsigned long shared, __lib_stream stream) {
  if (__quern_check_form() == 1u) __lib_launch_check(grid, block, shared);
  const unsigned count = atomicAdd(&__lib_launch_head[0], 1u);
  unsigned unit = ~0u;
  if (count < QUERN_PENDING_LAUNCHES) unit = atomicAdd(&__lib_launch_head[1], units);
  if (unit > QUERN_PENDING_LAUNCHES * 12 - units) {
    if (__quern_check_form() == 1u) __quern_check_error(36u, count + 1u, QUERN_PENDING_LAUNCHES);
    return ~0u;
  }
  unsigned* record = __lib_launch_queue + unit * 4;
  record[0] = kernel;
  record[1] = grid.x;
  record[2] = grid.y;
  record[3] = grid.z;
  record[4] = block.x;
  record[5] = block.y;
  record[6] = block.z;
  record[7] = shared > 4294967295ul ? ~0u : unsigned(shared);
  record[8] = stream.kind;
  record[9] = units;
  record[10] = line;
  return unit;
}

// Where an argument of this type begins that may begin at byte `at`, and the bytes of all of them.
template <class T> __device__ constexpr unsigned __lib_launch_place(unsigned at) {
  constexpr unsigned align = alignof(T) < 4 ? 4 : alignof(T);
  return (at + align - 1) / align * align;
}
template <unsigned At> __device__ constexpr unsigned __lib_launch_bytes() {
  return At;
}
template <unsigned At, class T, class... Rest> __device__ constexpr unsigned __lib_launch_bytes() {
  return __lib_launch_bytes<__lib_launch_place<T>(At) + sizeof(T), Rest...>();
}

template <unsigned At, class T, class... Rest>
__device__ void __lib_launch_put(unsigned unit, T value, Rest... rest) {
  constexpr unsigned place = __lib_launch_place<T>(At);
  new ((T*)(__lib_launch_queue + (unit * 4 + place / 4))) T(value);
  if constexpr (sizeof...(Rest) != 0) __lib_launch_put<place + sizeof(T), Rest...>(unit, rest...);
}

// kernel<<<grid, block, shared, stream>>>(args…): the compiler calls this.
template <class... P>
__device__ void __lib_launch(unsigned kernel, unsigned line, dim3 grid, dim3 block, unsigned long shared,
                             __lib_stream stream, P... args) {
  constexpr unsigned units = (__lib_launch_bytes<48u, P...>() + 15) / 16;
  const unsigned unit = __lib_launch_begin(kernel, line, units, grid, block, shared, stream);
  if (unit == ~0u) return;
  if constexpr (sizeof...(P) != 0) __lib_launch_put<48u, P...>(unit, args...);
}
