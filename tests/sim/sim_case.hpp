// Helpers for tests of the simulator: kernels as IR text, buffers from vectors, launches, and their reports.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "driver/interface/messages.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/sim.hpp"
#include "lang/ir/text.hpp"

namespace quern::sim {

// A module on its own device. Positions in the IR text refer to `source` if that is set.
class Bench {
 public:
  explicit Bench(std::string_view text, std::string source = {}) {
    ir::ParseError error;
    std::optional<ir::Module> parsed = ir::parse(text, error);
    if (!parsed) {
      ADD_FAILURE() << error.line << ":" << error.column << ": " << error.message << "\n" << text;
      return;
    }
    if (parsed->files.empty()) parsed->files.push_back({"k.cu", nullptr});
    parsed->files[0].text = std::make_shared<const std::string>(std::move(source));
    module = std::make_shared<const ir::Module>(std::move(*parsed));
    auto loaded = device.load(module);
    if (loaded.ok()) program = *loaded;
    EXPECT_TRUE(loaded.ok()) << loaded.error().to_string();
  }

  template <typename T>
  Address upload(const std::vector<T>& values, std::string label = {}) {
    auto address = device.upload_new(std::span<const T>(values), std::move(label));
    EXPECT_TRUE(address.ok());
    return address.ok() ? *address : 0;
  }
  Address allocate(uint64_t bytes, std::string label = {}, uint32_t element = 4) {
    auto address = device.allocate(bytes, {std::move(label), element});
    EXPECT_TRUE(address.ok());
    return address.ok() ? *address : 0;
  }
  template <typename T>
  std::vector<T> download(Address from, size_t count) {
    auto values = device.download_as<T>(from, count);
    EXPECT_TRUE(values.ok());
    return values.ok() ? *values : std::vector<T>();
  }

  LaunchResult launch(Dim3 grid, Dim3 block, std::vector<Arg> args, LaunchOptions options = {},
                      uint64_t shared = 0) {
    if (program == nullptr) return {};
    LaunchConfig config{grid, block, shared, std::move(args), std::move(options)};
    auto result = device.launch(*program, kernel, config);
    if (!result.ok()) {
      ADD_FAILURE() << result.error().to_string();
      return {};
    }
    return std::move(*result);
  }
  // The same, for correct kernels.
  LaunchResult run(Dim3 grid, Dim3 block, std::vector<Arg> args, LaunchOptions options = {},
                   uint64_t shared = 0) {
    LaunchResult result = launch(grid, block, std::move(args), std::move(options), shared);
    EXPECT_FALSE(result.stopped);
    for (const Report& r : result.reports) ADD_FAILURE() << "unexpected: " << render(r, *module);
    return result;
  }
  // The message with which a launch is rejected.
  std::string refusal(Dim3 grid, Dim3 block, std::vector<Arg> args, uint64_t shared = 0) {
    LaunchConfig config{grid, block, shared, std::move(args), {}};
    auto result = device.launch(*program, kernel, config);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.error().message();
  }

  std::string kernel = "k";
  Device device;
  std::shared_ptr<const ir::Module> module;
  std::shared_ptr<Module> program;
};

inline Dim3 dim(uint32_t x, uint32_t y = 1, uint32_t z = 1) { return {x, y, z}; }

inline LaunchOptions seeded(uint64_t seed) {
  LaunchOptions options;
  options.seed = seed;
  return options;
}

inline std::string kinds(const LaunchResult& result) {
  std::string text;
  for (const Report& r : result.reports) {
    if (!text.empty()) text += "; ";
    text += std::string(name(r.kind)) + " at " + std::to_string(r.pos.line);
  }
  return text;
}

// Runs `body` without a seed and with several.
template <typename Fn>
void for_seeds(Fn&& body) {
  for (uint64_t seed : {0, 1, 2, 3, 77}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    body(seeded(seed));
  }
}

}  // namespace quern::sim
