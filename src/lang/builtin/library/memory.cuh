// Loads and stores with cache hints (which only affect speed), memory blocks, address spaces, and compiler
// hints.

template <class T> __device__ T __ldg(const T* p) { return *p; }
template <class T> __device__ T __ldca(const T* p) { return *p; }
template <class T> __device__ T __ldcg(const T* p) { return *p; }
template <class T> __device__ T __ldcs(const T* p) { return *p; }
template <class T> __device__ T __ldlu(const T* p) { return *p; }
template <class T> __device__ T __ldcv(const T* p) { return *p; }
template <class T, class U> __device__ void __stwb(T* p, U value) { *p = value; }
template <class T, class U> __device__ void __stcg(T* p, U value) { *p = value; }
template <class T, class U> __device__ void __stcs(T* p, U value) { *p = value; }
template <class T, class U> __device__ void __stwt(T* p, U value) { *p = value; }

__device__ void* memcpy(void* to, const void* from, unsigned long size) {
  __quern_mem_copy(to, from, size);
  return to;
}
__device__ void* memset(void* to, int value, unsigned long size) {
  __quern_mem_set(to, (unsigned char)value, size);
  return to;
}
__device__ void* memmove(void* to, const void* from, unsigned long size) {
  char* t = (char*)to;
  const char* f = (const char*)from;
  if (t <= f || t >= f + size) {
    for (unsigned long i = 0; i < size; ++i) t[i] = f[i];
  } else {
    for (unsigned long i = size; i > 0; --i) t[i - 1] = f[i - 1];
  }
  return to;
}
__device__ int memcmp(const void* a, const void* b, unsigned long size) {
  const unsigned char* x = (const unsigned char*)a;
  const unsigned char* y = (const unsigned char*)b;
  for (unsigned long i = 0; i < size; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
__device__ unsigned long strlen(const char* s) {
  unsigned long n = 0;
  while (s[n] != 0) ++n;
  return n;
}
__device__ int strcmp(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return int((unsigned char)*a) - int((unsigned char)*b);
}

__device__ unsigned __isGlobal(const void* p) { return __quern_is_global(p); }
__device__ unsigned __isShared(const void* p) { return __quern_is_shared(p); }
__device__ unsigned __isLocal(const void* p) { return __quern_is_local(p); }
__device__ unsigned __isConstant(const void* p) { return __quern_is_constant(p); }
__device__ unsigned __isGridConstant(const void*) { return 0; }
__device__ unsigned long __cvta_generic_to_global(const void* p) { return (unsigned long)p; }
__device__ unsigned long __cvta_generic_to_shared(const void* p) { return __quern_shared_address(p); }
__device__ unsigned long __cvta_generic_to_local(const void* p) { return (unsigned long)p; }
__device__ unsigned long __cvta_generic_to_constant(const void* p) { return (unsigned long)p; }
__device__ void* __cvta_global_to_generic(unsigned long p) { return (void*)p; }
__device__ void* __cvta_shared_to_generic(unsigned long p) { return __quern_shared_pointer(unsigned(p), 1); }
__device__ void* __cvta_local_to_generic(unsigned long p) { return (void*)p; }
__device__ void* __cvta_constant_to_generic(unsigned long p) { return (void*)p; }

__device__ constexpr void __assume(bool) {}
