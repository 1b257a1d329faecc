// A shared library that runs Quern kernels on PyTorch tensors, in order on PyTorch's own CUDA stream. Python
// calls it through ctypes (pytorch.py).
//
// build: g++ -std=c++20 -O2 -shared -fPIC quern_torch.cpp -o libquern_torch.so $(pkg-config --cflags --libs
// quern)
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <quern/inline.hpp>
#include <quern/interop.hpp>

namespace interop = quern::interop;

namespace {

QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})

// Quern's device, in the primary context that PyTorch uses too, and one Stream for each of PyTorch's.
struct Runtime {
  quern::Device gpu = quern::open("cuda");
  std::mutex mutex;
  std::map<std::uint64_t, quern::Stream> streams;

  const quern::Stream& stream(std::uint64_t native) {
    const std::lock_guard lock(mutex);
    const auto known = streams.find(native);
    if (known != streams.end()) return known->second;
    const interop::cuda::Stream handle{reinterpret_cast<CUstream_st*>(native)};
    return streams.emplace(native, interop::adopt(gpu, handle)).first->second;
  }
};

Runtime& runtime() {
  static Runtime* const one =
      new Runtime();  // PyTorch's streams may be gone when static objects are destroyed
  return *one;
}

thread_local std::string last_error;

template <typename F>
int guarded(F&& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& e) {
    last_error = e.what();
    return 1;
  }
}

}  // namespace

extern "C" {

// What the last call of this thread that returned 1 failed with.
__attribute__((visibility("default"))) const char* quern_torch_error() { return last_error.c_str(); }

// y = a * x + y for two tensors of `n` floats, after the work that `stream` has and before what follows. The
// caller keeps the tensors until the stream has passed the kernel, as PyTorch's allocator does.
__attribute__((visibility("default"))) int quern_torch_saxpy(std::uint64_t x, std::uint64_t y,
                                                             std::uint64_t n, float a, std::uint64_t stream) {
  return guarded([&] {
    Runtime& r = runtime();
    const auto in = interop::adopt<float>(r.gpu, interop::cuda::Buffer{x}, n);
    auto out = interop::adopt<float>(r.gpu, interop::cuda::Buffer{y}, n);
    r.stream(stream).launch(saxpy, quern::threads(n), static_cast<int>(n), a, in, out);
  });
}
}
