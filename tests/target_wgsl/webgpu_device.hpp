// A WebGPU device whose library validates and runs WGSL: naga in wgpu-native, Tint in Dawn. It uses the
// driver's calls, but checks bounds and binds buffers as the text declares them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/webgpu/gpu.hpp"

namespace quern::test {

struct WebgpuBuffer {
  std::vector<std::byte> bytes;  // the input, and afterwards the output
  bool is_read_only = false;
};

struct WebgpuLaunch {
  std::string text, entry;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  std::optional<uint32_t> shared_words;  // if the text has such memory
  std::vector<std::byte> arguments;      // the uniform block; empty: the text has none
  std::vector<WebgpuBuffer> buffers;     // by binding; without bytes: not in the text
};

class WebgpuDevice {
 public:
  // The device of this process; null with the reason if there is none.
  static WebgpuDevice* get(std::string& why_not);

  // The errors of the compiler for the text; empty: none.
  std::string validate(const std::string& text);
  // The same for a run.
  std::string run(WebgpuLaunch& launch);

  bool has_subgroups() const { return has_subgroups_; }

 private:
  webgpu::Result<> open();
  webgpu::Result<> try_run(WebgpuLaunch& launch);
  webgpu::Result<webgpu::Owned> make_module(const std::string& text);
  webgpu::Result<webgpu::Owned> make_buffer(uint64_t usage, std::span<const std::byte> bytes);
  webgpu::Result<webgpu::Owned> make_pipeline(const WebgpuLaunch& launch, webgpu::Handle module,
                                              webgpu::Handle layout);
  webgpu::Result<> read_back(const webgpu::Owned& buffer, std::span<std::byte> to);

  std::shared_ptr<webgpu::Gpu> gpu_;
  bool has_subgroups_ = false;
};

}  // namespace quern::test
