// <cuda/pipeline> and cuda::memcpy_async. If copies complete when they are issued, a pipeline only orders its
// producers and consumers.

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

// The phase of a barrier does not complete before the copies that this thread has issued.
template <class Barrier>
__device__ void __follow_copies(Barrier& barrier) {
  if (__quern_copy_form() != 1u) return;
  if (barrier.__is_object()) {
    __quern_async_arrive(&barrier);
  } else {
    __finish_copies();
  }
}

template <int Scope>
struct pipeline {
  __pipeline_stage<Scope>* __stages;  // nullptr: of one thread, whose batches are its groups of copies
  unsigned __count, __head, __tail;
  bool __produces, __consumes;

  __device__ void producer_acquire() {
    if (__stages == nullptr || __head < __count) return;
    __stages[__head % __count].__consumed.__wait_parity(__head / __count - 1 & 1u);
  }
  __device__ void producer_commit() {
    if (__stages != nullptr) {
      __follow_copies(__stages[__head % __count].__produced);
      __stages[__head % __count].__produced.arrive();
    } else {
      __commit_copies();
    }
    ++__head;
  }
  __device__ void consumer_wait() {
    if (__stages != nullptr) {
      __stages[__tail % __count].__produced.__wait_parity(__tail / __count & 1u);
    } else {
      __wait_for_copies(__head - __tail - 1);
    }
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
  if (p.__stages == nullptr) return __wait_for_copies(Prior);
  // All but the last `Prior` batches that this thread committed.
  unsigned last = p.__head - Prior;
  for (unsigned i = p.__tail; int(last - i) > 0; ++i) {
    p.__stages[i % p.__count].__produced.__wait_parity(i / p.__count & 1u);
  }
}
template <int PipelineScope, int BarrierScope, class Completion>
__device__ void pipeline_producer_commit(pipeline<PipelineScope>&,
                                         barrier<BarrierScope, Completion>& barrier) {
  __follow_copies(barrier);
}

// The object that is notified of the end of a copy: a pipeline is notified when the batch is committed.
template <int Scope, class Completion>
__device__ void __tell_of_copies(barrier<Scope, Completion>& barrier) {
  __follow_copies(barrier);
}
template <int Scope>
__device__ void __tell_of_copies(pipeline<Scope>&) {}

template <class Size> struct __alignment_of { static constexpr unsigned value = 1; };
template <unsigned long Alignment> struct __alignment_of<aligned_size_t<Alignment>> {
  static constexpr unsigned value = Alignment;
};
template <class T, class Size>
__device__ constexpr unsigned __alignment() {
  constexpr unsigned promised = __alignment_of<Size>::value;
  if constexpr (std::is_void_v<T>) {
    return promised;
  } else {
    return alignof(T) > promised ? alignof(T) : promised;
  }
}
template <class To, class From, class Size, class Sync>
__device__ void memcpy_async(To* to, const From* from, Size bytes, Sync& sync) {
  constexpr unsigned of_to = __alignment<To, Size>(), of_from = __alignment<From, Size>();
  if (__copy_beside<(of_to < of_from ? of_to : of_from)>(to, from, (unsigned long)bytes, 0, 1)) {
    __tell_of_copies(sync);
  } else {
    __quern_mem_copy(to, from, (unsigned long)bytes);
  }
}
template <class Group, class T, class Size, class Sync>
__device__ void memcpy_async(const Group& g, T* to, const T* from, Size bytes, Sync& sync) {
  if constexpr (std::is_void_v<T>) {
    memcpy_async(g, (char*)to, (const char*)from, bytes, sync);
  } else {
    if (__copy_beside<__alignment<T, Size>()>(to, from, (unsigned long)bytes, g.thread_rank(), g.size())) {
      __tell_of_copies(sync);
      return;
    }
    const unsigned long count = (unsigned long)bytes / sizeof(T);
    for (unsigned long i = g.thread_rank(); i < count; i += g.size()) to[i] = from[i];
  }
}
template <class Group, class Size, class Sync>
__device__ void memcpy_async(const Group& g, void* to, const void* from, Size bytes, Sync& sync) {
  memcpy_async(g, (char*)to, (const char*)from, bytes, sync);
}
}  // namespace cuda
