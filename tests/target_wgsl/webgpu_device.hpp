// A WebGPU device through wgpu-native, whose shader compiler is naga: it validates and runs WGSL.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/shared_library.hpp"
#include "target_wgsl/webgpu.hpp"

namespace quern::test {

struct WebgpuBuffer {
  std::vector<std::byte> bytes;  // the input, and afterwards the output
  bool is_read_only = false;
  webgpu::Handle handle = nullptr;
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

  const webgpu::Limits& limits() const { return limits_; }
  bool has_subgroups() const { return has_subgroups_; }

 private:
  std::string open();
  std::string find_library();
  webgpu::Handle make_buffer(uint64_t usage, std::span<const std::byte> bytes);
  webgpu::Handle make_module(const std::string& text);
  webgpu::Handle make_layout(const std::vector<webgpu::LayoutEntry>& entries);
  webgpu::Handle make_group(webgpu::Handle layout, const std::vector<webgpu::GroupEntry>& entries);
  webgpu::Handle make_pipeline(const WebgpuLaunch& launch, webgpu::Handle module, webgpu::Handle layout);
  void read_back(WebgpuBuffer& buffer);
  std::string take_errors();

  std::optional<base::SharedLibrary> library_;
  webgpu::Api api_;
  webgpu::Limits limits_;
  bool has_subgroups_ = false;
  webgpu::Handle instance_ = nullptr, adapter_ = nullptr, device_ = nullptr, queue_ = nullptr;
  std::string errors_;
};

}  // namespace quern::test
