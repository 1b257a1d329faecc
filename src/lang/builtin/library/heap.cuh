// malloc, free, new and delete in kernels. The heap is a variable of the module with QUERN_HEAP_BYTES bytes
// (the compiler replaces that name by the number), in units of 16 bytes. A block's entry in the table, at its
// first unit, is twice its number of units, plus one while it is used. Memory is taken from the end first;
// then freed blocks are searched, joined and split. No thread waits for another: a thread owns a block from
// the exchange that marks it as used. Entries inside of a block always say used, so that a search that is
// late only skips memory. atomicAnd(p, ~0u) reads an entry: unlike a load, it is not taken for waiting.

__device__ unsigned __lib_heap_top;
__device__ unsigned __lib_heap_table[QUERN_HEAP_BYTES / 16];
__device__ __align__(16) unsigned __lib_heap[QUERN_HEAP_BYTES / 4];

// To the simulator: 16: a block of `value` bytes was allocated at that unit, 17: freed, 18: an invalid free
// (value 1: of a block that is free already).
__device__ void __lib_heap_note(unsigned what, unsigned unit, unsigned value) {
  if (__quern_check_form() == 1u) __quern_check_error(unit << 8 | what, value, 0u);
}

// The first unit of new memory; QUERN_HEAP_BYTES: there is not enough.
__device__ unsigned __lib_heap_fresh(unsigned units) {
  unsigned top = atomicAnd(&__lib_heap_top, ~0u);
  while (units <= QUERN_HEAP_BYTES / 16 - top) {
    const unsigned seen = atomicCAS(&__lib_heap_top, top, top + units);
    if (seen == top) {
      atomicExch(&__lib_heap_table[top], units << 1 | 1u);
      return top;
    }
    top = seen;
  }
  return QUERN_HEAP_BYTES;
}

// This thread owns the block at `unit`. Joins it with the free blocks after it until it has `units`.
__device__ unsigned __lib_heap_join(unsigned unit, unsigned size, unsigned units, unsigned top) {
  while (size < units && unit + size < top) {
    const unsigned next = atomicAnd(&__lib_heap_table[unit + size], ~0u);
    if (next == 0 || (next & 1u) != 0) break;
    if (atomicCAS(&__lib_heap_table[unit + size], next, next | 1u) != next) break;
    size += next >> 1;
  }
  return size;
}

// The first unit of a block that was freed; QUERN_HEAP_BYTES: none is large enough.
__device__ unsigned __lib_heap_reuse(unsigned units) {
  const unsigned top = atomicAnd(&__lib_heap_top, ~0u);
  for (unsigned unit = 0; unit < top;) {
    const unsigned entry = atomicAnd(&__lib_heap_table[unit], ~0u);
    if (entry == 0) break;
    unsigned size = entry >> 1;
    if ((entry & 1u) == 0 && atomicCAS(&__lib_heap_table[unit], entry, entry | 1u) == entry) {
      size = __lib_heap_join(unit, size, units, top);
      if (size >= units) {
        if (size > units) atomicExch(&__lib_heap_table[unit + units], (size - units) << 1);
        __threadfence();
        atomicExch(&__lib_heap_table[unit], units << 1 | 1u);
        return unit;
      }
      atomicExch(&__lib_heap_table[unit], size << 1);
    }
    unit += size;
  }
  return QUERN_HEAP_BYTES;
}

__device__ void* malloc(unsigned long size) {
  if (size > QUERN_HEAP_BYTES) return nullptr;
  // In the simulator, a unit between two blocks belongs to none.
  const unsigned units = (size == 0 ? 1u : unsigned((size + 15) / 16)) + __quern_check_form();
  unsigned unit = __lib_heap_fresh(units);
  // A block that another thread is splitting looks used: the search is repeated.
  for (int i = 0; i < 4 && unit == QUERN_HEAP_BYTES; ++i) unit = __lib_heap_reuse(units);
  if (unit == QUERN_HEAP_BYTES) return nullptr;
  __threadfence();
  __lib_heap_note(16u, unit, unsigned(size));
  return __lib_heap + unit * 4;
}
__device__ void* calloc(unsigned long count, unsigned long size) {
  if (size != 0 && count > QUERN_HEAP_BYTES / size) return nullptr;
  void* p = malloc(count * size);
  if (p != nullptr) memset(p, 0, count * size);
  return p;
}
__device__ void free(void* p) {
  if (p == nullptr) return;
  const long offset = (const char*)p - (const char*)__lib_heap;
  const unsigned unit = unsigned(offset / 16);
  bool is_block = offset >= 0 && offset < QUERN_HEAP_BYTES && offset % 16 == 0;
  unsigned entry = 0;
  if (is_block) entry = atomicAnd(&__lib_heap_table[unit], ~0u);
  is_block = is_block && entry != 0;
  const bool is_used = is_block && (entry & 1u) != 0;
  if (!is_used && __quern_check_form() == 1u) {
    __lib_heap_note(18u, 0u, is_block ? 1u : 0u);
    return;
  }
  assert(is_used && "free: the pointer is not an allocated block");
  __lib_heap_note(17u, unit, 0u);
  __threadfence();
  atomicExch(&__lib_heap_table[unit], entry & ~1u);
}

// new T, new T[n], delete p and delete[] p call these. An array of objects with destructors is preceded by
// its length.
template <class T> __device__ T* __lib_new() {
  static_assert(alignof(T) <= 16, "blocks of the heap are aligned to 16 bytes");
  return (T*)malloc(sizeof(T));
}
template <class T> __device__ T* __lib_new_array(unsigned long count) {
  static_assert(alignof(T) <= 16, "blocks of the heap are aligned to 16 bytes");
  if (count > QUERN_HEAP_BYTES / sizeof(T)) return nullptr;
  if constexpr (std::is_trivially_destructible_v<T>) {
    return (T*)malloc(count * sizeof(T));
  } else {
    unsigned long* head = (unsigned long*)malloc(count * sizeof(T) + 16);
    if (head == nullptr) return nullptr;
    *head = count;
    return (T*)(head + 2);
  }
}
template <class T> __device__ T* __lib_default_array(unsigned long count) {
  T* p = __lib_new_array<T>(count);
  if (p != nullptr) {
    for (unsigned long i = 0; i < count; ++i) new (p + i) T;
  }
  return p;
}
template <class T> __device__ T* __lib_value_array(unsigned long count) {
  T* p = __lib_new_array<T>(count);
  if (p != nullptr) {
    for (unsigned long i = 0; i < count; ++i) new (p + i) T();
  }
  return p;
}
template <class T> __device__ void __lib_delete(T* p) {
  if (p == nullptr) return;
  p->T::~T();
  free((void*)p);
}
template <class T> __device__ void __lib_delete_array(T* p) {
  if (p == nullptr) return;
  if constexpr (std::is_trivially_destructible_v<T>) {
    free((void*)p);
  } else {
    unsigned long* head = (unsigned long*)p - 2;
    for (unsigned long i = *head; i > 0; --i) p[i - 1].T::~T();
    free(head);
  }
}
template <class T> __device__ void __lib_destroy(T* p) { p->T::~T(); }

namespace std {
struct nothrow_t {};
constexpr nothrow_t nothrow{};
}  // namespace std
