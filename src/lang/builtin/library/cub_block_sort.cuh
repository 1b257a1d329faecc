// cub::Traits, BlockRadixSort, BlockMergeSort and WarpMergeSort. All of them are stable.

namespace cub {

// Keys as unsigned integers in the same order.
template <class T>
struct Traits {
  static constexpr bool __is_signed_integer = std::is_integral_v<T> && std::is_signed_v<T>;
  static constexpr bool __is_floating = !std::is_integral_v<T>;
  using UnsignedBits = std::conditional_t<
      sizeof(T) == 1, unsigned char,
      std::conditional_t<sizeof(T) == 2, unsigned short,
                         std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>>;
  static constexpr UnsignedBits __high = UnsignedBits(1) << (sizeof(T) * 8 - 1);
  __device__ static UnsignedBits TwiddleIn(UnsignedBits key) {
    if constexpr (__is_floating) {
      return UnsignedBits((key & __high) != 0 ? ~key : key ^ __high);
    } else if constexpr (__is_signed_integer) {
      return UnsignedBits(key ^ __high);
    } else {
      return key;
    }
  }
  __device__ static UnsignedBits TwiddleOut(UnsignedBits key) {
    if constexpr (__is_floating) {
      return UnsignedBits((key & __high) != 0 ? key ^ __high : ~key);
    } else {
      return TwiddleIn(key);
    }
  }
  // For sorting: the two zeros are equal.
  __device__ static UnsignedBits __order(const T& key) {
    UnsignedBits bits = std::bit_cast<UnsignedBits>(key);
    if constexpr (__is_floating) {
      if (bits == __high) bits = 0;
    }
    return TwiddleIn(bits);
  }
};

// By digits of 4 bits, lowest first. Each thread counts its digits; a scan over the counters in the order
// (digit, thread) gives the positions. Digits d and d + 8 share a word, 16 bits each.
template <class Key, int X, int N, class Value = NullType, int RadixBits = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
struct BlockRadixSort {
  using __Block = __block<X, Y, Z>;
  using __Scan = BlockScan<unsigned, X, BLOCK_SCAN_WARP_SCANS, Y, Z>;
  static constexpr int kItems = __Block::kThreads * N;
  static_assert(kItems < 65536, "a block sorts at most 65535 items");
  struct __Counters {
    unsigned words[8 * __Block::kThreads];
    typename __Scan::TempStorage scan;
  };
  struct TempStorage {
    union {
      __Counters __counters;
      Key __keys[kItems];
      Value __values[kItems];
    };
  };
  TempStorage& __storage;
  __device__ BlockRadixSort() : __storage(__own_storage<BlockRadixSort>()) {}
  __device__ explicit BlockRadixSort(TempStorage& storage) : __storage(storage) {}

  __device__ void Sort(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
    __sort<false, false>(keys, __none(), begin, end);
  }
  __device__ void Sort(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = sizeof(Key) * 8) {
    __sort<false, false>(keys, values, begin, end);
  }
  __device__ void SortDescending(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
    __sort<true, false>(keys, __none(), begin, end);
  }
  __device__ void SortDescending(Key (&keys)[N], Value (&values)[N], int begin = 0,
                                 int end = sizeof(Key) * 8) {
    __sort<true, false>(keys, values, begin, end);
  }
  __device__ void SortBlockedToStriped(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
    __sort<false, true>(keys, __none(), begin, end);
  }
  __device__ void SortBlockedToStriped(Key (&keys)[N], Value (&values)[N], int begin = 0,
                                       int end = sizeof(Key) * 8) {
    __sort<false, true>(keys, values, begin, end);
  }
  __device__ void SortDescendingBlockedToStriped(Key (&keys)[N], int begin = 0, int end = sizeof(Key) * 8) {
    __sort<true, true>(keys, __none(), begin, end);
  }
  __device__ void SortDescendingBlockedToStriped(Key (&keys)[N], Value (&values)[N], int begin = 0,
                                                 int end = sizeof(Key) * 8) {
    __sort<true, true>(keys, values, begin, end);
  }

  struct __none {};
  // The destination of each item by one digit.
  template <bool Descending>
  __device__ void __rank(Key (&keys)[N], int (&places)[N], int begin, int bits) {
    constexpr int kThreads = __Block::kThreads;
    unsigned* words = __storage.__counters.words;
    int thread = __Block::rank();
    unsigned digits[N];
    for (int i = 0; i < 8; ++i) words[i * kThreads + thread] = 0;
    for (int i = 0; i < N; ++i) {
      auto key = Traits<Key>::__order(keys[i]);
      digits[i] = unsigned(key >> begin) & ((1u << bits) - 1);
      if (Descending) digits[i] = (1u << bits) - 1 - digits[i];
      unsigned& word = words[int(digits[i] % 8) * kThreads + thread];
      places[i] = int(word >> (digits[i] / 8 * 16) & 0xffff);
      word += 1u << (digits[i] / 8 * 16);
    }
    __Block::sync();
    unsigned sums[8];
    unsigned total;
    for (int i = 0; i < 8; ++i) sums[i] = words[thread * 8 + i];
    __Scan(__storage.__counters.scan).ExclusiveSum(sums, sums, total);
    for (int i = 0; i < 8; ++i) words[thread * 8 + i] = sums[i] + (total << 16);
    __Block::sync();
    for (int i = 0; i < N; ++i) {
      places[i] += int(words[int(digits[i] % 8) * kThreads + thread] >> (digits[i] / 8 * 16) & 0xffff);
    }
    __Block::sync();
  }
  template <bool ToStriped, class T>
  __device__ void __move(T (&items)[N], T* memory, int (&places)[N]) {
    int thread = __Block::rank();
    for (int i = 0; i < N; ++i) memory[places[i]] = items[i];
    __Block::sync();
    for (int i = 0; i < N; ++i) {
      items[i] = memory[ToStriped ? i * __Block::kThreads + thread : thread * N + i];
    }
    __Block::sync();
  }
  template <bool Descending, bool ToStriped, class Values>
  __device__ void __sort(Key (&keys)[N], Values&& values, int begin, int end) {
    int places[N];
    for (int bit = begin; bit < end; bit += 4) {
      __rank<Descending>(keys, places, bit, end - bit < 4 ? end - bit : 4);
      if (ToStriped && bit + 4 >= end) {
        __move<true>(keys, __storage.__keys, places);
        if constexpr (std::is_array_v<std::remove_reference_t<Values>>) {
          __move<true>(values, __storage.__values, places);
        }
      } else {
        __move<false>(keys, __storage.__keys, places);
        if constexpr (std::is_array_v<std::remove_reference_t<Values>>) {
          __move<false>(values, __storage.__values, places);
        }
      }
    }
  }
};

// Each thread sorts its own items; then runs of doubling length are merged: an item's position is its rank in
// its run plus the number of items of the other run that go before it. Sync synchronizes the `Threads`
// threads.
template <class Key, class Value, int Threads, int N, class Sync>
struct __merge_sort {
  static constexpr int kItems = Threads * N;
  struct TempStorage {
    union {
      Key __keys[kItems];
      Value __values[kItems];
    };
  };
  template <bool HasValues, class Less>
  __device__ static void __sort_own(Key (&keys)[N], Value* values, Less& less) {
    for (int i = 1; i < N; ++i) {
      for (int j = i; j > 0 && less(keys[j], keys[j - 1]); --j) {
        Swap(keys[j], keys[j - 1]);
        if constexpr (HasValues) Swap(values[j], values[j - 1]);
      }
    }
  }
  // How many of the `count` sorted keys go before `key`; an equal one does if `Equal`.
  template <class Less>
  __device__ static int __count_before(const Key* keys, int count, const Key& key, bool equal, Less& less) {
    int low = 0;
    while (low < count) {
      int middle = (low + count) / 2;
      if (equal ? !less(key, keys[middle]) : less(keys[middle], key)) {
        low = middle + 1;
      } else {
        count = middle;
      }
    }
    return low;
  }
  template <bool HasValues, class Less>
  __device__ static void sort(TempStorage& storage, int thread, Key (&keys)[N], Value* values, Less less) {
    __sort_own<HasValues>(keys, values, less);
    for (int run = N; run < kItems; run *= 2) {
      int places[N];
      Key* memory = storage.__keys;
      for (int i = 0; i < N; ++i) memory[thread * N + i] = keys[i];
      Sync::sync();
      int first = thread * N / run * run;
      bool is_second = (first / run) % 2 == 1;
      int other = is_second ? first - run : first + run;
      int count = other >= kItems ? 0 : (other + run > kItems ? kItems - other : run);
      int low = is_second ? other : first;
      for (int i = 0; i < N; ++i) {
        places[i] = low + (thread * N + i - first) +
                    __count_before(memory + (count == 0 ? 0 : other), count, keys[i], is_second, less);
      }
      Sync::sync();
      for (int i = 0; i < N; ++i) memory[places[i]] = keys[i];
      Sync::sync();
      for (int i = 0; i < N; ++i) keys[i] = memory[thread * N + i];
      Sync::sync();
      if constexpr (HasValues) {
        for (int i = 0; i < N; ++i) storage.__values[places[i]] = values[i];
        Sync::sync();
        for (int i = 0; i < N; ++i) values[i] = storage.__values[thread * N + i];
        Sync::sync();
      }
    }
  }
};

// The methods of both. `Self::rank()` is the thread's index.
template <class Key, class Value, int Threads, int N, class Group>
struct __merge_sort_methods {
  using __Sort = __merge_sort<Key, Value, Threads, N, Group>;
  using TempStorage = typename __Sort::TempStorage;
  TempStorage& __storage;
  __device__ explicit __merge_sort_methods(TempStorage& storage) : __storage(storage) {}
  template <class Less>
  __device__ void Sort(Key (&keys)[N], Less less) {
    Value none[1];
    __Sort::template sort<false>(__storage, Group::rank(), keys, none, less);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[N], Less less, int valid, Key other) {
    __fill(keys, valid, other);
    Sort(keys, less);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[N], Value (&values)[N], Less less) {
    __Sort::template sort<true>(__storage, Group::rank(), keys, values, less);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[N], Value (&values)[N], Less less, int valid, Key other) {
    __fill(keys, valid, other);
    Sort(keys, values, less);
  }
  template <class Less>
  __device__ void StableSort(Key (&keys)[N], Less less) { Sort(keys, less); }
  template <class Less>
  __device__ void StableSort(Key (&keys)[N], Less less, int valid, Key other) {
    Sort(keys, less, valid, other);
  }
  template <class Less>
  __device__ void StableSort(Key (&keys)[N], Value (&values)[N], Less less) { Sort(keys, values, less); }
  template <class Less>
  __device__ void StableSort(Key (&keys)[N], Value (&values)[N], Less less, int valid, Key other) {
    Sort(keys, values, less, valid, other);
  }
  __device__ static void __fill(Key (&keys)[N], int valid, const Key& other) {
    for (int i = 0; i < N; ++i) {
      if (Group::rank() * N + i >= valid) keys[i] = other;
    }
  }
};
template <int Threads>
struct __lanes_group {
  __device__ static int rank() { return __lanes<Threads>::rank(); }
  __device__ static void sync() { __quern_warp_barrier(__lanes<Threads>::mask()); }
};
template <class Key, int X, int N, class Value = NullType, int Y = 1, int Z = 1>
struct BlockMergeSort : __merge_sort_methods<Key, Value, X * Y * Z, N, __block<X, Y, Z>> {
  using __Methods = __merge_sort_methods<Key, Value, X * Y * Z, N, __block<X, Y, Z>>;
  using TempStorage = typename __Methods::TempStorage;
  __device__ BlockMergeSort() : __Methods(__own_storage<BlockMergeSort>()) {}
  __device__ explicit BlockMergeSort(TempStorage& storage) : __Methods(storage) {}
};
template <class Key, int N, int Threads = 32, class Value = NullType, int = 0>
struct WarpMergeSort : __merge_sort_methods<Key, Value, Threads, N, __lanes_group<Threads>> {
  using __Methods = __merge_sort_methods<Key, Value, Threads, N, __lanes_group<Threads>>;
  using TempStorage = typename __Methods::TempStorage;
  __device__ explicit WarpMergeSort(TempStorage& storage) : __Methods(storage) {}
};
}  // namespace cub
