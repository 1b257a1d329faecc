// Modules written by Quern's emitter (target/spirv). Those for Vulkan run as in the Vulkan driver: the
// argument block as push constants, the sizes of a block and of dynamic shared memory as specialization
// constants. Those of the Kernel model take parameters, the hidden ones after the user's, as in the OpenCL
// driver.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/interface/report.hpp"
#include "driver/sim/spirv_bind.hpp"

namespace quern::sim {

class Emitted {
 public:
  struct Outcome {
    LaunchResult result;
    std::shared_ptr<const ir::Module> module;  // the module that ran
    driver::Reported reported;
  };

  static base::Result<std::unique_ptr<Emitted>> load(sim::Device& device, const driver::Code& code);
  ~Emitted();
  Emitted(const Emitted&) = delete;
  Emitted& operator=(const Emitted&) = delete;

  base::Result<Outcome> launch(const driver::KernelInfo& kernel, std::span<const driver::Argument> arguments,
                               LaunchConfig config);
  std::optional<sim::Variable> variable(std::string_view name) const;

 private:
  // The module for one launch size.
  struct Special {
    std::shared_ptr<const ir::Module> module;
    std::vector<spirv::Entry> entries;
    std::shared_ptr<sim::Module> program;
  };
  using Shape = std::array<uint64_t, 4>;  // block size, and bytes of dynamic shared memory

  Emitted(sim::Device& device, const driver::Code& code) : device_(device), code_(code) {}
  base::Result<void> create_variables();
  std::vector<Binding> parameters(const driver::KernelInfo& kernel,
                                  std::span<const driver::Argument> arguments, uint64_t dynamic_bytes,
                                  Address report) const;
  base::Result<Special*> special(const Shape& shape);
  base::Result<Address> make_buffer(std::span<const std::byte> bytes);
  base::Result<Address> make_report();

  sim::Device& device_;
  driver::Code code_;
  std::vector<uint64_t> variables_;  // their addresses
  std::map<Shape, Special> specials_;
};

}  // namespace quern::sim
