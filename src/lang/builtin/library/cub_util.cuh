// cub, the part for blocks and warps: small types, functors and helpers that its classes share. Names and
// semantics follow cub's documentation; the implementation is our own.

namespace cub {

struct NullType {
  template <class T>
  __device__ NullType& operator=(const T&) { return *this; }
  __device__ bool operator==(const NullType&) const { return true; }
  __device__ bool operator!=(const NullType&) const { return false; }
};
template <int A>
struct Int2Type {
  static constexpr int VALUE = A;
};
// Rounded up.
__device__ constexpr int __log2(int n) {
  int power = 0;
  while (1ll << power < n) ++power;
  return power;
}
template <int N>
struct Log2 {
  static constexpr int VALUE = __log2(N);
};
template <int N>
struct PowerOfTwo {
  static constexpr bool VALUE = (N & (N - 1)) == 0;
};
template <class Key, class Value>
struct KeyValuePair {
  using Key_t = Key;
  using Value_t = Value;
  Key key;
  Value value;
  __device__ KeyValuePair() {}
  __device__ KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  __device__ bool operator!=(const KeyValuePair& b) const { return value != b.value || key != b.key; }
};

// Functors.
struct Equality {
  template <class T, class U>
  __device__ bool operator()(const T& a, const U& b) const { return a == b; }
};
struct Inequality {
  template <class T, class U>
  __device__ bool operator()(const T& a, const U& b) const { return a != b; }
};
template <class Op>
struct InequalityWrapper {
  Op op;
  __device__ InequalityWrapper(Op equal) : op(equal) {}
  template <class T, class U>
  __device__ bool operator()(const T& a, const U& b) { return !op(a, b); }
};
struct Sum {
  template <class T, class U>
  __device__ auto operator()(const T& a, const U& b) const { return a + b; }
};
struct Difference {
  template <class T, class U>
  __device__ auto operator()(const T& a, const U& b) const { return a - b; }
};
struct Division {
  template <class T, class U>
  __device__ auto operator()(const T& a, const U& b) const { return a / b; }
};
struct Max {
  template <class T, class U>
  __device__ std::common_type_t<T, U> operator()(const T& a, const U& b) const { return b > a ? b : a; }
};
struct Min {
  template <class T, class U>
  __device__ std::common_type_t<T, U> operator()(const T& a, const U& b) const { return b < a ? b : a; }
};
// Of equal values, the one with the lower key.
struct ArgMax {
  template <class T, class K>
  __device__ KeyValuePair<K, T> operator()(const KeyValuePair<K, T>& a, const KeyValuePair<K, T>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class K>
  __device__ KeyValuePair<K, T> operator()(const KeyValuePair<K, T>& a, const KeyValuePair<K, T>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
template <class B>
struct CastOp {
  template <class A>
  __device__ B operator()(const A& a) const { return B(a); }
};
template <class Op>
struct SwizzleScanOp {
  Op op;
  __device__ SwizzleScanOp(Op o) : op(o) {}
  template <class T>
  __device__ T operator()(const T& a, const T& b) { return op(b, a); }
};
// Sums of segments: a key that is not 0 begins a new one.
template <class Op>
struct ReduceBySegmentOp {
  Op op;
  __device__ ReduceBySegmentOp() {}
  __device__ ReduceBySegmentOp(Op o) : op(o) {}
  template <class Pair>
  __device__ Pair operator()(const Pair& a, const Pair& b) {
    Pair r;
    r.key = a.key + b.key;
    r.value = b.key ? b.value : op(a.value, b.value);
    return r;
  }
};
template <class Op>
struct ReduceByKeyOp {
  Op op;
  __device__ ReduceByKeyOp() {}
  __device__ ReduceByKeyOp(Op o) : op(o) {}
  template <class Pair>
  __device__ Pair operator()(const Pair& a, const Pair& b) {
    Pair r = b;
    if (a.key == b.key) r.value = op(a.value, b.value);
    return r;
  }
};

// Threads and warps.
__device__ int RowMajorTid(int block_x, int block_y, int block_z) {
  return int((threadIdx.z * block_y + threadIdx.y) * block_x + threadIdx.x);
}
__device__ unsigned LaneId() { return __quern_lane_id(); }
__device__ unsigned WarpId() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
__device__ unsigned LaneMaskLt() { return (1u << __quern_lane_id()) - 1; }
__device__ unsigned LaneMaskLe() { return 0xffffffffu >> (31 - __quern_lane_id()); }
__device__ unsigned LaneMaskGt() { return ~LaneMaskLe(); }
__device__ unsigned LaneMaskGe() { return ~LaneMaskLt(); }
__device__ void CTA_SYNC() { __syncthreads(); }
__device__ int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
__device__ int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
__device__ void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
__device__ int WARP_ANY(int p, unsigned mask) { return __any_sync(mask, p); }
__device__ int WARP_ALL(int p, unsigned mask) { return __all_sync(mask, p); }
__device__ int WARP_BALLOT(int p, unsigned mask) { return int(__ballot_sync(mask, p)); }
template <int Threads>
__device__ unsigned WarpMask(unsigned warp) {
  return Threads == 32 ? 0xffffffffu : ((1u << (Threads % 32)) - 1) << (warp * Threads);
}
// The value of another lane of the warp, which must be in the mask.
template <class T>
__device__ T __from_lane(unsigned mask, const T& v, int lane) {
  return cooperative_groups::__shuffle<0>(mask, v, unsigned(lane), 32);
}
template <int Threads, class T>
__device__ T ShuffleIndex(T v, int lane, unsigned mask) {
  return __from_lane(mask, v, int(__quern_lane_id()) / Threads * Threads + lane % Threads);
}
template <int Threads, class T>
__device__ T ShuffleUp(T v, int offset, int first, unsigned mask) {
  int rank = int(__quern_lane_id()) % Threads;
  return __from_lane(mask, v, int(__quern_lane_id()) - (rank - offset < first ? 0 : offset));
}
template <int Threads, class T>
__device__ T ShuffleDown(T v, int offset, int last, unsigned mask) {
  int rank = int(__quern_lane_id()) % Threads;
  return __from_lane(mask, v, int(__quern_lane_id()) + (rank + offset > last ? 0 : offset));
}

// Bits and plain accesses.
template <class U>
__device__ unsigned BFE(U v, unsigned first, unsigned bits) {
  return unsigned((unsigned long long)(v) >> first) & (bits < 32 ? (1u << bits) - 1 : 0xffffffffu);
}
__device__ unsigned SHR_ADD(unsigned x, unsigned shift, unsigned add) { return (x >> shift) + add; }
__device__ unsigned SHL_ADD(unsigned x, unsigned shift, unsigned add) { return (x << shift) + add; }
__device__ unsigned IADD3(unsigned x, unsigned y, unsigned z) { return x + y + z; }
template <class T>
__device__ void Swap(T& a, T& b) {
  T t = a;
  a = b;
  b = t;
}
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier Modifier, class Iterator>
__device__ auto ThreadLoad(Iterator it) {
  if constexpr (Modifier == LOAD_VOLATILE || Modifier == LOAD_CV) {
    return *(volatile std::remove_reference_t<decltype(*it)>*)&*it;
  } else {
    return *it;
  }
}
template <CacheStoreModifier Modifier, class Iterator, class T>
__device__ void ThreadStore(Iterator it, T v) {
  if constexpr (Modifier == STORE_VOLATILE) {
    *(volatile T*)&*it = v;
  } else {
    *it = v;
  }
}
template <int N, class T, class Op>
__device__ T ThreadReduce(T (&items)[N], Op op) {
  T sum = items[0];
  for (int i = 1; i < N; ++i) sum = op(sum, items[i]);
  return sum;
}
template <int N, class T, class Op>
__device__ T ThreadReduce(T (&items)[N], Op op, T before) {
  for (int i = 0; i < N; ++i) before = op(before, items[i]);
  return before;
}

// Iterators without memory.
template <class T, class Offset = long>
struct CountingInputIterator {
  using value_type = T;
  T __at;
  __device__ CountingInputIterator(T first) : __at(first) {}
  __device__ T operator*() const { return __at; }
  template <class D>
  __device__ T operator[](D n) const { return __at + T(n); }
  template <class D>
  __device__ CountingInputIterator operator+(D n) const { return CountingInputIterator(__at + T(n)); }
};
template <class T, class Offset = long>
struct ConstantInputIterator {
  using value_type = T;
  T __value;
  __device__ ConstantInputIterator(T value, Offset = 0) : __value(value) {}
  __device__ T operator*() const { return __value; }
  template <class D>
  __device__ T operator[](D) const { return __value; }
  template <class D>
  __device__ ConstantInputIterator operator+(D) const { return *this; }
};
template <class T, class Op, class Iterator, class Offset = long>
struct TransformInputIterator {
  using value_type = T;
  Iterator __it;
  Op __op;
  __device__ TransformInputIterator(Iterator it, Op op) : __it(it), __op(op) {}
  __device__ T operator*() const { return __op(*__it); }
  template <class D>
  __device__ T operator[](D n) const { return __op(__it[n]); }
  template <class D>
  __device__ TransformInputIterator operator+(D n) const { return TransformInputIterator(__it + n, __op); }
};
template <CacheLoadModifier Modifier, class T, class Offset = long>
struct CacheModifiedInputIterator {
  using value_type = T;
  const T* __at;
  __device__ CacheModifiedInputIterator(const T* at) : __at(at) {}
  __device__ T operator*() const { return *__at; }
  template <class D>
  __device__ T operator[](D n) const { return __at[n]; }
  template <class D>
  __device__ CacheModifiedInputIterator operator+(D n) const { return CacheModifiedInputIterator(__at + n); }
};
// The storage of a class that is constructed without one: shared by all its objects in a block.
template <class Class>
__device__ typename Class::TempStorage& __own_storage() {
  __shared__ typename Class::TempStorage storage;
  return storage;
}
}  // namespace cub
