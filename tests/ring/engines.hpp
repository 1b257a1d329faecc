// Every engine and shape of a device, for tests that require the same result on all of them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "ring/support.hpp"

namespace quern::ring {

class OnDevices : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    device_ = open_if_here(GetParam());
    if (!device_) GTEST_SKIP() << "there is no device '" << GetParam() << "' here";
  }

  // Calls `work` with options of every engine and of the ordered shapes.
  void on_each(const std::function<void(Options)>& work) const {
    for (const Engine engine : {Engine::driven, Engine::persistent}) {
      if (engine == Engine::persistent && !device_.info().has(Feature::persistent)) continue;
      for (const Shape shape : {Shape::thread, Shape::block, Shape::grid}) {
        // Compilation takes seconds on these; RING_TEST_SHAPES=1 enables all shapes.
        if (shape != Shape::thread && is_slow() && std::getenv("RING_TEST_SHAPES") == nullptr) continue;
        SCOPED_TRACE(std::string(to_string(engine)) + ", shape " + std::to_string(static_cast<int>(shape)));
        Options options;
        options.engine = engine;
        options.shape = shape;
        options.slots = 64;
        if (shape == Shape::block) options.threads = 8;
        if (shape == Shape::grid) {
          options.threads = 4;
          options.blocks = device_.info().has(Feature::grid_barrier) ? 2 : 1;
        }
        try {
          work(options);
        } catch (const Error& e) {
          // A target may reject a text, with a reason; then nothing ran.
          if (e.kind() != ErrorKind::unsupported) throw;
          std::printf("refused: %s\n", e.what());
        }
      }
    }
  }

  bool is_slow() const {
    const std::string driver = device_.driver();
    return driver == "opencl" || driver == "vulkan" || driver == "opengl" || driver == "gles";
  }

  Device device_;
};

// Tests that take half a minute each on lavapipe: RING_TEST_SLOW=1 enables them.
class OnQuickDevices : public OnDevices {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "vulkan" && std::getenv("RING_TEST_SLOW") == nullptr)
      GTEST_SKIP() << "too slow there for every day; RING_TEST_SLOW=1 runs it";
    OnDevices::SetUp();
  }
};

inline std::string device_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace quern::ring
