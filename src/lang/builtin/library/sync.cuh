// Barriers, fences, clocks, and termination.

__device__ void __syncthreads() { __quern_barrier(); }
__device__ int __syncthreads_count(int predicate) { return __quern_barrier_count(predicate != 0); }
__device__ int __syncthreads_and(int predicate) { return __quern_barrier_and(predicate != 0); }
__device__ int __syncthreads_or(int predicate) { return __quern_barrier_or(predicate != 0); }
__device__ void __syncwarp(unsigned mask = 0xffffffffu) { __quern_warp_barrier(mask); }

__device__ void __threadfence_block() { __quern_fence(0); }
__device__ void __threadfence() { __quern_fence(1); }
__device__ void __threadfence_system() { __quern_fence(2); }

using clock_t = long;
__device__ clock_t clock() { return clock_t(__quern_clock()); }
__device__ clock_t __clock() { return clock_t(__quern_clock()); }
__device__ long long clock64() { return (long long)__quern_clock(); }
__device__ long long __clock64() { return (long long)__quern_clock(); }
__device__ unsigned long long __globaltimer() { return __quern_global_timer(); }
__device__ void __nanosleep(unsigned ns) { __quern_nanosleep(ns); }

__device__ void __trap() { __quern_trap(); }
__device__ void abort() { __quern_trap(); }
__device__ void __brkpt() {}
__device__ void __prof_trigger(int) {}
__device__ void __pm0() {}
__device__ void __pm1() {}
__device__ void __pm2() {}
__device__ void __pm3() {}
