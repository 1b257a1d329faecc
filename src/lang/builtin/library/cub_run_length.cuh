// cub::BlockRunLengthDecode, and the searches and sorts of one thread.

namespace cub {
// The first position from which on all items are above (not below) the key.
template <class Iterator, class Offset, class T>
__device__ Offset UpperBound(Iterator in, Offset count, T key) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (key < in[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}
template <class Iterator, class Offset, class T>
__device__ Offset LowerBound(Iterator in, Offset count, T key) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (in[first + half] < key) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
// Where a diagonal crosses the path of a merge: x of the items before it are of a, y of b.
template <class A, class B, class Offset, class Coordinate>
__device__ void MergePathSearch(Offset diagonal, A a, B b, Offset a_count, Offset b_count, Coordinate& path) {
  Offset low = diagonal > b_count ? diagonal - b_count : 0;
  Offset high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (a[middle] <= b[diagonal - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  path.x = low < a_count ? low : a_count;
  path.y = diagonal - low;
}
// Keeps the order of equal keys.
template <class Key, class Value, class Less, int N>
__device__ void StableOddEvenSort(Key (&keys)[N], Value (&items)[N], Less less) {
  for (int pass = 0; pass < N; ++pass) {
    for (int i = pass & 1; i + 1 < N; i += 2) {
      if (less(keys[i + 1], keys[i])) {
        Swap(keys[i], keys[i + 1]);
        Swap(items[i], items[i + 1]);
      }
    }
  }
}

// Runs of items, given as values and lengths (or first positions), are written out in pieces of a block.
template <class Item, int X, int Runs, int Items, class Offset = unsigned, int Y = 1, int Z = 1>
struct BlockRunLengthDecode {
  using __Block = __block<X, Y, Z>;
  static constexpr int __runs = __Block::kThreads * Runs;
  struct TempStorage {
    Item __values[__runs];
    Offset __firsts[__runs];
    typename BlockScan<Offset, X, BLOCK_SCAN_RAKING, Y, Z>::TempStorage __scan;
  };
  TempStorage& __storage;
  template <class Length, class Total>
  __device__ BlockRunLengthDecode(TempStorage& storage, Item (&values)[Runs], Length (&lengths)[Runs],
                                  Total& total)
      : __storage(storage) {
    __begin(values, lengths, total);
  }
  template <class Length, class Total>
  __device__ BlockRunLengthDecode(Item (&values)[Runs], Length (&lengths)[Runs], Total& total)
      : __storage(__own_storage<BlockRunLengthDecode>()) {
    __begin(values, lengths, total);
  }
  template <class First>
  __device__ BlockRunLengthDecode(TempStorage& storage, Item (&values)[Runs], First (&firsts)[Runs])
      : __storage(storage) {
    __keep(values, firsts);
  }
  template <class First>
  __device__ BlockRunLengthDecode(Item (&values)[Runs], First (&firsts)[Runs])
      : __storage(__own_storage<BlockRunLengthDecode>()) {
    __keep(values, firsts);
  }
  // The items from position `from` on; their positions in their runs. Beyond the end, the last run continues.
  __device__ void RunLengthDecode(Item (&items)[Items], Offset from = 0) {
    Offset offsets[Items];
    RunLengthDecode(items, offsets, from);
  }
  template <class Relative>
  __device__ void RunLengthDecode(Item (&items)[Items], Relative (&offsets)[Items], Offset from = 0) {
    Offset at = from + Offset(__Block::rank() * Items);
    int run = UpperBound(__storage.__firsts, __runs, at) - 1;
    for (int i = 0; i < Items; ++i) {
      while (run + 1 < __runs && __storage.__firsts[run + 1] <= at) ++run;
      items[i] = __storage.__values[run];
      offsets[i] = Relative(at - __storage.__firsts[run]);
      ++at;
    }
  }

  template <class Length, class Total>
  __device__ void __begin(Item (&values)[Runs], Length (&lengths)[Runs], Total& total) {
    Offset sizes[Runs], firsts[Runs], sum;
    for (int i = 0; i < Runs; ++i) sizes[i] = Offset(lengths[i]);
    BlockScan<Offset, X, BLOCK_SCAN_RAKING, Y, Z>(__storage.__scan).ExclusiveSum(sizes, firsts, sum);
    total = Total(sum);
    __keep(values, firsts);
  }
  template <class First>
  __device__ void __keep(Item (&values)[Runs], First (&firsts)[Runs]) {
    for (int i = 0; i < Runs; ++i) {
      __storage.__values[__Block::rank() * Runs + i] = values[i];
      __storage.__firsts[__Block::rank() * Runs + i] = Offset(firsts[i]);
    }
    __Block::sync();
  }
};
}  // namespace cub
