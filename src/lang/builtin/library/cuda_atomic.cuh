// <cuda/atomic>: atomic objects and references, with memory orders as fences around the operation. Orders and
// scopes are plain integers here, so that those of std and of cuda::std are the same.

namespace cuda {
using memory_order = int;
constexpr int memory_order_relaxed = 0;
constexpr int memory_order_consume = 1;
constexpr int memory_order_acquire = 2;
constexpr int memory_order_release = 3;
constexpr int memory_order_acq_rel = 4;
constexpr int memory_order_seq_cst = 5;
using thread_scope = int;
constexpr int thread_scope_system = 0;
constexpr int thread_scope_device = 1;
constexpr int thread_scope_block = 2;
constexpr int thread_scope_thread = 3;

// From CUDA's numbers of scopes to the intrinsics'.
template <int Scope> constexpr int __scope = Scope == 0 ? 2 : Scope == 1 ? 1 : 0;
template <int Scope>
__device__ void __fence(int order) {
  if (order == memory_order_seq_cst) {
    __quern_fence(__scope<Scope>);
  } else {
    __quern_fast_fence(__scope<Scope>);
  }
}
template <int Scope>
__device__ void __fence_before(int order) {
  if (order >= memory_order_release) __fence<Scope>(order);
}
template <int Scope>
__device__ void __fence_after(int order) {
  if (order != memory_order_relaxed && order != memory_order_release) __fence<Scope>(order);
}
__device__ void atomic_thread_fence(int order, int scope = 0) {
  if (order == memory_order_relaxed) return;
  if (scope == thread_scope_system) {
    __fence<thread_scope_system>(order);
  } else if (scope == thread_scope_device) {
    __fence<thread_scope_device>(order);
  } else {
    __fence<thread_scope_block>(order);
  }
}

// The common part of atomic and atomic_ref: operations through an address.
template <class T, int Scope>
struct __atomic_ops {
  __device__ static T __load(const T* p, int order) {
    if (order == memory_order_seq_cst) __quern_fence(__scope<Scope>);
    T value = __quern_atomic_load(p, __scope<Scope>);
    __fence_after<Scope>(order);
    return value;
  }
  __device__ static void __store(T* p, T value, int order) {
    __fence_before<Scope>(order);
    __quern_atomic_store(p, value, __scope<Scope>);
    if (order == memory_order_seq_cst) __quern_fence(__scope<Scope>);
  }
  __device__ static T __exchange(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_exchange(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static bool __compare_exchange(T* p, T& expected, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_cas(p, expected, value, __scope<Scope>);
    __fence_after<Scope>(order);
    bool same = old == expected;
    expected = old;
    return same;
  }
  __device__ static T __fetch_add(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_add(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_sub(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_sub(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_min(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_min(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_max(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_max(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_and(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_and(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_or(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_or(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
  __device__ static T __fetch_xor(T* p, T value, int order) {
    __fence_before<Scope>(order);
    T old = __quern_atomic_xor(p, value, __scope<Scope>);
    __fence_after<Scope>(order);
    return old;
  }
};

template <class T, int Scope = thread_scope_system>
struct atomic {
  using value_type = T;
  T __object;
  atomic() = default;
  __device__ constexpr atomic(T value) : __object(value) {}
  __device__ bool is_lock_free() const { return true; }
  __device__ T load(int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__load(&__object, order);
  }
  __device__ void store(T value, int order = memory_order_seq_cst) {
    __atomic_ops<T, Scope>::__store(&__object, value, order);
  }
  __device__ T exchange(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__exchange(&__object, value, order);
  }
  __device__ bool compare_exchange_weak(T& expected, T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__compare_exchange(&__object, expected, value, order);
  }
  __device__ bool compare_exchange_weak(T& expected, T value, int order, int) {
    return __atomic_ops<T, Scope>::__compare_exchange(&__object, expected, value, order);
  }
  __device__ bool compare_exchange_strong(T& expected, T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__compare_exchange(&__object, expected, value, order);
  }
  __device__ bool compare_exchange_strong(T& expected, T value, int order, int) {
    return __atomic_ops<T, Scope>::__compare_exchange(&__object, expected, value, order);
  }
  __device__ T fetch_add(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_add(&__object, value, order);
  }
  __device__ T fetch_sub(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_sub(&__object, value, order);
  }
  __device__ T fetch_min(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_min(&__object, value, order);
  }
  __device__ T fetch_max(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_max(&__object, value, order);
  }
  __device__ T fetch_and(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_and(&__object, value, order);
  }
  __device__ T fetch_or(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_or(&__object, value, order);
  }
  __device__ T fetch_xor(T value, int order = memory_order_seq_cst) {
    return __atomic_ops<T, Scope>::__fetch_xor(&__object, value, order);
  }
  __device__ void wait(T old, int order = memory_order_seq_cst) const {
    while (load(order) == old) {
    }
  }
  __device__ void notify_one() {}
  __device__ void notify_all() {}
  __device__ operator T() const { return load(); }
  __device__ T operator=(T value) {
    store(value);
    return value;
  }
  __device__ T operator++() { return fetch_add(T(1)) + T(1); }
  __device__ T operator++(int) { return fetch_add(T(1)); }
  __device__ T operator--() { return fetch_sub(T(1)) - T(1); }
  __device__ T operator--(int) { return fetch_sub(T(1)); }
  __device__ T operator+=(T value) { return fetch_add(value) + value; }
  __device__ T operator-=(T value) { return fetch_sub(value) - value; }
  __device__ T operator&=(T value) { return fetch_and(value) & value; }
  __device__ T operator|=(T value) { return fetch_or(value) | value; }
  __device__ T operator^=(T value) { return fetch_xor(value) ^ value; }
};
template <class T, int Scope = thread_scope_system>
struct atomic_ref {
  using value_type = T;
  T* __object;
  __device__ explicit atomic_ref(T& object) : __object(&object) {}
  __device__ bool is_lock_free() const { return true; }
  __device__ T load(int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__load(__object, order);
  }
  __device__ void store(T value, int order = memory_order_seq_cst) const {
    __atomic_ops<T, Scope>::__store(__object, value, order);
  }
  __device__ T exchange(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__exchange(__object, value, order);
  }
  __device__ bool compare_exchange_weak(T& expected, T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__compare_exchange(__object, expected, value, order);
  }
  __device__ bool compare_exchange_weak(T& expected, T value, int order, int) const {
    return __atomic_ops<T, Scope>::__compare_exchange(__object, expected, value, order);
  }
  __device__ bool compare_exchange_strong(T& expected, T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__compare_exchange(__object, expected, value, order);
  }
  __device__ bool compare_exchange_strong(T& expected, T value, int order, int) const {
    return __atomic_ops<T, Scope>::__compare_exchange(__object, expected, value, order);
  }
  __device__ T fetch_add(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_add(__object, value, order);
  }
  __device__ T fetch_sub(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_sub(__object, value, order);
  }
  __device__ T fetch_min(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_min(__object, value, order);
  }
  __device__ T fetch_max(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_max(__object, value, order);
  }
  __device__ T fetch_and(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_and(__object, value, order);
  }
  __device__ T fetch_or(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_or(__object, value, order);
  }
  __device__ T fetch_xor(T value, int order = memory_order_seq_cst) const {
    return __atomic_ops<T, Scope>::__fetch_xor(__object, value, order);
  }
  __device__ void wait(T old, int order = memory_order_seq_cst) const {
    while (load(order) == old) {
    }
  }
  __device__ void notify_one() const {}
  __device__ void notify_all() const {}
  __device__ operator T() const { return load(); }
  __device__ T operator=(T value) const {
    store(value);
    return value;
  }
  __device__ T operator++() const { return fetch_add(T(1)) + T(1); }
  __device__ T operator++(int) const { return fetch_add(T(1)); }
  __device__ T operator--() const { return fetch_sub(T(1)) - T(1); }
  __device__ T operator--(int) const { return fetch_sub(T(1)); }
  __device__ T operator+=(T value) const { return fetch_add(value) + value; }
  __device__ T operator-=(T value) const { return fetch_sub(value) - value; }
  __device__ T operator&=(T value) const { return fetch_and(value) & value; }
  __device__ T operator|=(T value) const { return fetch_or(value) | value; }
  __device__ T operator^=(T value) const { return fetch_xor(value) ^ value; }
};
}  // namespace cuda

namespace std {
using memory_order = int;
constexpr int memory_order_relaxed = 0;
constexpr int memory_order_consume = 1;
constexpr int memory_order_acquire = 2;
constexpr int memory_order_release = 3;
constexpr int memory_order_acq_rel = 4;
constexpr int memory_order_seq_cst = 5;

template <class T>
struct atomic : cuda::atomic<T, 0> {
  atomic() = default;
  __device__ constexpr atomic(T value) : cuda::atomic<T, 0>(value) {}
  __device__ T operator=(T value) {
    this->store(value);
    return value;
  }
};
template <class T>
struct atomic_ref : cuda::atomic_ref<T, 0> {
  __device__ atomic_ref(T& object) : cuda::atomic_ref<T, 0>(object) {}
};
__device__ void atomic_thread_fence(int order) { cuda::atomic_thread_fence(order, 0); }
__device__ void atomic_signal_fence(int) {}
}  // namespace std
