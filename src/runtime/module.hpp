// A module of kernels on a device. The text is parsed when it is loaded. Code for the device is generated
// when a kernel is first requested, and template kernels are instantiated by name ("scan<float, 256>"). All
// kernels of a module share its __device__ variables, whenever they were requested.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "driver/interface/code.hpp"
#include "lang/compile.hpp"
#include "lang/pass/split_grid.hpp"
#include "runtime/device.hpp"
#include "runtime/source.hpp"
#include "runtime/texture_bindings.hpp"

namespace quern::runtime {

class Module;
struct LaunchTable;

class Kernel : public std::enable_shared_from_this<Kernel> {
 public:
  const driver::KernelInfo& info() const { return info_; }
  // Changes when its program is reloaded, which cannot happen during a stream's call: hold a stream's lock to
  // use it.
  driver::Kernel& native() const { return *native_; }
  Device& device() const { return *device_; }
  uint64_t program_hash() const { return hash_; }
  bool is_native() const { return is_native_; }  // device code, not the host compiler's
  bool has_compile_seconds() const { return compile_seconds_.load(std::memory_order_relaxed) != 0; }
  double take_compile_seconds() { return compile_seconds_.exchange(0); }  // from text to code; reported once
  void add_compile_seconds(double seconds) { compile_seconds_.fetch_add(seconds); }
  uint32_t max_threads() const { return max_threads_; }  // maximum per block
  // Parameters after those of info(), supplied by the runtime: check mode, pointers inside structs.
  std::span<const driver::ParamInfo> hidden() const { return hidden_; }
  // The texture that is bound to the module's texture reference; none: not bound.
  std::optional<BoundTexture> texture(const std::string& reference) const {
    return textures_ == nullptr ? std::nullopt : textures_->find(reference);
  }
  bool has_texture_references() const {
    return std::any_of(hidden_.begin(), hidden_.end(),
                       [](const driver::ParamInfo& p) { return p.role == driver::ParamRole::kTexture; });
  }
  bool is_checked() const { return is_checked_; }
  driver::FeatureSet software() const;  // required features that the device computes in software
  // Set if the kernel is split at its grid barriers and launched once or more for each segment.
  const std::optional<pass::SplitKernel>& split() const { return split_; }
  // Whether it launches kernels; the table of those that the kernels of its module launch. The table exists
  // as long as the module, or a pointer that Module::kernel returned.
  bool launches_kernels() const { return launches_kernels_; }
  std::shared_ptr<LaunchTable> launch_table() const { return launch_table_.lock(); }
  uint64_t child_launches() const { return child_launches_; }  // of its last launch, also indirectly
  bool is_raw() const { return is_raw_; }  // native code of the user: nothing is known about its stores
  ~Kernel();

 private:
  friend class DeviceLaunches;
  friend class Module;
  friend class Stream;
  void set(std::shared_ptr<driver::Module> part, std::unique_ptr<driver::Kernel> native);

  std::shared_ptr<Device> device_;
  std::shared_ptr<driver::Module> part_;
  std::unique_ptr<driver::Kernel> native_;
  driver::KernelInfo info_;
  std::vector<driver::ParamInfo> hidden_;
  std::shared_ptr<const TextureBindings> textures_;  // of the module
  std::optional<pass::SplitKernel> split_;
  bool is_checked_ = false;
  bool is_raw_ = false;
  bool launches_kernels_ = false;
  std::weak_ptr<LaunchTable> launch_table_;
  std::string file_;  // of the source, for messages
  std::atomic<uint64_t> child_launches_{0};
  uint32_t stack_threads_ = 0;  // whose local variables fit the stack of a block; 0: no limit
  std::atomic<uint32_t> max_threads_{0};
  uint64_t hash_ = 0;
  bool is_native_ = true;
  std::atomic<double> compile_seconds_{0};
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  // Fails with all diagnostics if the text contains no valid kernel.
  static Result<std::shared_ptr<Module>> load(std::shared_ptr<Device> device, Source source);

  const Source& source() const { return source_; }
  Device& device() const { return *device_; }
  std::vector<std::string> kernel_names() const;

  // An unknown name produces a suggestion; a kernel with errors produces its diagnostics. The same name
  // returns the same kernel.
  Result<std::shared_ptr<Kernel>> kernel(std::string_view name);

  bool has_variables() const;
  // The kernel in the IR, by a name that was requested before; null: not requested, or raw code that the
  // driver cannot parse.
  const ir::Function* function(std::string_view name) const;

  // Writes and reads a __device__ or __constant__ variable, in order with the default stream. Blocking.
  Result<> write(std::string_view variable, const void* from, uint64_t bytes, uint64_t offset);
  Result<> read(std::string_view variable, void* to, uint64_t bytes, uint64_t offset);

  // Binds a texture of this device to a texture reference. Fails if the module has no such reference.
  Result<> bind_texture(std::string_view reference, const TextureDescriptor& descriptor, const Slice& texels);

 private:
  Module(std::shared_ptr<Device> device, Source source)
      : device_(std::move(device)), source_(std::move(source)) {}
  Result<> understand();
  Result<lang::Compilation> compile(std::vector<std::string> kernels) const;
  Result<std::shared_ptr<Kernel>> find_or_make(std::string_view name);
  void fill_launch_table();
  void note_launched(const lang::Compilation& compiled);
  Result<std::shared_ptr<Kernel>> make(std::string_view name);
  Result<std::shared_ptr<Kernel>> make_raw(std::string_view name);
  Result<std::shared_ptr<Kernel>> make_from(const ir::Module& module, std::string_view name);
  std::shared_ptr<Kernel> finish(std::shared_ptr<driver::Module> part, std::unique_ptr<driver::Kernel> native,
                                 uint32_t stack_threads = 0) const;
  Result<std::shared_ptr<Kernel>> make_instance(std::string_view name);
  Result<> check_instance(std::string_view name) const;
  Result<> join(const lang::KernelInfo& instance);
  Result<> rebind(const std::shared_ptr<driver::Module>& fresh);
  Result<std::shared_ptr<driver::Module>> load_native(const driver::Code& code) const;
  Result<std::shared_ptr<driver::Module>> load_module(
      const std::shared_ptr<const ir::Module>& original) const;
  Result<std::shared_ptr<driver::Module>> load_whole(const ir::Module& module) const;
  Result<> need_whole(const ir::Module& module);
  Result<std::shared_ptr<driver::Module>> load_part(const ir::Module& module, const ir::Function& function);
  Result<driver::Place> variable(std::string_view name, uint64_t bytes, uint64_t offset);
  std::vector<std::string> names() const;
  base::Error unknown(std::string_view name) const;

  std::shared_ptr<Device> device_;
  Source source_;
  mutable std::mutex mutex_;       // locked before the device's mutex
  lang::Compilation compiled_;     // its module grows when instances that use variables are requested
  std::deque<ir::Module> others_;  // of other instances, and previous states of compiled_.module
  std::map<std::string, std::shared_ptr<Kernel>, std::less<>> kernels_;  // by name without spaces
  mutable std::map<std::string, pass::SplitKernel> splits_;              // of loaded programs, by name
  std::vector<std::string> launched_;                                    // kernels that device code launches
  std::shared_ptr<LaunchTable> launches_;
  std::shared_ptr<TextureBindings> textures_ = std::make_shared<TextureBindings>();
  // Kernels that use variables share one program; raw code is one program, too.
  std::shared_ptr<driver::Module> whole_;
};

}  // namespace quern::runtime
