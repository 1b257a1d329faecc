#include "ring/engine.hpp"

namespace quern::ring {

Buffer<std::uint64_t> KernelEngine::allocate_zeros(std::uint64_t words) const {
  auto buffer = parts_.device.allocate<std::uint64_t>(words, MemoryKind::device, "ring");
  buffer.fill(0);
  return buffer;
}

void KernelEngine::allocate_own() {
  own_ = parts_.own;
  if (own_.empty()) {
    allocated_ = allocate_zeros(parts_.layout.own_words);
    own_ = allocated_;
  }
  kernel_ = parts_.module.kernel(kRunKernel);
}

void KernelEngine::replace(Module module) {
  kernel_ = module.kernel(kRunKernel);
  parts_.module = std::move(module);
}

void KernelEngine::read_own(std::uint64_t at, std::span<std::uint64_t> to) const {
  own_.slice(at, to.size()).download(to);
}

void KernelEngine::write_own(std::uint64_t at, std::span<const std::uint64_t> from) const {
  own_.slice(at, from.size()).upload(from);
}

void KernelEngine::launch(const Stream& stream, const Argument& to_device, const Argument& to_host,
                          std::uint32_t first, std::uint32_t blocks) {
  constexpr std::size_t kBuffers = 4;
  std::vector<Argument> arguments{to_device, to_host, Argument(own_)};
  for (std::size_t i = 0; i < kBuffers; ++i) {
    arguments.push_back(i < parts_.options.buffers.size() ? parts_.options.buffers[i] : Argument(nullptr));
  }
  arguments.emplace_back(first);
  arguments.emplace_back(parts_.workers);
  arguments.emplace_back(parts_.options.batch);
  const quern::LaunchConfig grid = quern::grid(blocks, parts_.plan.threads).shared(parts_.layout.flow_bytes);
  stream.launch_list(kernel_, grid, arguments);
  ++launches_;
}

}  // namespace quern::ring
