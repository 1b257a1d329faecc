// <cuda/barrier>, <cuda/latch>. In shared memory of a target with barrier objects they use those; otherwise
// arrivals are counted by atomics, and waiting polls the number of the phase.

namespace cuda {
struct __no_completion {
  __device__ void operator()() const {}
};

// The number of a phase (12 bits) above the arrivals that it still expects, and the number of arrivals per
// phase.
template <int Scope>
struct __align__(8) __arrivals {
  static constexpr unsigned __count_bits = 20;
  static constexpr unsigned __count_mask = (1u << __count_bits) - 1;
  unsigned __word, __expected;

  __device__ void __begin(unsigned expected) {
    __word = expected;
    __expected = expected;
  }
  // Whether these were the last arrivals of their phase, which is completed by __next.
  __device__ bool __count_down(unsigned count, unsigned& phase) {
    __quern_fast_fence(__scope<Scope>);
    unsigned before = __quern_atomic_sub(&__word, count, __scope<Scope>);
    __quern_fast_fence(__scope<Scope>);
    phase = before >> __count_bits;
    return (before & __count_mask) == count;
  }
  __device__ void __next(unsigned phase) {
    unsigned next = phase + 1 << __count_bits | __quern_atomic_load(&__expected, __scope<Scope>);
    __quern_fast_fence(__scope<Scope>);
    __quern_atomic_exchange(&__word, next, __scope<Scope>);
  }
  __device__ void __expect_one_less() { __quern_atomic_sub(&__expected, 1u, __scope<Scope>); }
  __device__ unsigned __phase() const {
    unsigned now = __quern_atomic_load(&__word, __scope<Scope>) >> __count_bits;
    __quern_fast_fence(__scope<Scope>);
    return now;
  }
};

// Eight bytes, as in CUDA: a barrier object, or counted arrivals.
template <int Scope>
struct __align__(8) __barrier_state {
  __arrivals<Scope> __counted;

  __device__ bool __is_object() const {
    return Scope == 2 && __quern_barrier_form() == 1u && __quern_is_shared(this);
  }
  __device__ void __start(unsigned expected) {
    if (__is_object()) {
      __quern_barrier_init(this, expected);
    } else {
      __counted.__begin(expected);
    }
  }
  __device__ unsigned long long __arrive(unsigned count) {
    if (__is_object()) return __quern_barrier_arrive(this, count);
    unsigned phase;
    if (__counted.__count_down(count, phase)) __counted.__next(phase);
    return phase;
  }
  // Whether the phase of a token, or the last one of that parity, has completed.
  __device__ bool __is_over(unsigned long long token) const {
    if (__is_object()) return __quern_barrier_passed(this, token);
    return int(__counted.__phase() - unsigned(token) << __arrivals<Scope>::__count_bits) > 0;
  }
  __device__ bool __is_parity_over(unsigned parity) const {
    return __is_object() ? __quern_barrier_parity(this, parity) : (__counted.__phase() & 1u) != parity;
  }
  __device__ void __wait(unsigned long long token) const {
    while (!__is_over(token)) __quern_nanosleep(20u);
  }
  __device__ void __wait_parity(unsigned parity) const {
    while (!__is_parity_over(parity)) __quern_nanosleep(20u);
  }
  __device__ void __drop() {
    if (__is_object()) {
      __quern_barrier_drop(this);
    } else {
      __counted.__expect_one_less();
      __arrive(1u);
    }
  }
};

// With a completion function, which the last thread to arrive calls. A barrier object does not report which
// one that was: arrivals are counted, and all wait at a gate that the last one opens. If there are barrier
// objects, all arrive at one first, where the last one finds them.
template <int Scope, class Completion = __no_completion>
struct barrier {
  struct arrival_token {
    unsigned __phase;
  };
  __arrivals<Scope> __counted;
  __barrier_state<Scope> __gate, __met;
  Completion __completion;

  barrier() = default;
  __device__ explicit barrier(long expected, Completion completion = Completion())
      : __completion(completion) {
    __start(unsigned(expected));
  }
  barrier(const barrier&) = delete;
  __device__ void __start(unsigned expected) {
    __counted.__begin(expected);
    __gate.__start(1u);
    if (__met.__is_object()) __met.__start(expected);
  }
  __device__ bool __is_object() const { return false; }

  __device__ static constexpr long max() { return __arrivals<Scope>::__count_mask; }
  __device__ arrival_token arrive(long count = 1) {
    if (__met.__is_object()) __met.__arrive(unsigned(count));
    return __come(unsigned(count));
  }
  __device__ arrival_token __come(unsigned count) {
    unsigned phase;
    if (__counted.__count_down(count, phase)) {
      if (__met.__is_object()) __met.__wait_parity(phase & 1u);
      __completion();
      __counted.__next(phase);
      __gate.__arrive(1u);
    }
    return arrival_token{phase};
  }
  __device__ bool try_wait(arrival_token token) const { return try_wait_parity(token.__phase & 1u); }
  __device__ bool try_wait_parity(bool parity) const { return __gate.__is_parity_over(parity); }
  __device__ void wait(arrival_token token) const { wait_parity(token.__phase & 1u); }
  __device__ void wait_parity(bool parity) const { __gate.__wait_parity(parity); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() {
    if (__met.__is_object()) __met.__drop();
    __counted.__expect_one_less();
    __come(1u);
  }
};

template <int Scope>
struct barrier<Scope, __no_completion> : __barrier_state<Scope> {
  struct arrival_token {
    unsigned long long __state;
  };

  barrier() = default;
  __device__ explicit barrier(long expected, __no_completion = __no_completion()) {
    this->__start(unsigned(expected));
  }
  barrier(const barrier&) = delete;

  __device__ static constexpr long max() { return __arrivals<Scope>::__count_mask; }
  __device__ arrival_token arrive(long count = 1) { return arrival_token{this->__arrive(unsigned(count))}; }
  __device__ bool try_wait(arrival_token token) const { return this->__is_over(token.__state); }
  __device__ bool try_wait_parity(bool parity) const { return this->__is_parity_over(parity); }
  __device__ void wait(arrival_token token) const { this->__wait(token.__state); }
  __device__ void wait_parity(bool parity) const { this->__wait_parity(parity); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() { this->__drop(); }
};

template <int Scope>
__device__ void init(barrier<Scope, __no_completion>* b, long expected, __no_completion = __no_completion()) {
  b->__start(unsigned(expected));
}
template <int Scope, class Completion>
__device__ void init(barrier<Scope, Completion>* b, long expected, Completion completion = Completion()) {
  b->__start(unsigned(expected));
  b->__completion = completion;
}

// A barrier's first phase. One with no expected arrivals is a completed phase.
template <int Scope>
struct latch : __barrier_state<Scope> {
  latch() = default;
  __device__ explicit latch(long expected) { __begin(expected); }
  latch(const latch&) = delete;
  __device__ static constexpr long max() { return __arrivals<Scope>::__count_mask; }
  __device__ void __begin(long expected) {
    this->__start(expected == 0 ? 1u : unsigned(expected));
    if (expected == 0) count_down();
  }
  __device__ void count_down(long n = 1) { this->__arrive(unsigned(n)); }
  __device__ bool try_wait() const { return this->__is_parity_over(0u); }
  __device__ void wait() const { this->__wait_parity(0u); }
  __device__ void arrive_and_wait(long n = 1) {
    count_down(n);
    wait();
  }
};
template <int Scope>
__device__ void init(latch<Scope>* l, long expected) { l->__begin(expected); }
}  // namespace cuda
