// <cuda/barrier>: arrivals counted by atomics; waiting polls the number of the phase.

namespace cuda {
struct __no_completion {
  __device__ void operator()() const {}
};

template <int Scope, class Completion = __no_completion>
struct barrier {
  struct arrival_token {
    unsigned __phase;
  };
  unsigned __expected, __pending, __phase;
  Completion __completion;

  barrier() = default;
  __device__ explicit barrier(long expected, Completion completion = Completion())
      : __expected(expected), __pending(expected), __phase(0), __completion(completion) {}
  barrier(const barrier&) = delete;

  __device__ static constexpr long max() { return 0x7fffffff; }
  __device__ arrival_token arrive(long count = 1) {
    unsigned phase = __quern_atomic_load(&__phase, __scope<Scope>);
    __quern_fence(__scope<Scope>);
    unsigned before = __quern_atomic_sub(&__pending, unsigned(count), __scope<Scope>);
    if (before == unsigned(count)) {
      __quern_fence(__scope<Scope>);
      __completion();
      __quern_atomic_store(&__pending, __quern_atomic_load(&__expected, __scope<Scope>), __scope<Scope>);
      __quern_fence(__scope<Scope>);
      __quern_atomic_store(&__phase, phase + 1, __scope<Scope>);
    }
    return arrival_token{phase};
  }
  // Whether the phase of that number is over.
  __device__ bool __is_over(unsigned phase) const {
    bool over = int(__quern_atomic_load(&__phase, __scope<Scope>) - phase) > 0;
    __quern_fence(__scope<Scope>);
    return over;
  }
  __device__ void __wait_for(unsigned phase) const {
    while (!__is_over(phase)) __quern_nanosleep(20u);
  }
  __device__ void wait(arrival_token token) const { __wait_for(token.__phase); }
  __device__ void wait_parity(bool parity) const {
    while ((__quern_atomic_load(&__phase, __scope<Scope>) & 1) == unsigned(parity)) __quern_nanosleep(20u);
    __quern_fence(__scope<Scope>);
  }
  __device__ bool try_wait(arrival_token token) const { return __is_over(token.__phase); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() {
    __quern_atomic_sub(&__expected, 1u, __scope<Scope>);
    arrive();
  }
};
template <int Scope, class Completion>
__device__ void init(barrier<Scope, Completion>* b, long expected, Completion completion = Completion()) {
  b->__expected = expected;
  b->__pending = expected;
  b->__phase = 0;
  b->__completion = completion;
}

// <cuda/latch>
template <int Scope>
struct latch {
  unsigned __count;
  latch() = default;
  __device__ explicit latch(long expected) : __count(expected) {}
  latch(const latch&) = delete;
  __device__ void count_down(long n = 1) {
    __quern_fence(__scope<Scope>);
    __quern_atomic_sub(&__count, unsigned(n), __scope<Scope>);
  }
  __device__ bool try_wait() const {
    bool done = __quern_atomic_load(&__count, __scope<Scope>) == 0;
    __quern_fence(__scope<Scope>);
    return done;
  }
  __device__ void wait() const {
    while (!try_wait()) __quern_nanosleep(20u);
  }
  __device__ void arrive_and_wait(long n = 1) {
    count_down(n);
    wait();
  }
};
template <int Scope>
__device__ void init(latch<Scope>* l, long expected) { l->__count = expected; }
}  // namespace cuda
