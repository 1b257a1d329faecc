// Three actors in one kernel; the host sends numbers to the first (pipeline.cpp, docs/ring_examples.md).
//
//   quern ring run examples/ring/pipeline.cu:intake,worker,keeper '{27, 0, 0}' '{97, 0, 0}'
struct Job { unsigned number; unsigned steps; unsigned hops; };
struct Result { unsigned number; unsigned steps; unsigned hops; };

namespace intake {
struct State { unsigned taken; };
using Message = Job;
using Reply = Result;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  state.taken += 1;
  if (!context.send(1, Job{m.number, 0u, 1u})) context.fail(1);
  return Reply{};
}
}

namespace worker {
struct State { unsigned long long total; };
using Message = Job;
using Reply = Result;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  unsigned steps = 0;
  for (unsigned long long n = m.number; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  state.total += steps;
  context.send(2, Job{m.number, steps, m.hops + 1});
  return Reply{};
}
}

namespace keeper {
struct State { unsigned number; unsigned longest; };
using Message = Job;
using Reply = Result;
__device__ Reply on_message(State& state, const Message& m, quern::ring::Context& context) {
  if (m.steps > state.longest) {
    state.longest = m.steps;
    state.number = m.number;
  }
  context.publish(Result{m.number, m.steps, m.hops + 1});
  return Reply{};
}
}
