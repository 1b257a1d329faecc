// An actor that counts: quern ring run examples/ring/counter.cu 5 7
struct State {
  long total;
};
struct Message {
  int add;
};
using Reply = long;

__device__ Reply on_message(State& state, const Message& message, quern::ring::Context&) {
  return state.total += message.add;
}
