// The objects that a page has created: devices, modules, kernels, buffers and timed launches, by number.
// There is one session for each instance of the WebAssembly module.
#pragma once

#include <map>

#include "web/compile.hpp"

namespace quern::web {

struct Device {
  std::unique_ptr<driver::Driver> driver;
  std::unique_ptr<driver::Device> native;
  std::unique_ptr<driver::Stream> stream;  // all work is in order
};

struct Kernel {
  uint32_t device = 0;
  std::shared_ptr<driver::Module> part;
  std::unique_ptr<driver::Kernel> native;
  driver::KernelInfo info;                // with the user's parameters only
  std::vector<driver::ParamInfo> hidden;  // the others
  uint32_t max_threads = 0;
};

struct Module {
  uint32_t device = 0;
  Source source;
  lang::Compilation compiled;
  std::shared_ptr<driver::Module> whole;  // of all kernels, if there are variables
  std::map<std::string, Kernel> kernels;  // that were launched
};

struct Buffer {
  uint32_t device = 0;
  std::unique_ptr<driver::Buffer> native;
};

struct Timing {
  uint32_t device = 0;
  std::unique_ptr<driver::Event> begin, end;
};

class Session {
 public:
  /// Executes a call. `failure` gets details of an error. Device calls may suspend the instance.
  Result<> call(const base::JsonValue& request, Json& json, Failure& failure);

 private:
  using Request = base::JsonValue;

  Result<> open(const Request& request, Json& json, Failure& failure);
  Result<> close(const Request& request, Json& json, Failure& failure);
  Result<> compile(const Request& request, Json& json, Failure& failure);
  Result<> unload(const Request& request, Json& json, Failure& failure);
  Result<> allocate(const Request& request, Json& json, Failure& failure);
  Result<> destroy(const Request& request, Json& json, Failure& failure);
  Result<> upload(const Request& request, Json& json, Failure& failure);
  Result<> download(const Request& request, Json& json, Failure& failure);
  Result<> fill(const Request& request, Json& json, Failure& failure);
  Result<> copy(const Request& request, Json& json, Failure& failure);
  Result<> launch(const Request& request, Json& json, Failure& failure);
  Result<> time(const Request& request, Json& json, Failure& failure);
  Result<> synchronize(const Request& request, Json& json, Failure& failure);

  Result<Device*> device(uint32_t id);
  /// Waits for all work; errors of kernels are reported here, and their output is written.
  Result<> finish(uint32_t id, Json& json, Failure& failure);
  /// The place in a buffer that the request names as `buffer`, `offset` and `bytes`.
  Result<driver::Place> place(std::string_view operation, const Request& request,
                              std::string_view member = "buffer");

  Result<Kernel*> kernel(Module& module, const std::string& name);
  Result<std::shared_ptr<driver::Module>> load(const Module& module, Device& device, const ir::Module& code);
  Result<std::shared_ptr<driver::Module>> load_part(Module& module, Device& device,
                                                    const ir::Function& function);

  uint32_t next_ = 1;
  std::map<uint32_t, Device> devices_;
  std::map<uint32_t, Module> modules_;
  std::map<uint32_t, Buffer> buffers_;
  std::map<uint32_t, Timing> timings_;
};

}  // namespace quern::web
