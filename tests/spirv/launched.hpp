// A SPIR-V module on its own device, with arguments as text, for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "driver/sim/spirv_bind.hpp"
#include "runtime/argument_text.hpp"
#include "support/case_file.hpp"

namespace quern::test {

class Launched {
 public:
  // Fails the running test if the module cannot be read.
  explicit Launched(std::span<const uint32_t> words, spirv::Options options = {});
  Launched(std::string_view bytes, spirv::Options options);

  bool ok() const { return module != nullptr; }
  // Binds one text per resource and runs. An empty name: the only entry point.
  void run(const std::string& entry, const std::vector<std::string>& arguments, sim::Dim3 grid,
           const sim::LaunchOptions& launch_options = {}, sim::Dim3 block = {1, 1, 1});

  // Numbers of a buffer as they print, from `first` to before `last`.
  std::vector<std::string> values(const std::string& buffer, uint64_t first, uint64_t last) const;
  uint64_t count(const std::string& buffer) const;
  std::string all(const std::string& buffer) const;  // separated by spaces
  std::string rendered() const;                      // every report
  std::string kinds() const;                         // "race at 7; …"

  std::shared_ptr<ir::Module> module;
  spirv::Program program;  // its module has moved to `module`
  sim::LaunchResult result;

 private:
  struct Bound {
    std::string name;
    runtime::HostBuffer buffer;
    sim::Address address = 0;
  };
  void take(base::Result<spirv::Program> read);
  void bind_one(const spirv::Resource& resource, const ir::Param& param, const std::string& text,
                sim::Binding& binding);
  const Bound* find(const std::string& buffer) const;

  sim::Device device_;
  std::vector<Bound> bound_;
};

// Checks the values that a case expects.
void expect_values(const Launched& launched, const Case& c);
// Checks that exactly the expected reports occur (except consequences of a race or a barrier).
void expect_reports(const Launched& launched, const Case& c);

}  // namespace quern::test
