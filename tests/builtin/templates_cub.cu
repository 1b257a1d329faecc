// Uses every template of the library for cub and curand, the methods that tests/cases does not call, and the types of
// pitched memory.
#include <cub/cub.cuh>
#include <curand_kernel.h>

struct LastOf {
  int total;
  __device__ int operator()(int) { return total; }
};

template <cub::BlockReduceAlgorithm Algorithm>
__device__ int reduce_by(int x) { return cub::BlockReduce<int, 64, Algorithm>().Sum(x); }
template <cub::BlockScanAlgorithm Algorithm>
__device__ int scan_by(int x) {
  cub::BlockScan<int, 64, Algorithm>().InclusiveSum(x, x);
  return x;
}
__global__ void use_reductions_and_scans(int* out) {
  int x = threadIdx.x, y, z, total;
  x = reduce_by<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(x) + reduce_by<cub::BLOCK_REDUCE_RAKING>(x);
  x += reduce_by<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(x);
  x += reduce_by<cub::BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC>(x);
  x += scan_by<cub::BLOCK_SCAN_RAKING>(x) + scan_by<cub::BLOCK_SCAN_RAKING_MEMOIZE>(x);
  x += scan_by<cub::BLOCK_SCAN_WARP_SCANS>(x);
  using BlockScan = cub::BlockScan<int, 64>;
  __shared__ BlockScan::TempStorage temp;
  LastOf last{0};
  int items[2] = {x, x}, sums[2];
  BlockScan scan(temp);
  scan.InclusiveSum(x, y, total);
  scan.InclusiveSum(x, y, last);
  scan.InclusiveScan(x, y, cub::Max(), last);
  scan.InclusiveScan(x, y, cub::Max(), total);
  scan.ExclusiveSum(x, y, last);
  scan.ExclusiveScan(x, y, cub::Max(), last);
  scan.ExclusiveScan(x, y, cub::Max(), total);
  scan.ExclusiveScan(x, y, 3, cub::Max(), total);
  scan.InclusiveSum(items, sums);
  scan.InclusiveSum(items, sums, total);
  scan.InclusiveScan(items, sums, cub::Max(), last);
  scan.InclusiveScan(items, sums, 3, cub::Max());
  scan.InclusiveScan(items, sums, 3, cub::Max(), total);
  scan.ExclusiveSum(items, sums);
  scan.ExclusiveSum(items, sums, total);
  scan.ExclusiveScan(items, sums, cub::Max());
  scan.ExclusiveScan(items, sums, cub::Max(), total);
  scan.ExclusiveScan(items, sums, cub::Max(), last);
  scan.ExclusiveScan(items, sums, 3, cub::Max(), total);
  __shared__ cub::WarpReduce<int>::TempStorage reduce_temp;
  cub::WarpReduce<int> reduce(reduce_temp);
  total += reduce.Sum(items) + reduce.Min(x) + reduce.Min(x, 3) + reduce.Max(x, 3) + reduce.Reduce(items, cub::Max());
  total += reduce.HeadSegmentedReduce(x, 1, cub::Max()) + reduce.TailSegmentedSum(x, 1);
  __shared__ cub::WarpScan<int>::TempStorage scan_temp;
  cub::WarpScan<int> warp(scan_temp);
  warp.InclusiveSum(x, y, total);
  warp.InclusiveScan(x, y, 3, cub::Max());
  warp.InclusiveScan(x, y, 3, cub::Max(), total);
  warp.ExclusiveSum(x, y);
  warp.ExclusiveScan(x, y, cub::Max());
  warp.ExclusiveScan(x, y, cub::Max(), total);
  warp.ExclusiveScan(x, y, 3, cub::Max(), total);
  warp.Scan(x, y, z, cub::Max());
  warp.Scan(x, y, z, 3, cub::Max());
  out[0] = x + y + z + total + sums[0];
}

template <cub::BlockLoadAlgorithm Load, cub::BlockStoreAlgorithm Store>
__device__ void move_by(const int* in, int* out) {
  int items[2];
  cub::BlockLoad<int, 64, 2, Load>().Load(in, items);
  cub::BlockStore<int, 64, 2, Store>().Store(out, items);
}
template <cub::WarpLoadAlgorithm Load, cub::WarpStoreAlgorithm Store>
__device__ void move_in_warp(const int* in, int* out) {
  int items[2];
  __shared__ typename cub::WarpLoad<int, 2, Load>::TempStorage load;
  __shared__ typename cub::WarpStore<int, 2, Store>::TempStorage store;
  cub::WarpLoad<int, 2, Load>(load).Load(in, items);
  cub::WarpLoad<int, 2, Load>(load).Load(in, items, 7, 0);
  cub::WarpStore<int, 2, Store>(store).Store(out, items);
}
__global__ void use_loads_and_stores(int* in, int* out) {
  move_by<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(in, out);
  move_by<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(in, out);
  move_by<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(in, out);
  move_by<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(in, out);
  move_by<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(in, out);
  move_by<cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>(in, out);
  move_in_warp<cub::WARP_LOAD_DIRECT, cub::WARP_STORE_DIRECT>(in, out);
  move_in_warp<cub::WARP_LOAD_STRIPED, cub::WARP_STORE_STRIPED>(in, out);
  move_in_warp<cub::WARP_LOAD_VECTORIZE, cub::WARP_STORE_VECTORIZE>(in, out);
  move_in_warp<cub::WARP_LOAD_TRANSPOSE, cub::WARP_STORE_TRANSPOSE>(in, out);
  int items[2];
  cub::LoadDirectBlocked(0, in, items);
  cub::LoadDirectBlocked(0, in, items, 1);
  cub::LoadDirectBlockedVectorized(0, in, items);
  cub::LoadDirectStriped<64>(0, in, items, 1, 0);
  cub::LoadDirectWarpStriped(0, in, items, 1);
  cub::LoadDirectWarpStriped(0, in, items, 1, 0);
  cub::StoreDirectBlocked(0, out, items);
  cub::StoreDirectBlockedVectorized(0, out, items);
  cub::StoreDirectStriped<64>(0, out, items, 1);
  cub::StoreDirectWarpStriped(0, out, items, 1);
  cub::CountingInputIterator<int> counting(3);
  cub::ConstantInputIterator<int> constant(3);
  cub::CastOp<int> cast;
  cub::TransformInputIterator<int, cub::CastOp<int>, int*> transformed(in, cast);
  cub::CacheModifiedInputIterator<cub::LOAD_LDG, int> cached(in);
  out[0] = *(counting + 1) + counting[2] + *(constant + 1) + *(transformed + 1) + *(cached + 1) + cached[1];
  out[1] = cub::ThreadLoad<cub::LOAD_DEFAULT>(in) + cub::ThreadLoad<cub::LOAD_VOLATILE>(in);
  cub::ThreadStore<cub::STORE_DEFAULT>(out, 1);
  cub::ThreadStore<cub::STORE_VOLATILE>(out, 1);
  const cub::CacheLoadModifier loads[] = {cub::LOAD_CA, cub::LOAD_CG, cub::LOAD_CS, cub::LOAD_CV};
  const cub::CacheStoreModifier stores[] = {cub::STORE_WB, cub::STORE_CG, cub::STORE_CS, cub::STORE_WT};
  out[2] = loads[1] + stores[1] + cub::ThreadReduce(items, cub::Max()) + cub::ThreadReduce(items, cub::Max(), 3);
}

__global__ void use_exchanges_and_sorts(int* out) {
  int x = threadIdx.x;
  int items[2] = {x, x + 1}, other[2], ranks[2] = {2 * x, 2 * x + 1};
  bool flags[2] = {true, true};
  cub::BlockExchange<int, 64, 2> exchange;
  exchange.BlockedToStriped(items);
  exchange.BlockedToWarpStriped(items);
  exchange.WarpStripedToBlocked(items);
  exchange.ScatterToBlocked(items, ranks);
  exchange.ScatterToStriped(items, other, ranks);
  exchange.ScatterToStripedFlagged(items, ranks, flags);
  static_assert(cub::WARP_EXCHANGE_SMEM != cub::WARP_EXCHANGE_SHUFFLE);
  cub::WarpExchangeAlgorithm algorithm = cub::WARP_EXCHANGE_SMEM;
  __shared__ cub::WarpExchange<int, 2>::TempStorage warp;
  cub::WarpExchange<int, 2>(warp).ScatterToStriped(items, other, ranks);
  cub::BlockRadixSort<int, 64, 2, int> sort;
  sort.Sort(items);
  sort.SortDescending(items, other);
  sort.SortBlockedToStriped(items, other);
  sort.SortDescendingBlockedToStriped(items);
  auto less = [](int a, int b) { return a < b; };
  cub::BlockMergeSort<int, 64, 2, int> merge;
  merge.Sort(items, less);
  merge.Sort(items, less, 5, 1000);
  merge.StableSort(items, less, 5, 1000);
  merge.StableSort(items, other, less);
  merge.StableSort(items, other, less, 5, 1000);
  __shared__ cub::WarpMergeSort<int, 2>::TempStorage merge_temp;
  cub::WarpMergeSort<int, 2>(merge_temp).StableSort(items, less);
  out[x] = items[0] + other[0] + algorithm + (cub::Traits<int>::TwiddleIn(5) != 0);
}

__global__ void use_neighbours(int* out) {
  int x = threadIdx.x;
  int items[2] = {x, x + 1}, heads[2], tails[2];
  cub::BlockDiscontinuity<int, 64> flags;
  flags.FlagTails(tails, items, cub::Inequality());
  flags.FlagHeadsAndTails(heads, tails, items, cub::Inequality());
  flags.FlagHeadsAndTails(heads, tails, 3, items, cub::Inequality());
  flags.FlagHeadsAndTails(heads, 3, tails, items, cub::Inequality());
  flags.FlagHeadsAndTails(heads, 3, tails, 4, items, [](int a, int b, int at) { return a != b && at > 0; });
  cub::BlockAdjacentDifference<int, 64> difference;
  difference.SubtractLeft(items, heads, cub::Difference(), 3);
  difference.SubtractLeftPartialTile(items, heads, cub::Difference(), 9);
  difference.SubtractRight(items, heads, cub::Difference());
  difference.SubtractRightPartialTile(items, heads, cub::Difference(), 9);
  cub::BlockShuffle<int, 64> shuffle;
  shuffle.Up(items, heads);
  shuffle.Down(items, tails);
  __shared__ float bins[8];
  __shared__ long long wide[8];
  cub::BlockHistogram<int, 64, 2, 8, cub::BLOCK_HISTO_ATOMIC> histogram;
  histogram.InitHistogram(bins);
  histogram.Histogram(items, wide);
  histogram.Composite(items, bins);
  cub::BlockHistogramAlgorithm algorithm = cub::BLOCK_HISTO_SORT;
  out[x] = heads[0] + tails[0] + int(bins[0]) + algorithm;
}

__global__ void use_small_things(int* out) {
  using Pair = cub::KeyValuePair<int, float>;
  Pair a(1, 2.0f), b(2, 3.0f);
  static_assert(cub::Log2<9>::VALUE == 4 && cub::Log2<8>::VALUE == 3 && cub::Log2<1>::VALUE == 0);
  static_assert(cub::PowerOfTwo<8>::VALUE && !cub::PowerOfTwo<9>::VALUE && cub::Int2Type<3>::VALUE == 3);
  cub::NullType none, other;
  none = 3;
  int sum = none == other;
  sum += cub::Equality()(1, 1) + cub::Inequality()(1, 1) + cub::Division()(4, 2);
  sum += cub::InequalityWrapper<cub::Equality>(cub::Equality())(1, 2) + cub::Min()(1, 2) + cub::Max()(1, 2);
  sum += cub::ArgMax()(a, b).key + cub::ArgMin()(a, b).key + (a != b) + cub::CastOp<int>()(1.5f);
  sum += cub::SwizzleScanOp<cub::Difference>(cub::Difference())(1, 2);
  sum += cub::ReduceBySegmentOp<cub::Sum>(cub::Sum())(a, b).key + cub::ReduceByKeyOp<cub::Sum>(cub::Sum())(a, b).key;
  sum += cub::ReduceBySegmentOp<cub::Sum>()(a, b).key + cub::ReduceByKeyOp<cub::Sum>()(a, b).key;
  sum += cub::ShuffleIndex<32>(sum, 3, 0xffffffffu) + cub::ShuffleUp<32>(sum, 1, 0, 0xffffffffu);
  sum += cub::ShuffleDown<32>(a, 1, 31, 0xffffffffu).key + cub::BFE(0xff00u, 4, 8) + cub::WarpMask<16>(1);
  cub::Swap(a, b);
  out[0] = sum + a.key;
}

__global__ void use_pitched_memory(cudaPitchedPtr p, unsigned long* out) {
  cudaExtent extent = make_cudaExtent(1, 2, 3);
  cudaPos pos = make_cudaPos(1, 2, 3);
  out[0] = p.pitch + extent.depth + pos.z;
}

template <class State>
__device__ double draw(State* state, curandDiscreteDistribution_t discrete) {
  double sum = curand(state) + curand_uniform(state) + curand_uniform_double(state) + curand_normal(state);
  sum += curand_normal_double(state) + curand_log_normal(state, 0, 1) + curand_log_normal_double(state, 0, 1);
  return sum + curand_poisson(state, 3) + curand_poisson(state, 2000) + curand_discrete(state, discrete);
}
template <class State>
__device__ double draw_pairs(State* state) {
  double sum = curand_normal2(state).x + curand_normal2_double(state).x + curand_log_normal2(state, 0, 1).x;
  return sum + curand_log_normal2_double(state, 0, 1).x;
}
__global__ void use_curand(double* out, curandDiscreteDistribution_t discrete) {
  curandState_t xorwow;
  curandStateXORWOW_t same;
  curandState again;
  curandStatePhilox4_32_10_t philox;
  curandStateMRG32k3a_t mrg;
  curand_init(1, 2, 3, &xorwow);
  curand_init(1, 2, 3, &philox);
  curand_init(1, 2, 3, &mrg);
  same = again = xorwow;
  double sum = draw(&xorwow, discrete) + draw(&same, discrete) + draw(&again, discrete);
  sum += draw(&philox, discrete) + draw(&mrg, discrete);
  out[0] = sum + draw_pairs(&xorwow) + draw_pairs(&philox) + draw_pairs(&mrg);
}
__global__ void use_curand_sobol(double* out, curandDirectionVectors32_t* v, curandDirectionVectors64_t* w,
                                 curandDiscreteDistribution_t discrete) {
  curandStateSobol32_t a;
  curandStateScrambledSobol32_t b;
  curandStateSobol64_t c;
  curandStateScrambledSobol64_t d;
  curand_init(v[0], 1, &a);
  curand_init(v[1], 1, 2, &b);
  curand_init(w[0], 1, &c);
  curand_init(w[1], 1, 2, &d);
  out[0] = draw(&a, discrete) + draw(&b, discrete) + draw(&c, discrete) + draw(&d, discrete);
}
__global__ void use_curand_mtgp(double* out, curandStateMtgp32_t* state, mtgp32_kernel_params_t* tables,
                                curandDiscreteDistribution_t discrete) {
  state->k = tables;
  out[threadIdx.x] = draw(state, discrete) + sizeof(curandStateMtgp32) + sizeof(mtgp32_kernel_params);
}
__global__ void use_curand_types(curandHistogramM2_t histogram, curandDistributionM2Shift_t shifted,
                                 curandDiscreteDistribution_t discrete) {
  const curandMethod methods[] = {
      CURAND_CHOOSE_BEST, CURAND_ITR, CURAND_KNUTH, CURAND_HITR, CURAND_M1, CURAND_M2, CURAND_BINARY_SEARCH,
      CURAND_DISCRETE_GAUSS, CURAND_REJECTION, CURAND_DEVICE_API, CURAND_FAST_REJECTION, CURAND_3RD,
      CURAND_DEFINITION, CURAND_POISSON};
  curandHistogramM2_st a = *histogram;
  curandDistributionM2Shift_st b = *shifted;
  curandDiscreteDistribution_st c = *discrete;
  curandMethod_t method = methods[threadIdx.x % 14];
  c.method = method;
  c.host_gen = a.host_gen + b.host_gen;
  c.mean = sizeof(curandStateMRG32k3a) + sizeof(curandStateSobol32) + sizeof(curandStateScrambledSobol32);
  c.stddev = sizeof(curandStateSobol64) + sizeof(curandStateScrambledSobol64);
  *discrete = c;
}

template <class... T>
__device__ void use_decode(int* out, T&... runs) {
  cub::BlockRunLengthDecode<int, 64, 2, 3> decode(runs...);
  int items[3], places[3];
  decode.RunLengthDecode(items);
  decode.RunLengthDecode(items, places, 6);
  out[threadIdx.x] = items[0] + places[0];
}
__global__ void use_thread_algorithms(int* out) {
  int runs[2] = {1, 2}, lengths[2] = {3, 4}, total;
  use_decode(out, runs, lengths, total);
  use_decode(out, runs, lengths);
  int2 path;
  cub::MergePathSearch(2, runs, lengths, 2, 2, path);
  cub::StableOddEvenSort(runs, lengths, [](int a, int b) { return a > b; });
  out[0] = cub::LowerBound(runs, 2, 1) + cub::UpperBound(runs, 2, 1) + path.x;
}
