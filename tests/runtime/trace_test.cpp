// Allocations of PyTorch during training, in their order and sizes (multiples of 512 bytes): a step of GPT-2
// and one of ResNet-50, and both with another sequence length or image size in every step. A pool must not
// grow after the first step, and not much beyond the largest one.
#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "driver/cpu/driver.hpp"
#include "runtime/pool.hpp"
#include "runtime/test_driver.hpp"

namespace quern::runtime {
namespace {

class Trace {
 public:
  explicit Trace(Device& device) : device_(device) {}

  MemoryPtr take(uint64_t floats) {
    const uint64_t bytes = (floats * 4 + 511) / 512 * 512;
    auto memory = device_.allocate(bytes, driver::MemoryKind::device, "");
    if (!memory.ok()) ADD_FAILURE() << memory.error().to_string();
    return memory.ok() ? std::move(*memory) : nullptr;
  }
  void save(uint64_t floats) { saved_.push_back(take(floats)); }  // for the backward pass
  void give_gradient(uint64_t floats) { gradients_.push_back(take(floats)); }
  void forget(size_t count) { saved_.resize(saved_.size() - count); }
  void end_step() {  // the optimizer's temporaries, then the gradients are freed
    for (size_t i = 0; i < gradients_.size(); ++i) {
      const auto a = take(gradients_[i]->bytes() / 4), b = take(gradients_[i]->bytes() / 4);
    }
    gradients_.clear();
    EXPECT_TRUE(saved_.empty());
  }

 private:
  Device& device_;
  std::vector<MemoryPtr> saved_, gradients_;
};

void train_gpt2(Trace& t, uint64_t batch, uint64_t length) {
  constexpr uint64_t kLayers = 12, kWidth = 768, kHeads = 12, kWords = 50257;
  const uint64_t tokens = batch * length, wide = tokens * kWidth, scores = batch * kHeads * length * length;
  t.save(wide);
  for (uint64_t layer = 0; layer < kLayers; ++layer) {
    t.save(wide), t.save(2 * tokens);  // norm and its statistics
    t.save(3 * wide);                  // q, k, v
    {
      const auto product = t.take(scores);
      t.save(scores);
    }
    t.save(scores / 4);  // dropout mask
    t.save(wide);
    {
      const auto projected = t.take(wide);
      t.save(wide);
    }
    t.save(wide), t.save(2 * tokens);
    t.save(4 * wide), t.save(4 * wide);  // before and after the activation
    {
      const auto projected = t.take(wide);
      t.save(wide);
    }
  }
  {
    const auto words = t.take(tokens * kWords), likely = t.take(tokens * kWords);
    const auto loss = t.take(1);
  }
  auto gradient = t.take(wide);
  for (uint64_t layer = 0; layer < kLayers; ++layer) {
    {
      const auto inner = t.take(4 * wide), before = t.take(4 * wide);
      t.give_gradient(4 * kWidth * kWidth);
      t.give_gradient(4 * kWidth * kWidth);
    }
    t.forget(6);
    {
      const auto a = t.take(scores), b = t.take(scores), qkv = t.take(3 * wide);
      t.give_gradient(3 * kWidth * kWidth);
      t.give_gradient(kWidth * kWidth);
    }
    t.forget(6);
    t.give_gradient(kWidth), t.give_gradient(kWidth);
    gradient = t.take(wide);
  }
  t.forget(1);
  gradient.reset();
  t.give_gradient(kWords * kWidth);
  t.end_step();
}

void train_resnet50(Trace& t, uint64_t batch, uint64_t side) {
  struct Stage {
    uint64_t blocks, narrow, wide;
  };
  constexpr std::array<Stage, 4> kStages = {{{3, 64, 256}, {4, 128, 512}, {6, 256, 1024}, {3, 512, 2048}}};
  std::vector<std::array<uint64_t, 3>> made;  // activation, weights, workspace
  uint64_t at = side / 2, from = 64;
  const auto layer = [&](uint64_t in, uint64_t out, uint64_t kernel) {
    const uint64_t activation = batch * out * at * at, weights = in * out * kernel * kernel;
    const uint64_t workspace = kernel == 1 ? 0 : std::min<uint64_t>(batch * in * at * at * 9 / 4, 8 << 20);
    const auto scratch = t.take(std::max<uint64_t>(workspace, 1));
    t.save(activation);  // convolution
    t.save(activation);  // norm
    t.save(2 * out);
    made.push_back({activation, weights, workspace});
  };
  layer(3, 64, 7);
  at /= 2;
  for (const Stage& stage : kStages) {
    for (uint64_t block = 0; block < stage.blocks; ++block) {
      layer(from, stage.narrow, 1);
      layer(stage.narrow, stage.narrow, 3);
      layer(stage.narrow, stage.wide, 1);
      if (block == 0) layer(from, stage.wide, 1);
      from = stage.wide;
    }
    at = std::max<uint64_t>(at / 2, 1);
  }
  MemoryPtr gradient;
  for (; !made.empty(); made.pop_back()) {
    const auto [activation, weights, workspace] = made.back();
    auto next = t.take(activation);
    const auto scratch = t.take(std::max<uint64_t>(workspace, 1));
    t.give_gradient(weights);
    t.forget(3);
    gradient = std::move(next);
  }
  gradient.reset();
  t.end_step();
}

class Traces : public ::testing::Test {
 public:
  void SetUp() override {
    auto driver = cpu::make_driver();
    if (!driver->start().ok()) GTEST_SKIP() << "there is no cpu device";
    device = take(Device::open(*driver, 0, {}));
  }
  void TearDown() override {
    if (device == nullptr) return;
    EXPECT_EQ(device->bytes_in_use(), 0u);
    device->trim();
    EXPECT_EQ(device->reserved_bytes(), 0u);
  }

  // The memory held after every step; each step has different sizes.
  template <typename Step>
  void replay(const char* name, int steps, int first, double growth, const Step& step) {
    Trace trace(*device);
    uint64_t after_first = 0, most = 0;
    for (int i = 0; i < steps; ++i) {
      step(trace, i);
      most = std::max(most, device->reserved_bytes());
      if (i + 1 == first) after_first = most;
    }
    const auto mib = [](uint64_t bytes) { return static_cast<double>(bytes) / 1048576; };
    std::printf("%s: %d steps, at most %.1f MiB in use, %.1f MiB held after %d steps, at most %.1f MiB\n",
                name, steps, mib(device->peak_bytes()), mib(after_first), first, mib(most));
    EXPECT_LE(static_cast<double>(most), growth * static_cast<double>(after_first));
  }
  std::shared_ptr<Device> device;
};

TEST_F(Traces, OfGpt2) {
  replay("GPT-2", 100, 8, 1, [](Trace& t, int) { train_gpt2(t, 2, 128); });
}

TEST_F(Traces, OfResnet50) {
  replay("ResNet-50", 100, 8, 1, [](Trace& t, int) { train_resnet50(t, 2, 112); });
}

TEST_F(Traces, OfGpt2WithVaryingLengths) {
  std::mt19937 random(20261116);
  replay("GPT-2, lengths 16 to 128", 300, 150, 1.1,
         [&](Trace& t, int) { train_gpt2(t, 1 + random() % 2, 16 + random() % 113); });
}

TEST_F(Traces, OfBothInTurns) {
  std::mt19937 random(1604);
  replay("both", 200, 100, 1.1, [&](Trace& t, int i) {
    if (i % 2 == 0) return train_gpt2(t, 1, 32 + random() % 33);
    train_resnet50(t, 1, 64 + 32 * (random() % 3));
  });
}

}  // namespace
}  // namespace quern::runtime
