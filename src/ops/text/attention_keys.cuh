// The shape of a problem of attention, and the keys that its queries attend to.

namespace quern_ops {

// A row is a query of one head: those of the heads that share keys are neighbors.
struct AttentionShape {
  long long batches, heads, group, queries, keys, extent;  // `heads`: of keys and values; `group`: queries' heads of each
  long long is_causal, window, splits;
  Line lengths;
  __device__ long long rows() const { return group * queries; }
};

// The keys that a query attends to: [begin, end).
struct KeyRange {
  long long begin, end;
};
__device__ KeyRange keys_of(const AttentionShape& shape, long long length, long long query) {
  const long long position = query + length - shape.queries;
  KeyRange range{0, length};
  if (shape.window > 0) range.begin = max(position - shape.window + 1, 0ll);
  if (shape.is_causal != 0) range.end = min(max(position + 1, 0ll), length);
  return range;
}

__device__ long long length_of(const AttentionShape& shape, const int* lengths, long long batch) {
  if (lengths == nullptr) return shape.keys;
  return min(max(static_cast<long long>(lengths[shape.lengths[batch]]), 0ll), shape.keys);
}

}  // namespace quern_ops
