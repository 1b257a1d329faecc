// A module on the device: its variables, and its kernels, which are compiled when a launch needs them.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/store.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/cpu/object.hpp"
#include "driver/cpu/processor.hpp"
#include "driver/cpu/recipe.hpp"
#include "driver/cpu/task.hpp"
#include "driver/interface/driver.hpp"
#include "target/llvm/emit.hpp"
#include "target/llvm/outflow.hpp"

namespace quern::cpu {

// Compilation settings of all programs of a device.
struct Settings {
  Processor processor;
  uint32_t width = 4;
  bool is_width_chosen = false;  // else blocks that do not fill whole bundles use fewer lanes
  uint32_t threads = 1;
  bool is_debugged = false;      // kernels have line tables and are registered with debuggers and profilers
  std::optional<Effort> effort;  // not set: start with quick code, compile full code once it pays off
  std::shared_ptr<const base::Store> cache = std::make_shared<base::Store>();  // of objects
  uint64_t last_cache = 0;  // bytes; launches that write about this much bypass it, see past_caches.hpp
  std::string library;      // LLVM's, as far as known without loading it
};

uint32_t usual_lanes(const Processor& processor);
// At most `lanes`, such that bundles are full.
uint32_t fitting_lanes(uint32_t lanes, const llvm::Demand& demand, const driver::Dim3& block);

// Options for blocks of this shape; `width` lanes unless the kernel requests others.
llvm::Options usual_options(const Processor& processor, uint32_t width, const llvm::Demand& demand,
                            const driver::Dim3& block);

llvm::Options alone(llvm::Options options);  // one lane, see llvm::Code::is_better_alone

class CpuModule : public driver::Module {
 public:
  static base::Result<std::unique_ptr<CpuModule>> create(const driver::Code& code, const Settings& settings);

  const ir::Module& module() const { return *module_; }
  const std::vector<driver::KernelInfo>& kernels() const { return kernels_; }
  const Settings& settings() const { return settings_; }
  driver::Math math() const { return math_; }
  base::Result<driver::Place> variable(std::string_view name) const;
  const void* variable_address(std::string_view symbol) const;
  const std::string& declarations() const;  // of the module, as text

 private:
  CpuModule(const Settings& settings) : settings_(settings) {}
  void set_pointers();

  const Settings& settings_;
  std::shared_ptr<const ir::Module> module_;
  driver::Math math_ = driver::Math::exact;
  std::vector<driver::KernelInfo> kernels_;
  mutable std::once_flag declared_;
  mutable std::string declarations_;
  std::vector<std::unique_ptr<driver::Buffer>>
      variables_;  // by index in module().globals; null: shared memory
};

// One compiled variant of a kernel.
struct Variant {
  llvm::Options options;  // as requested
  llvm::Options own;      // as compiled: quick code has fewer lanes
  std::unique_ptr<CodeObject> object;
  llvm::BlockFunction function = nullptr;
  uint64_t record_bytes = 0;
  bool is_abreast = false, is_by_rows = false;
  Effort effort = Effort::kFull;
  uint64_t patience = 0;  // ns that quick code may run before compiling full code pays off
  mutable std::atomic<uint64_t> spent{0};
  static constexpr uint64_t kTimeUnit = 256;
  mutable std::atomic<uint64_t> block_time{0};  // of the last block, in 1/kTimeUnit ns; 0: not known
  void note_time(uint64_t nanoseconds, uint64_t blocks) const {
    block_time.store(nanoseconds * kTimeUnit / blocks + 1, std::memory_order_relaxed);
  }
  // Thresholds: when to start compiling full code in the background, and when to wait for it.
  bool is_growing() const { return is_spent(patience / 8); }
  bool is_outgrown() const { return is_spent(patience); }
  bool is_spent(uint64_t most) const {
    return effort == Effort::kQuick && spent.load(std::memory_order_relaxed) > most;
  }
};

class CpuKernel : public driver::Kernel {
 public:
  CpuKernel(CpuModule& program, const ir::Function& function, driver::KernelInfo about);

  // Returns the variant for a block of this shape; the first call compiles it. Thread-safe.
  base::Result<const Variant*> variant_for(const driver::Dim3& block);
  bool is_compiled_for(const driver::Dim3& block);
  // Replaces quick code that has run for long by full code. Compiles on another thread, and waits once quick
  // code has run for as long as compiling takes. Returns the given variant if there is no full code.
  const Variant* promoted(const Variant* variant);
  const llvm::ArgumentLayout& arguments() const { return arguments_; }
  const KernelFacts& facts() const { return facts_; }
  const llvm::Demand& demand() const { return demand_; }
  // `arguments` have the layout above.
  bool goes_past_caches(const std::byte* arguments, uint64_t threads) const;
  uint64_t shared_bytes() const { return shared_bytes_; }
  bool is_checked() const;  // runs in check mode

 private:
  llvm::Options options_for(const driver::Dim3& block) const;
  const Variant* find(const llvm::Options& options) const;
  base::Result<std::unique_ptr<Variant>> compile(const llvm::Options& options,
                                                 std::optional<Effort> effort) const;
  base::Result<Recipe> write(const llvm::Options& options, std::optional<Effort> effort,
                             std::string& text) const;
  base::Result<std::unique_ptr<Variant>> load(const Recipe& recipe, const llvm::Options& options,
                                              const std::string& object) const;
  std::string object_key(const std::string& text, Effort effort) const;

  CpuModule& program_;
  const ir::Function& function_;
  llvm::ArgumentLayout arguments_;
  llvm::Demand demand_;
  llvm::Outflow outflow_;
  KernelFacts facts_;
  uint64_t shared_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Variant>> variants_;  // full code follows the quick code it replaces
  std::atomic<const Variant*> last_{nullptr};
  const Variant* pending_for_ = nullptr;
  std::future<base::Result<std::unique_ptr<Variant>>>
      pending_;  // full code being compiled; finishes before the other members are destroyed
};

}  // namespace quern::cpu
