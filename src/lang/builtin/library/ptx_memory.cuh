// Inline PTX: memory, asynchronous copies and barriers. An address is a pointer, or a 32-bit address of
// shared memory. On NVIDIA devices these instructions are kept as they are.

struct __ptx_shared {
  unsigned at;
};
struct __ptx_sink {};
template <class V> __device__ void __ptx_put(__ptx_sink&, V) {}

template <class T, class X> __device__ T __ptx_native_in(X x) {
  if constexpr (std::is_same_v<T, X>) {
    return x;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(x);
  } else {
    return __ptx_bits<T>(x);
  }
}
template <class X> __device__ auto __ptx_native_wide(X x) {
  if constexpr (std::is_pointer_v<X>) {
    return x;
  } else {
    return __ptx_bits<unsigned long>(x);
  }
}
template <class X, class T> __device__ void __ptx_native_out(X& to, T v) {
  if constexpr (std::is_integral_v<X> || std::is_enum_v<X> || std::is_pointer_v<X>) {
    to = (X)v;
  } else {
    to = std::bit_cast<X>(v);
  }
}

// Operands of instructions that the simulator executes: 64-bit numbers, and pointers.
template <class X> __device__ auto __ptx_simulated(X x) {
  if constexpr (std::is_pointer_v<X>) {
    return (const char*)x;
  } else if constexpr (std::is_class_v<X>) {
    return (unsigned long)x.bits;
  } else {
    return (unsigned long)x;
  }
}
template <class X> __device__ auto __ptx_simulated_at(X base, long offset) {
  if constexpr (std::is_integral_v<X> && sizeof(X) == 4) {
    return (unsigned long)(unsigned(base) + unsigned(offset));
  } else {
    return __ptx_simulated(base) + offset;
  }
}
__device__ unsigned __ptx_cluster_rank() {
  return (__quern_block_id(2) % __quern_cluster_dim(2) * __quern_cluster_dim(1) +
          __quern_block_id(1) % __quern_cluster_dim(1)) *
             __quern_cluster_dim(0) +
         __quern_block_id(0) % __quern_cluster_dim(0);
}
__device__ unsigned __ptx_cluster_blocks() {
  return __quern_cluster_dim(0) * __quern_cluster_dim(1) * __quern_cluster_dim(2);
}

template <class X> __device__ __ptx_shared __ptx_shared_at(X x, long offset) {
  return __ptx_shared{unsigned(x) + unsigned(offset)};
}
__device__ __ptx_shared __ptx_shared_at(__ptx_r32 x, long offset) {
  return __ptx_shared{x.bits + unsigned(offset)};
}
__device__ __ptx_shared __ptx_shared_at(__ptx_r64 x, long offset) {
  return __ptx_shared{unsigned(x.bits) + unsigned(offset)};
}
template <unsigned Align> __device__ char* __ptx_pointer(__ptx_shared s) {
  return __quern_shared_pointer(s.at, Align);
}
template <unsigned Align> __device__ char* __ptx_pointer(const char* p) { return (char*)p; }

template <class T> __device__ std::remove_cv_t<T> __ptx_load(__ptx_shared s, int i) {
  return *(const T*)__ptx_pointer<sizeof(T)>(__ptx_shared{s.at + unsigned(i * sizeof(T))});
}
template <class T> __device__ void __ptx_store(__ptx_shared s, int i, std::remove_cv_t<T> v) {
  *(T*)__ptx_pointer<sizeof(T)>(__ptx_shared{s.at + unsigned(i * sizeof(T))}) = v;
}
template <class T, class P> __device__ T __ptx_load_strong(P at, int i) {
  return __quern_atomic_load((T*)__ptx_pointer<sizeof(T)>(at) + i, 1);
}
template <class T, class P> __device__ void __ptx_store_strong(P at, int i, T v) {
  __quern_atomic_store((T*)__ptx_pointer<sizeof(T)>(at) + i, v, 1);
}

template <class T, class A> __device__ T __ptx_cvta_to_shared(A a) {
  if constexpr (std::is_pointer_v<A>) {
    return __quern_shared_address(a);
  } else {
    return __quern_shared_address((const char*)__ptx_get<unsigned long>(a));
  }
}
template <class T, class A> __device__ T __ptx_cvta_to_global(A a) {
  if constexpr (std::is_pointer_v<A>) {
    return T(a);
  } else {
    return __ptx_get<T>(a);
  }
}

template <class T, class P> __device__ T* __ptx_of(P at) { return (T*)__ptx_pointer<sizeof(T)>(at); }
template <class T, class P, class A> __device__ T __ptx_atom_add(P at, A a) {
  return atomicAdd(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_min(P at, A a) {
  return atomicMin(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_max(P at, A a) {
  return atomicMax(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_and(P at, A a) {
  return atomicAnd(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_or(P at, A a) {
  return atomicOr(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_xor(P at, A a) {
  return atomicXor(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_inc(P at, A a) {
  return atomicInc(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_dec(P at, A a) {
  return atomicDec(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A> __device__ T __ptx_atom_exch(P at, A a) {
  return atomicExch(__ptx_of<T>(at), __ptx_get<T>(a));
}
template <class T, class P, class A, class B> __device__ T __ptx_atom_cas(P at, A a, B b) {
  return atomicCAS(__ptx_of<T>(at), __ptx_get<T>(a), __ptx_get<T>(b));
}
template <class T, class P, class A> __device__ void __ptx_red_add(P at, A a) { __ptx_atom_add<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_min(P at, A a) { __ptx_atom_min<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_max(P at, A a) { __ptx_atom_max<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_and(P at, A a) { __ptx_atom_and<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_or(P at, A a) { __ptx_atom_or<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_xor(P at, A a) { __ptx_atom_xor<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_inc(P at, A a) { __ptx_atom_inc<T>(at, a); }
template <class T, class P, class A> __device__ void __ptx_red_dec(P at, A a) { __ptx_atom_dec<T>(at, a); }

// Copies to shared memory. The simulator delays them until they are waited for.
__device__ void __ptx_copy_words(__ptx_shared to, const char* from, unsigned bytes, unsigned read) {
  for (unsigned i = 0; i < bytes; i += 4) {
    unsigned word = 0;
    if (i + 4 <= read) {
      word = *(const unsigned*)(from + i);
    } else {
      for (unsigned k = i; k < read; ++k) word |= unsigned(*(const unsigned char*)(from + k)) << 8 * (k - i);
    }
    *(unsigned*)__ptx_pointer<4>(__ptx_shared{to.at + i}) = word;
  }
}
template <class N, class R>
__device__ void __ptx_cp_async(__ptx_shared to, const char* from, N size, R read) {
  const unsigned bytes = __ptx_get<unsigned>(size), some = __ptx_get<unsigned>(read);
  if (__quern_ptx_form() == 2u) {
    if (bytes == 16) {
      __quern_async_copy(__ptx_pointer<16>(to), from, some, 16);
    } else if (bytes == 8) {
      __quern_async_copy(__ptx_pointer<8>(to), from, some, 8);
    } else {
      __quern_async_copy(__ptx_pointer<4>(to), from, some, 4);
    }
  } else {
    __ptx_copy_words(to, from, bytes, some);
  }
}
template <class N> __device__ void __ptx_cp_async(__ptx_shared to, const char* from, N size) {
  __ptx_cp_async(to, from, size, size);
}
__device__ void __ptx_cp_async_commit_group() {
  if (__quern_ptx_form() == 2u) __quern_async_commit();
}
__device__ void __ptx_wait_group(unsigned groups) {
  switch (groups) {
    case 0: __quern_async_wait(0); break;
    case 1: __quern_async_wait(1); break;
    case 2: __quern_async_wait(2); break;
    case 3: __quern_async_wait(3); break;
    case 4: __quern_async_wait(4); break;
    case 5: __quern_async_wait(5); break;
    case 6: __quern_async_wait(6); break;
    default: __quern_async_wait(7);
  }
}
template <class N> __device__ void __ptx_cp_async_wait_group(N groups) {
  if (__quern_ptx_form() == 2u) __ptx_wait_group(__ptx_get<unsigned>(groups));
}
__device__ void __ptx_cp_async_wait_all() {
  __ptx_cp_async_commit_group();
  __ptx_cp_async_wait_group(0);
}

// Barrier objects: counted arrivals.
template <class P> __device__ cuda::__barrier_state<2>* __ptx_barrier(P at) {
  return (cuda::__barrier_state<2>*)__ptx_pointer<8>(at);
}
template <class T, class P, class N> __device__ void __ptx_mbarrier_init(P at, N count) {
  __ptx_barrier(at)->__start(__ptx_get<unsigned>(count));
}
template <class T, class P> __device__ void __ptx_mbarrier_inval(P) {}
template <class T, class P, class N> __device__ T __ptx_mbarrier_arrive(P at, N count) {
  return __ptx_barrier(at)->__arrive(__ptx_get<unsigned>(count));
}
template <class T, class P> __device__ T __ptx_mbarrier_arrive(P at) {
  return __ptx_mbarrier_arrive<T>(at, 1u);
}
template <class T, class P> __device__ T __ptx_mbarrier_arrive_drop(P at) {
  __ptx_barrier(at)->__drop();
  return 0;
}
template <class T, class P, class S> __device__ bool __ptx_mbarrier_test_wait(P at, S token) {
  return __ptx_barrier(at)->__is_over(__ptx_get<unsigned long>(token));
}
template <class T, class P, class S> __device__ bool __ptx_mbarrier_test_wait_parity(P at, S parity) {
  return __ptx_barrier(at)->__is_parity_over(__ptx_get<unsigned>(parity));
}
template <class T, class P, class S> __device__ bool __ptx_mbarrier_try_wait(P at, S token) {
  return __ptx_mbarrier_test_wait<T>(at, token);
}
template <class T, class P, class S> __device__ bool __ptx_mbarrier_try_wait_parity(P at, S parity) {
  return __ptx_mbarrier_test_wait_parity<T>(at, parity);
}
template <class T, class P, class S, class H>
__device__ bool __ptx_mbarrier_try_wait_parity(P at, S parity, H) {
  return __ptx_mbarrier_test_wait_parity<T>(at, parity);
}
// This thread's copies are complete here, or are waited for.
template <class T, class P> __device__ void __ptx_cp_async_mbarrier_arrive_noinc(P at) {
  __ptx_cp_async_wait_all();
  __ptx_mbarrier_arrive<T>(at);
}

template <class N> __device__ void __ptx_bar_sync(N) { __syncthreads(); }
template <class N> __device__ void __ptx_barrier_sync(N) { __syncthreads(); }
template <class N> __device__ void __ptx_barrier_cta_sync(N) { __syncthreads(); }
template <class N> __device__ void __ptx_barrier_cta_sync_aligned(N) { __syncthreads(); }
template <class N> __device__ void __ptx_barrier_sync_aligned(N) { __syncthreads(); }
template <class M> __device__ void __ptx_bar_warp_sync(M mask) { __syncwarp(__ptx_get<unsigned>(mask)); }
__device__ void __ptx_membar_cta() { __threadfence_block(); }
__device__ void __ptx_membar_gl() { __threadfence(); }
__device__ void __ptx_membar_sys() { __threadfence_system(); }
__device__ void __ptx_fence_sc_cta() { __threadfence_block(); }
__device__ void __ptx_fence_sc_cluster() { __threadfence(); }
__device__ void __ptx_fence_sc_gpu() { __threadfence(); }
__device__ void __ptx_fence_sc_sys() { __threadfence_system(); }
__device__ void __ptx_fence_acq_rel_cta() { __threadfence_block(); }
__device__ void __ptx_fence_acq_rel_cluster() { __threadfence(); }
__device__ void __ptx_fence_acq_rel_gpu() { __threadfence(); }
__device__ void __ptx_fence_acq_rel_sys() { __threadfence_system(); }
template <class T, class N> __device__ void __ptx_nanosleep(N ns) { __nanosleep(__ptx_get<unsigned>(ns)); }
__device__ void __ptx_trap() { __trap(); }

// Hints, which have no effect elsewhere.
template <class... X> __device__ void __ptx_prefetch(X...) {}
template <class... X> __device__ void __ptx_griddepcontrol(X...) {}
template <class... X> __device__ void __ptx_setmaxnreg(X...) {}
template <class... X> __device__ unsigned long __ptx_createpolicy(X...) { return 0; }

template <class M> __device__ unsigned __ptx_elect_sync(M mask, bool& is_leader) {
  const unsigned leader = unsigned(__ffs(__ptx_get<int>(mask)) - 1);
  is_leader = __quern_lane_id() == leader;
  return leader;
}
template <class T, class A, class B, class C, class M>
__device__ T __ptx_shfl_sync_bfly(A a, B b, C c, M mask) {
  return __shfl_xor_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a), __ptx_get<int>(b),
                         32 - int(__ptx_get<unsigned>(c) >> 8 & 31));
}
template <class T, class A, class B, class C, class M>
__device__ T __ptx_shfl_sync_idx(A a, B b, C c, M mask) {
  return __shfl_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a), __ptx_get<int>(b),
                     32 - int(__ptx_get<unsigned>(c) >> 8 & 31));
}
template <class T, class A, class B, class C, class M>
__device__ T __ptx_shfl_sync_down(A a, B b, C c, M mask) {
  return __shfl_down_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a), __ptx_get<unsigned>(b),
                          32 - int(__ptx_get<unsigned>(c) >> 8 & 31));
}
template <class T, class A, class B, class C, class M>
__device__ T __ptx_shfl_sync_up(A a, B b, C c, M mask) {
  return __shfl_up_sync(__ptx_get<unsigned>(mask), __ptx_get<T>(a), __ptx_get<unsigned>(b),
                        32 - int(__ptx_get<unsigned>(c) >> 8 & 31));
}
template <class T, class M> __device__ T __ptx_vote_sync_ballot(bool p, M mask) {
  return __ballot_sync(__ptx_get<unsigned>(mask), p);
}
