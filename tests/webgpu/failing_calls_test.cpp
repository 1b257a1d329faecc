// Every function of the library fails once, at several of its calls: each failure must be an error of the
// driver or have no effect. It must not end the process, hang, or change a result. Or the device is lost
// during the call: then the work is recovered.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "driver/decorators/recoverable/device.hpp"
#include "driver/webgpu/device.hpp"
#include "runtime/device.hpp"
#include "support/runtime_case.hpp"

namespace quern::webgpu {
namespace {

struct Fault {
  std::string function;
  int call = 0;        // the n-th call of the function
  bool loses = false;  // the device, in this call; otherwise the call fails
  int seen = 0;
  CallbackInfo lost;  // both: of the device that was requested last
  ErrorCallbackInfo error;
};
Fault g_fault;  // the functions of a table have no other place for it
Api g_real;

bool fails_now(std::string_view name) { return g_fault.function == name && ++g_fault.seen == g_fault.call; }

constexpr Text kMessage{"the test makes this call fail", SIZE_MAX};

template <typename... Values>
void answer(const CallbackInfo& info, Values... values) {
  const auto callback = reinterpret_cast<void (*)(Values..., Text, void*, void*)>(info.callback);
  callback(values..., kMessage, info.first, info.second);
}

// An asynchronous call answers through its callback.
void report(std::string_view name, const CallbackInfo& info) {
  constexpr uint32_t kFailed = 3;
  if (name == "InstanceRequestAdapter" || name == "AdapterRequestDevice") {
    answer(info, kFailed, Handle());
  } else if (name == "DevicePopErrorScope") {
    answer(info, uint32_t{kSuccess}, uint32_t{kInternal});
  } else if (name == "QueueOnSubmittedWorkDone" && !g_real.layout->work_done_has_message) {
    const auto callback = reinterpret_cast<void (*)(uint32_t, void*, void*)>(info.callback);
    callback(kFailed, info.first, info.second);
  } else {
    answer(info, kFailed);
  }
}
template <typename T>
void report(std::string_view, const T&) {}

void remember(const DeviceDescriptor* descriptor) {
  g_fault.lost = descriptor->lost;
  g_fault.error = descriptor->error;
}
template <typename T>
void remember(const T&) {}

// A failing call does nothing and reports it as webgpu.h prescribes: no object, a status, the callback of the
// call, or the error callback of the device.
template <typename T, typename... Arguments>
T fail(std::string_view name, const Arguments&... arguments) {
  (report(name, arguments), ...);
  if constexpr (std::is_void_v<T>) {
    const Handle none = nullptr;
    const ErrorCallbackInfo& to = g_fault.error;
    const auto callback =
        reinterpret_cast<void (*)(const Handle*, uint32_t, Text, void*, void*)>(to.callback);
    if (callback != nullptr) callback(&none, kInternal, kMessage, to.first, to.second);
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return name == "AdapterHasFeature" || name == "GetVersion" ? 0u : 2u;  // WGPUStatus_Error
  } else {
    return T();
  }
}

void lose_device() {
  const Handle none = nullptr;
  const auto callback =
      reinterpret_cast<void (*)(const Handle*, uint32_t, Text, void*, void*)>(g_fault.lost.callback);
  callback(&none, kLostUnknown, kMessage, g_fault.lost.first, g_fault.lost.second);
}

template <auto Member, typename Function>
struct Wrapped;
template <auto Member, typename T, typename... Parameters>
struct Wrapped<Member, T (*)(Parameters...)> {
  static inline std::string_view name;
  static T call(Parameters... arguments) {
    if (fails_now(name)) {
      if (!g_fault.loses) return fail<T>(name, arguments...);
      lose_device();
    }
    (remember(arguments), ...);
    return (g_real.*Member)(arguments...);
  }
};

Api wrapped() {
  Api out = g_real;
#define X(function, result, parameters)                           \
  if (g_real.function != nullptr) {                               \
    using It = Wrapped<&Api::function, decltype(Api::function)>;  \
    It::name = #function;                                         \
    if (!It::name.ends_with("Release")) out.function = &It::call; \
  }
  QUERN_WEBGPU_FUNCTIONS(X, X, X)
#undef X
  return out;
}

std::vector<std::string> functions() {
  std::vector<std::string> out;
#define X(function, result, parameters) out.emplace_back(#function);
  QUERN_WEBGPU_FUNCTIONS(X, X, X)
#undef X
  return out;
}

Result<std::unique_ptr<driver::Device>> open_wrapped() {
  QUERN_TRY_ASSIGN(const auto instance, Instance::create(wrapped()));
  QUERN_TRY_ASSIGN(std::vector<Adapter> adapters, find_adapters(instance));
  return Device::open(std::move(adapters.front()));
}

Result<std::vector<int>> run_once() {
  QUERN_TRY_ASSIGN(auto native, open_wrapped());
  QUERN_TRY_ASSIGN(const auto device, runtime::Device::adopt(std::move(native)));
  return runtime::run_scenario(device);
}

class WebgpuFailingCalls : public testing::Test {
 protected:
  void SetUp() override {
    auto api = Api::load();
    if (!api.ok()) GTEST_SKIP() << "WebGPU is not tested: " << api.error().to_string();
    g_real = std::move(*api);
    g_fault = {};
    const auto wanted = run_once();
    if (!wanted.ok()) GTEST_SKIP() << "WebGPU is not tested: " << wanted.error().to_string();
    ASSERT_EQ(*wanted, runtime::scenario_result());
  }
  void TearDown() override { g_fault = {}; }
};

TEST_F(WebgpuFailingCalls, AreErrorsOrHaveNoEffect) {
  int errors = 0, unnoticed = 0;
  for (const std::string& function : functions()) {
    for (const int call : {1, 2, 5}) {
      SCOPED_TRACE(function + ", call " + std::to_string(call));
      g_fault = {};
      g_fault.function = function;
      g_fault.call = call;
      const auto result = run_once();
      if (g_fault.seen < call) break;  // it is not called as often
      if (result.ok()) {
        EXPECT_EQ(*result, runtime::scenario_result());
        ++unnoticed;
      } else {
        EXPECT_FALSE(result.error().message().empty());
        EXPECT_EQ(result.error().message().find('\n'), std::string::npos) << result.error().message();
        ++errors;
      }
    }
  }
  EXPECT_GT(errors, 40) << unnoticed << " failures had no effect";
}

// By the device-lost callback, during a call for work.
TEST_F(WebgpuFailingCalls, ALossIsRecovered) {
  int losses = 0;
  for (const char* function :
       {"DeviceCreateShaderModule", "DeviceCreateShaderModuleTrusted", "DeviceCreateComputePipeline",
        "CommandEncoderFinish", "QueueSubmit", "QueueSubmitForIndex", "QueueWriteBuffer", "BufferMapAsync",
        "QueueOnSubmittedWorkDone", "DevicePoll", "InstanceWaitAny"}) {
    for (const int call : {1, 4}) {
      SCOPED_TRACE(std::string(function) + ", call " + std::to_string(call));
      int recoveries = 0;
      recoverable::Options options;
      options.reopen = [&](uint32_t) {
        auto opened = open_wrapped();
        if (!g_fault.loses) {  // after the device was opened for the first time
          g_fault.function = function;
          g_fault.call = call;
          g_fault.loses = true;
        }
        return opened;
      };
      options.on_recovery = [&](const Recovery&) { ++recoveries; };
      g_fault = {};
      auto opened = recoverable::open(std::move(options));
      ASSERT_TRUE(opened.ok()) << opened.error().to_string();
      auto device = runtime::Device::adopt(std::move(*opened));
      ASSERT_TRUE(device.ok()) << device.error().to_string();
      const auto result = runtime::run_scenario(*device);
      ASSERT_TRUE(result.ok()) << result.error().to_string();
      EXPECT_EQ(*result, runtime::scenario_result());
      const bool was_lost = g_fault.seen >= call;
      EXPECT_EQ(recoveries, was_lost ? 1 : 0);
      losses += was_lost ? 1 : 0;
    }
  }
  EXPECT_GE(losses, 10);
}

}  // namespace
}  // namespace quern::webgpu
