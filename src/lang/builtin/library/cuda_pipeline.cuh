// <cuda/pipeline> and <cuda_pipeline.h>. A copy is done when it is asked for; what is left of a pipeline is
// the order between its producers and consumers.

namespace cuda {
template <unsigned long Alignment>
struct aligned_size_t {
  static constexpr unsigned long align = Alignment;
  unsigned long value;
  __device__ constexpr explicit aligned_size_t(unsigned long size) : value(size) {}
  __device__ constexpr operator unsigned long() const { return value; }
};

enum class pipeline_role { producer, consumer };

// Produced: filled by all producers; consumed: read by all consumers.
template <int Scope>
struct __pipeline_stage {
  barrier<Scope> __produced, __consumed;
};
template <int Scope, unsigned Stages>
struct pipeline_shared_state {
  __pipeline_stage<Scope> __stages[Stages];
  unsigned __producers;
};

template <int Scope>
struct pipeline {
  __pipeline_stage<Scope>* __stages;  // nullptr: of one thread, which finds its copies done
  unsigned __count, __head, __tail;
  bool __produces, __consumes;

  __device__ void producer_acquire() {
    if (__stages == nullptr || __head < __count) return;
    __stages[__head % __count].__consumed.__wait_parity(__head / __count - 1 & 1u);
  }
  __device__ void producer_commit() {
    if (__stages != nullptr) __stages[__head % __count].__produced.arrive();
    ++__head;
  }
  __device__ void consumer_wait() {
    if (__stages != nullptr) __stages[__tail % __count].__produced.__wait_parity(__tail / __count & 1u);
  }
  __device__ void consumer_release() {
    if (__stages != nullptr) __stages[__tail % __count].__consumed.arrive();
    ++__tail;
  }
  __device__ bool quit() {
    for (unsigned i = 0; i < __count && __stages != nullptr; ++i) {
      if (__produces) __stages[i].__produced.arrive_and_drop();
      if (__consumes) __stages[i].__consumed.arrive_and_drop();
    }
    return true;
  }
};
__device__ pipeline<3> make_pipeline() { return pipeline<3>{nullptr, 1u, 0u, 0u, true, true}; }

template <class Group, int Scope, unsigned Stages>
__device__ pipeline<Scope> __start_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state,
                                            unsigned producers, unsigned consumers, bool produces,
                                            bool consumes) {
  if (g.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; ++i) {
      init(&state->__stages[i].__produced, producers);
      init(&state->__stages[i].__consumed, consumers);
    }
  }
  g.sync();
  return pipeline<Scope>{state->__stages, Stages, 0u, 0u, produces, consumes};
}
template <class Group, int Scope, unsigned Stages>
__device__ pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state) {
  return __start_pipeline(g, state, unsigned(g.size()), unsigned(g.size()), true, true);
}
template <class Group, int Scope, unsigned Stages>
__device__ pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state,
                                         unsigned long producers) {
  bool produces = g.thread_rank() < producers;
  return __start_pipeline(g, state, unsigned(producers), unsigned(g.size() - producers), produces, !produces);
}
template <class Group, int Scope, unsigned Stages>
__device__ pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state,
                                         pipeline_role role) {
  bool produces = role == pipeline_role::producer;
  if (g.thread_rank() == 0) state->__producers = 0;
  g.sync();
  if (produces) __quern_atomic_add(&state->__producers, 1u, 0);
  g.sync();
  unsigned producers = state->__producers;
  return __start_pipeline(g, state, producers, unsigned(g.size()) - producers, produces, !produces);
}
template <unsigned Prior, int Scope>
__device__ void pipeline_consumer_wait_prior(pipeline<Scope>& p) {
  if (p.__stages == nullptr) return;
  // All but the last `Prior` batches that this thread committed.
  unsigned last = p.__head - Prior;
  for (unsigned i = p.__tail; int(last - i) > 0; ++i) {
    p.__stages[i % p.__count].__produced.__wait_parity(i / p.__count & 1u);
  }
}
template <int PipelineScope, int BarrierScope, class Completion>
__device__ void pipeline_producer_commit(pipeline<PipelineScope>&, barrier<BarrierScope, Completion>&) {}

// The copy itself, and whoever asks to be told about its end.
template <class To, class From, class Size, class Sync>
__device__ void memcpy_async(To* to, const From* from, Size bytes, Sync&) {
  __quern_mem_copy(to, from, (unsigned long)bytes);
}
template <class Group, class T, class Size, class Sync>
__device__ void memcpy_async(const Group& g, T* to, const T* from, Size bytes, Sync&) {
  if constexpr (std::is_void_v<T>) {
    char* bytes_to = (char*)to;
    const char* bytes_from = (const char*)from;
    unsigned long count = (unsigned long)bytes;
    for (unsigned long i = g.thread_rank(); i < count; i += g.size()) bytes_to[i] = bytes_from[i];
  } else {
    unsigned long count = (unsigned long)bytes / sizeof(T);
    for (unsigned long i = g.thread_rank(); i < count; i += g.size()) to[i] = from[i];
  }
}
template <class Group, class Size, class Sync>
__device__ void memcpy_async(const Group& g, void* to, const void* from, Size bytes, Sync& sync) {
  memcpy_async(g, (char*)to, (const char*)from, bytes, sync);
}
}  // namespace cuda

__device__ void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes,
                                        unsigned long zero_bytes = 0) {
  __quern_mem_copy(to, from, bytes - zero_bytes);
  if (zero_bytes != 0) memset((char*)to + (bytes - zero_bytes), 0, zero_bytes);
}
__device__ void __pipeline_commit() {}
__device__ void __pipeline_wait_prior(unsigned long) {}
