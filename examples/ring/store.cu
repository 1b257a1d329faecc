// A key-value store: put, get and erase in a table in the actor's buffer (store.cpp, docs/ring_examples.md).
// A message is an operation, a key and a value:
//
//   quern ring run examples/ring/store.cu '{1, 7, 42}' '{0, 7, 0}' '{2, 7, 0}' '{0, 7, 0}' --buffer 'u64[131072]=0'
struct Entry { unsigned key; unsigned use; unsigned long long value; };  // use: 0 never, 1 now, 2 erased
struct State { unsigned count; };
struct Message { unsigned what; unsigned key; unsigned long long value; };
struct Reply { unsigned long long value; unsigned was_there; };
constexpr unsigned kGet = 0, kPut = 1, kErase = 2, kPlaces = 1u << 16;

// The key's position, or the first free one of its probe sequence; kPlaces: the table is full.
__device__ unsigned find(const Entry* table, unsigned key) {
  unsigned free = kPlaces;
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned at = (key * 2654435761u + i) & (kPlaces - 1);
    if (table[at].use == 1 && table[at].key == key) return at;
    if (table[at].use != 1 && free == kPlaces) free = at;
    if (table[at].use == 0) break;
  }
  return free;
}

__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  Entry* const table = context.buffer<Entry>(0);
  const unsigned at = find(table, m.key);
  if (at == kPlaces) {
    context.fail(1);
    return Reply{};
  }
  const bool is_there = table[at].use == 1;
  const Reply reply{is_there ? table[at].value : 0ull, is_there ? 1u : 0u};
  if (m.what == kPut) {
    table[at] = Entry{m.key, 1u, m.value};
    state.count += is_there ? 0u : 1u;
  }
  if (m.what == kErase && is_there) {
    table[at].use = 2u;
    state.count -= 1u;
  }
  return reply;
}
