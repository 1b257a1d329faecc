// <cuda/semaphore>: a count of what is free. Acquiring waits until it is above 0.

namespace cuda {
template <int Scope, long Most = 0x7fffffff>
struct counting_semaphore {
  int __count;

  counting_semaphore() = default;
  __device__ constexpr explicit counting_semaphore(long free) : __count(int(free)) {}
  counting_semaphore(const counting_semaphore&) = delete;
  __device__ static constexpr long max() { return Most; }
  __device__ void release(long n = 1) {
    __quern_fast_fence(__scope<Scope>);
    __quern_atomic_add(&__count, int(n), __scope<Scope>);
  }
  __device__ bool try_acquire() {
    int free = __quern_atomic_load(&__count, __scope<Scope>);
    while (free > 0) {
      const int before = __quern_atomic_cas(&__count, free, free - 1, __scope<Scope>);
      if (before == free) {
        __quern_fast_fence(__scope<Scope>);
        return true;
      }
      free = before;
    }
    return false;
  }
  __device__ void acquire() {
    while (!try_acquire()) __quern_nanosleep(20u);
  }
};
template <int Scope> using binary_semaphore = counting_semaphore<Scope, 1>;
template <int Scope, long Most>
__device__ void init(counting_semaphore<Scope, Most>* s, long free) { s->__count = int(free); }
}  // namespace cuda

namespace std {
template <long Most = 0x7fffffff>
struct counting_semaphore : cuda::counting_semaphore<0, Most> {
  counting_semaphore() = default;
  __device__ constexpr explicit counting_semaphore(long free) : cuda::counting_semaphore<0, Most>(free) {}
};
using binary_semaphore = counting_semaphore<1>;
template <class Completion = cuda::__no_completion> using barrier = cuda::barrier<0, Completion>;
using latch = cuda::latch<0>;
}  // namespace std
