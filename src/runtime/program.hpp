// A module of kernels on a device. The text is understood when it is loaded; code for the device is made when
// a kernel is first asked for, and template kernels are instantiated by their names ("scan<float, 256>").
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/interface/code.hpp"
#include "lang/compile.hpp"
#include "runtime/device.hpp"
#include "runtime/source.hpp"

namespace quern::runtime {

class Program;

class Kernel {
 public:
  const driver::KernelInfo& info() const { return native_->info; }
  driver::Kernel& native() const { return *native_; }
  Device& device() const { return *device_; }
  uint64_t program_hash() const { return hash_; }
  double take_compile_seconds() { return compile_seconds_.exchange(0); }  // text to code; told once
  uint32_t max_threads() const;                                           // that a block of it may have
  ~Kernel();

 private:
  friend class Program;
  std::shared_ptr<Device> device_;
  std::shared_ptr<driver::Program> part_;
  std::unique_ptr<driver::Kernel> native_;
  uint64_t hash_ = 0;
  std::atomic<double> compile_seconds_{0};
};

class Program : public std::enable_shared_from_this<Program> {
 public:
  // Fails with all diagnostics when not one kernel can be had from the text.
  static Result<std::shared_ptr<Program>> load(std::shared_ptr<Device> device, Source source);

  const Source& source() const { return source_; }
  Device& device() const { return *device_; }
  std::vector<std::string> kernel_names() const;

  // An unknown name suggests the nearest; a kernel with mistakes gives its diagnostics. The same name gives
  // the same kernel.
  Result<std::shared_ptr<Kernel>> kernel(std::string_view name);

  bool has_variables() const;
  // The kernel in the IR, by the name it was asked for before; null: not asked for, or raw code.
  const ir::Function* function(std::string_view name);

  // Sets and reads a __device__ or __constant__ variable, in order with the device's own stream; waits.
  Result<> write(std::string_view variable, const void* from, uint64_t bytes, uint64_t offset);
  Result<> read(std::string_view variable, void* to, uint64_t bytes, uint64_t offset);

 private:
  Program(std::shared_ptr<Device> device, Source source)
      : device_(std::move(device)), source_(std::move(source)) {}
  Result<> understand();
  Result<std::shared_ptr<Kernel>> make(std::string_view name);
  Result<std::shared_ptr<Kernel>> make_raw(std::string_view name);
  Result<const ir::Module*> module_with(std::string_view name, std::string& canonical);
  Result<std::shared_ptr<driver::Program>> part_for(const ir::Module& module, const ir::Function& function);
  Result<driver::Place> variable(std::string_view name, uint64_t bytes, uint64_t offset);
  base::Error unknown(std::string_view name) const;

  std::shared_ptr<Device> device_;
  Source source_;
  std::mutex mutex_;
  lang::Compilation compiled_;
  std::vector<std::unique_ptr<lang::Compilation>> instances_;  // of templates, asked for later
  std::map<std::string, std::shared_ptr<Kernel>, std::less<>> kernels_;
  std::shared_ptr<driver::Program>
      whole_;  // with variables all kernels share one program, raw code is one too
};

}  // namespace quern::runtime
