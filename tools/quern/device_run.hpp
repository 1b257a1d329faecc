// Runs one kernel on one device with arguments from the command line: `quern run` does this once, or twice to
// compare.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "command.hpp"
#include "runtime/argument_text.hpp"
#include "runtime/module.hpp"
#include "runtime/stream.hpp"

namespace quern::tool {

struct RunRequest {
  runtime::Source source;
  std::string kernel;  // empty: the only kernel of the file
  std::vector<std::string> arguments;
  std::optional<driver::Dim3> grid, block;
  std::optional<uint64_t> threads;
  uint64_t shared_bytes = 0;
  driver::Dim3 cluster{0, 0, 0};
  uint64_t repeat = 1;
};

// "32,8"; `name` is the option's.
base::Result<driver::Dim3> parse_dim(std::string_view name, const std::string& text);

// Reads the file and the options that specify what to run (not where).
base::Result<RunRequest> parse_request(const Arguments& arguments);

// A parameter with its argument, and a buffer's content afterwards.
struct RunArgument {
  driver::ParamInfo param;
  const ir::Type* element = nullptr;  // of buffers; null: shown as the numbers that were given
  bool is_buffer = false;
  runtime::HostBuffer given;
  runtime::MemoryPtr memory;
  std::optional<ArgumentKind> texture;  // a texture or a surface
  std::vector<std::byte> value;         // of a scalar or struct; the descriptor of a texture
  std::vector<std::byte> content;       // of a buffer, after the run

  uint64_t element_bytes() const;
  uint64_t count() const { return content.size() / element_bytes(); }
  std::string text(uint64_t index) const;  // an element as readable text
};

class DeviceRun {
 public:
  // Opens the device, compiles, binds, launches `repeat` times, and copies the results to the host.
  static base::Result<std::unique_ptr<DeviceRun>> run(const RunRequest& request, const std::string& device);

  const runtime::Device& device() const { return *device_; }
  const std::string& kernel() const { return kernel_->info().name; }
  const driver::Launch& launch() const { return launched_; }
  const std::vector<RunArgument>& arguments() const { return arguments_; }
  const RunArgument* buffer(std::string_view name) const;
  const std::vector<double>& seconds() const { return seconds_; }  // per launch
  double best() const;
  double compile_seconds() const { return compile_seconds_; }
  bool is_from_cache() const { return is_from_cache_; }  // nothing was compiled
  const std::string& printed() const { return printed_; }
  driver::FeatureSet software() const { return kernel_->software(); }  // computed in software, slowly
  uint32_t segments() const { return kernel_->split() ? kernel_->split()->segments : 1; }
  const driver::Kernel& code() const { return kernel_->native(); }
  driver::Occupancy occupancy() const {
    const auto threads = static_cast<uint32_t>(launched_.block.count());
    return device_->native().occupancy(kernel_->native(), threads, launched_.shared_bytes);
  }
  const std::vector<driver::Finding>& findings() const { return findings_; }
  bool clean() const { return findings_.empty() && !fault_; }
  const std::optional<base::Error>& fault() const { return fault_; }

 private:
  base::Result<void> prepare(const RunRequest& request);
  base::Result<void> bind(const RunRequest& request);
  base::Result<void> bind_one(RunArgument& argument, const ir::Param* param, const std::string& text);
  base::Result<void> bind_texture(RunArgument& argument, const std::string& text);
  base::Result<void> bind_buffer(RunArgument& argument, const ir::Param* param, const std::string& text);
  base::Result<runtime::LaunchConfig> shape(const RunRequest& request) const;
  base::Result<void> execute(const RunRequest& request);
  base::Result<void> take_back();

  std::shared_ptr<runtime::Device> device_;
  std::shared_ptr<runtime::Module> program_;
  std::shared_ptr<runtime::Module> types_;  // the same code, if the device has no type information
  std::shared_ptr<runtime::Kernel> kernel_;
  std::vector<RunArgument> arguments_;
  driver::Launch launched_;
  std::vector<double> seconds_;
  double compile_seconds_ = 0;
  bool is_from_cache_ = false;
  std::string printed_;
  std::shared_ptr<void> output_;  // appends to printed_
  std::vector<driver::Finding> findings_;
  std::optional<base::Error> fault_;
};

}  // namespace quern::tool
