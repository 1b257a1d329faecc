#include "quern/tune.hpp"

#include <stdlib.h>

#include "api/api_case.hpp"
#include "api/tune_statistics.hpp"
#include "api/tune_store.hpp"
#include "base/store.hpp"
#include "base/temporary_folder.hpp"

namespace quern::test {
namespace {

using base::TemporaryFolder;

constexpr int kElements = 64;

// ROUNDS is the work of a thread; the result does not depend on it.
constexpr const char* kTuneText = R"(
__global__ void twice(int n, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < ROUNDS; ++k) sum += in[i] / ROUNDS;
  if (i < n WRITES) out[i] = 2 * sum + ERROR;
}
)";

// QUERN_CACHE and QUERN_TUNE for one test.
class Environment {
 public:
  Environment() {
    const char* before = ::getenv("QUERN_CACHE");
    if (before != nullptr) cache_ = before;
    ::setenv("QUERN_CACHE", folder_.path().c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    ::unsetenv("QUERN_TUNE");
    if (cache_.empty()) {
      ::unsetenv("QUERN_CACHE");
    } else {
      ::setenv("QUERN_CACHE", cache_.c_str(), 1);
    }
  }
  static void set_mode(const char* mode) { ::setenv("QUERN_TUNE", mode, 1); }

 private:
  TemporaryFolder folder_;
  std::string cache_;
};

class Tuning : public testing::Test {
 protected:
  Tuning() {
    request.name = "twice";
    request.shape_class = "64";
    request.types = "float";
    request.source = kTuneText;
    request.variants = variants({{"ROUNDS", {1024, 1}}});  // far apart, so that the machine may be busy
    request.compile = [this](const Variant& v) { return compile(v, "0", ""); };
    request.launch = [](const Variant&) { return grid(2, kElements / 2); };
    request.run = [this](const TuneCall& c) {
      ++runs;
      c.stream.launch(c.kernel, c.config, kElements, in, out);
    };
    request.outputs = {out};
    options.seconds = 60;
    options.warm_up_seconds = 0;
    options.rounds = 5;
    options.margin = -1;  // the fastest one wins, also on a busy machine
  }
  Kernel compile(const Variant& v, const std::string& error, const std::string& writes) const {
    ModuleOptions module;
    module.defines = v.defines();
    module.defines.emplace_back("ERROR", error);
    module.defines.emplace_back("WRITES", writes);
    return device.compile(kTuneText, module).kernel("twice");
  }
  TuneResult tune() const { return Tuner(device, options).tune(request); }
  // Adds a variant that fails; returns its reason.
  std::string reason_of(const std::function<Kernel(const Variant&)>& bad) {
    const Variant last{{"ROUNDS", 2}};
    request.variants = {{{"ROUNDS", 1024}}, {{"ROUNDS", 1}}, last};
    request.compile = [this, last, bad](const Variant& v) {
      return v == last ? bad(v) : compile(v, "0", "");
    };
    const TuneResult result = tune();
    EXPECT_EQ(result.variant, (Variant{{"ROUNDS", 1}})) << result.reason;
    EXPECT_EQ(result.find(last)->state, TuneState::excluded);
    return result.find(last)->reason;
  }

  Environment environment;
  Device device = open("sim");
  Buffer<float> in = device.upload(std::vector<float>(kElements, 3)), out = device.allocate<float>(kElements);
  std::atomic<int> runs{0};
  TuneRequest request;
  TuneOptions options;
};

TEST(Variants, AreAllCombinationsOfAcceptedValues) {
  const auto all =
      variants({{"A", {1, 2}}, {"B", {4, 8}}}, [](const Variant& v) { return v.at("A") * v.at("B") < 16; });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].to_string(), "A=1 B=4");
  EXPECT_EQ(all[1].to_string(), "A=1 B=8");
  EXPECT_EQ(all[2].to_string(), "A=2 B=4");
  EXPECT_EQ(all[2].defines(), (std::vector<std::pair<std::string, std::string>>{{"A", "2"}, {"B", "4"}}));
  const std::string message = message_of([&] { (void)all[0].at("C"); });
  EXPECT_EQ(message, "reading a variant failed: 'C' is not a parameter of 'A=1 B=4'");
}

TEST(TuneStatistics, IgnoreOutliers) {
  const std::vector<double> times{1.00, 1.01, 0.99, 1.02, 5, 0.98, 9};
  EXPECT_EQ(detail::without_outliers(times).size(), 5u);
  EXPECT_DOUBLE_EQ(detail::median(detail::without_outliers(times)), 1.00);
  EXPECT_DOUBLE_EQ(detail::median({}), 0);
  EXPECT_DOUBLE_EQ(detail::median({2, 1}), 1.5);
  EXPECT_EQ(detail::without_outliers({1, 1, 1}).size(), 3u);
  // A busy machine: most measurements were disturbed.
  EXPECT_DOUBLE_EQ(detail::median(detail::undisturbed({9, 1.01, 8, 1.00, 9, 7, 1.02})), 1.01);
  EXPECT_TRUE(detail::undisturbed({}).empty());
}

TEST(TuneOutputs, CompareByType) {
  const Device device = open("sim");
  auto reals = device.allocate<float>(2);
  auto numbers = device.allocate<int>(2);
  const auto bytes = [](const auto& values) {
    std::vector<std::uint8_t> out(sizeof values);
    std::memcpy(out.data(), &values, sizeof values);
    return out;
  };
  const TuneOutput real(reals), number(numbers);
  EXPECT_DOUBLE_EQ(real.compare(bytes(std::array{0.5f, 100.0f}), bytes(std::array{0.0f, 100.0f})), 0.005);
  EXPECT_DOUBLE_EQ(real.compare(bytes(std::array{NAN, INFINITY}), bytes(std::array{NAN, INFINITY})), 0);
  EXPECT_TRUE(std::isinf(real.compare(bytes(std::array{NAN, 1.0f}), bytes(std::array{1.0f, 1.0f}))));
  EXPECT_TRUE(std::isinf(number.compare(bytes(std::array{1, 2}), bytes(std::array{1, 3}))));
}

TEST_F(Tuning, ChoosesTheFastestVariantAndStoresIt) {
  std::vector<TuneProgress::Stage> stages;
  options.progress = [&](const TuneProgress& p) {
    EXPECT_LE(p.done, p.total);
    if (stages.empty() || stages.back() != p.stage) stages.push_back(p.stage);
  };
  const TuneResult result = tune();
  EXPECT_EQ(result.variant, (Variant{{"ROUNDS", 1}}));
  EXPECT_EQ(result.source, TuneSource::measured);
  EXPECT_TRUE(result.is_complete);
  EXPECT_NE(result.reason.find("times as fast as the default variant, ROUNDS=1024"), std::string::npos);
  ASSERT_EQ(result.candidates.size(), 2u);
  EXPECT_GT(result.candidates[0].seconds, result.candidates[1].seconds);
  EXPECT_EQ(stages, (std::vector{TuneProgress::Stage::compile, TuneProgress::Stage::check,
                                 TuneProgress::Stage::measure}));

  const auto stored = Tuner(device).find(request);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->variant, result.variant);
  EXPECT_EQ(stored->source, TuneSource::stored);
  EXPECT_EQ(stored->reason, result.reason);
  ASSERT_EQ(stored_tunings().size(), 1u);
  const StoredTuning listed = stored_tunings()[0];
  EXPECT_EQ(listed.name, "twice");
  EXPECT_EQ(listed.shape_class, "64");
  EXPECT_EQ(listed.types, "float");
  EXPECT_EQ(listed.device, device.name() + " (sim)");
  ASSERT_EQ(listed.result.candidates.size(), 2u);
  EXPECT_EQ(listed.result.candidates[0].variant, request.variants[0]);

  // Every part of the key counts.
  const auto is_found = [&](const auto& change) {
    TuneRequest other = request;
    change(other);
    return Tuner(device).find(other).has_value();
  };
  EXPECT_TRUE(is_found([](TuneRequest&) {}));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.name = "thrice"; }));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.shape_class = "128"; }));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.types = "double"; }));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.alignment = 16; }));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.source += " "; }));
  EXPECT_FALSE(is_found([](TuneRequest& r) { r.variants.pop_back(); }));
}

TEST_F(Tuning, KeepsTheDefaultIfNoVariantIsMuchFaster) {
  options.margin = 1;
  const TuneResult result = tune();
  EXPECT_EQ(result.variant, request.variants[0]);
  EXPECT_EQ(result.reason, "the default variant: no other one is reliably more than 100 % faster");
}

TEST_F(Tuning, ExcludesWrongResults) {
  EXPECT_EQ(reason_of([&](const Variant& v) { return compile(v, "0.5f", ""); }),
            "output 1 differs: relative difference 0.083, tolerance 0.0001");
  EXPECT_EQ(reason_of([&](const Variant& v) { return compile(v, "0", "&& n < 0"); }),
            "output 1 was not written");
  EXPECT_EQ(reason_of([&](const Variant& v) { return compile(v, "0", "&& i > 2"); }),
            "output 1 differs: relative difference inf, tolerance 0.0001");
}

TEST_F(Tuning, ExcludesFailures) {
  EXPECT_NE(reason_of([&](const Variant& v) { return compile(v, "unknown", ""); }).find("unknown"),
            std::string::npos);
  EXPECT_EQ(reason_of([](const Variant&) -> Kernel { throw std::runtime_error("not today"); }), "not today");
  EXPECT_EQ(reason_of([](const Variant&) -> Kernel { throw 1; }), "it threw an unknown exception");
  // An error on the device: a write outside of the buffer.
  EXPECT_NE(reason_of([&](const Variant&) {
              return device
                  .compile("__global__ void k(int n, const float* in, float* out) { out[n + 5] = 1; }")
                  .kernel("k");
            }),
            "");
}

TEST_F(Tuning, ExcludesVariantsThatExceedLimits) {
  request.variants = variants({{"ROUNDS", {1}}, {"BLOCK", {32, 4096}}});
  request.launch = [](const Variant& v) { return grid(1, static_cast<std::uint32_t>(v.at("BLOCK"))); };
  request.outputs.clear();
  request.check = [](const Variant&) { return std::string(); };
  EXPECT_EQ(tune().candidates[1].reason, "it has 4096 threads per block, and the limit is 1024");
  request.launch = [](const Variant& v) {
    return grid(1, 32).shared(static_cast<std::uint64_t>(v.at("BLOCK")) << 20);
  };
  const std::string reason = tune().candidates[1].reason;
  EXPECT_EQ(reason.find("it needs 4294967296 bytes of shared memory per block"), 0u) << reason;
}

TEST_F(Tuning, AsksTheCheckOfTheProgram) {
  request.outputs.clear();
  request.check = [&](const Variant& v) {
    EXPECT_EQ(out.download()[0], 6);
    return std::string(v.at("ROUNDS") == 1 ? "too round" : "");
  };
  const TuneResult result = tune();
  EXPECT_EQ(result.variant, request.variants[0]);
  EXPECT_EQ(result.candidates[1].reason, "too round");
}

TEST_F(Tuning, UsesAnotherVariantIfTheDefaultFails) {
  request.compile = [&](const Variant& v) { return compile(v, v.at("ROUNDS") == 1024 ? "?" : "0", ""); };
  const TuneResult result = tune();
  EXPECT_EQ(result.variant, request.variants[1]);
  EXPECT_EQ(result.reason.find("the fastest variant, because the default one failed:"), 0u) << result.reason;
  request.variants.pop_back();
  const TuneResult none = tune();
  EXPECT_EQ(none.source, TuneSource::standard);
  EXPECT_EQ(none.reason.find("no variant could be measured:"), 0u) << none.reason;
  EXPECT_FALSE(Tuner(device).find(request));
}

TEST_F(Tuning, IsCancelled) {
  std::stop_source source;
  options.stop = source.get_token();
  options.progress = [&](const TuneProgress& p) {
    if (p.stage == TuneProgress::Stage::check) source.request_stop();
  };
  const TuneResult result = tune();
  EXPECT_FALSE(result.is_complete);
  EXPECT_EQ(result.variant, request.variants[0]);
  EXPECT_EQ(result.candidates[1].state, TuneState::skipped);
  EXPECT_EQ(result.candidates[1].reason, "the tuning was cancelled");
  EXPECT_TRUE(stored_tunings().empty());
}

TEST_F(Tuning, EndsWhenTheTimeIsOver) {
  options.seconds = 0;
  const TuneResult result = tune();
  EXPECT_FALSE(result.is_complete);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(result.candidates[1].reason, "the time for tuning was over");
  EXPECT_TRUE(stored_tunings().empty());
}

class EndlessTuning : public Tuning {
 protected:
  void use(const char* which) {
    device = open(which);
    in = device.upload(std::vector<float>(kElements, 3));
    out = device.allocate<float>(kElements);
    request.outputs = {out};
  }
  void add_endless_variant() {
    request.variants = {{{"ROUNDS", 1}}, endless, {{"ROUNDS", 4}}};
    request.compile = [this](const Variant& v) {
      if (v != endless) return compile(v, "0", "");
      const char* const text =
          "__global__ void k(int n, const float*, float* out) { while (atomicAdd(out, 0.0f) >= 0 || n > 0) "
          "{} }";
      return device.compile(text).kernel("k");
    };
  }
  Variant endless{{"ROUNDS", 2}};
};

// The simulator ends the kernel and remains usable.
TEST_F(EndlessTuning, ContinuesIfTheDeviceDoes) {
  use("sim,time_limit=0.2");
  add_endless_variant();
  const TuneResult result = tune();
  EXPECT_EQ(result.candidates[1].state, TuneState::excluded) << result.candidates[1].reason;
  EXPECT_TRUE(result.is_complete);
  EXPECT_EQ(result.source, TuneSource::measured);
}

TEST_F(EndlessTuning, EndsIfTheDeviceIsLost) {
  if (const std::string why = why_not("cpu", {}); !why.empty()) GTEST_SKIP() << why;
  use("cpu,time_limit=0.5");
  add_endless_variant();
  options.candidate_seconds = 0.2;
  options.seconds = 20;
  const TuneResult result = tune();
  EXPECT_EQ(result.candidates[1].state, TuneState::excluded);
  EXPECT_NE(result.candidates[1].reason.find("time limit"), std::string::npos) << result.candidates[1].reason;
  EXPECT_EQ(result.candidates[2].state, TuneState::skipped);
  EXPECT_EQ(result.candidates[2].reason, "the device was lost while the variant ROUNDS=2 ran");
  EXPECT_FALSE(result.is_complete);
  EXPECT_TRUE(stored_tunings().empty());
  // The next tuning does not run it.
  use("cpu");
  options.candidate_seconds = 20;
  request.compile = [&](const Variant& v) { return compile(v, "0", ""); };
  const TuneResult next = tune();
  EXPECT_EQ(next.candidates[1].reason, "the program ended while it ran, in an earlier tuning");
  EXPECT_TRUE(next.is_complete);
}

TEST_F(Tuning, FollowsTheVariable) {
  const Tuner tuner(device, options);
  Environment::set_mode("cached");
  EXPECT_EQ(tune_mode(), TuneMode::cached);
  EXPECT_EQ(tuner.choose(request).source, TuneSource::standard);
  EXPECT_EQ(runs, 0);
  Environment::set_mode("on");
  EXPECT_EQ(tuner.choose(request).source, TuneSource::measured);
  const int measured = runs;
  EXPECT_EQ(tuner.choose(request).source, TuneSource::stored);
  Environment::set_mode("cached");
  EXPECT_EQ(tuner.choose(request).variant, request.variants[1]);
  EXPECT_EQ(runs, measured);
  Environment::set_mode("off");
  EXPECT_EQ(tuner.choose(request).variant, request.variants[0]);
  Environment::set_mode("perhaps");  // a warning when a device is opened
  EXPECT_EQ(tune_mode(), TuneMode::cached);
}

TEST_F(Tuning, IgnoresDamagedAndForeignEntries) {
  (void)tune();
  const std::string key = stored_tunings().at(0).key;
  base::Store().put(key, "tuning", "{\"format\": 1, \"variant\": {\"ROUNDS\": 7}}");
  EXPECT_FALSE(Tuner(device).find(request));  // the request does not offer it
  base::Store().put(key, "tuning", "{");
  EXPECT_FALSE(Tuner(device).find(request));
  EXPECT_TRUE(stored_tunings().empty());
}

TEST_F(Tuning, RejectsIncompleteRequests) {
  const TuneRequest whole = request;
  const auto message = [&](const auto& change) {
    TuneRequest broken = whole;
    change(broken);
    return message_of([&] { (void)Tuner(device).tune(broken); });
  };
  EXPECT_EQ(message([](TuneRequest& r) { r.variants.clear(); }),
            "tuning 'twice' failed: no variant was given");
  EXPECT_EQ(message([](TuneRequest& r) { r.run = {}; }), "tuning 'twice' failed: TuneRequest::run is empty");
  EXPECT_EQ(message([](TuneRequest& r) { r.outputs.clear(); }),
            "tuning 'twice' failed: results cannot be compared");
}

}  // namespace
}  // namespace quern::test
