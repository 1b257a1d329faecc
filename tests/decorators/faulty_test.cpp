#include <gtest/gtest.h>

#include "driver/decorators/checked/device.hpp"
#include "driver/decorators/faulty/device.hpp"
#include "driver/decorators/messages.hpp"
#include "driver/sim/driver.hpp"
#include "support/runtime_case.hpp"

namespace quern::faulty {
namespace {

namespace message = decorators::message;

using base::ErrorKind;

std::string shown(const base::MessageText& message) { return message.text + " | " + message.hint; }

std::string refusal(std::string_view text) {
  auto faults = Faults::parse(text);
  EXPECT_FALSE(faults.ok()) << text;
  return faults.ok() ? "" : faults.error().message() + " | " + faults.error().hint();
}

std::shared_ptr<Faults> plan(std::string_view text) {
  auto faults = Faults::parse(text);
  EXPECT_TRUE(faults.ok()) << faults.error().to_string();
  return *faults;
}

TEST(Faults, BadTextIsNamed) {
  const auto unknown = [](std::string_view part, std::string_view word, std::string_view what,
                          const base::MessageText& hint) {
    return shown(message::kUnknownFaultWord(part, word, what, hint.text));
  };
  EXPECT_EQ(refusal("lunch:1=lost"),
            unknown("lunch:1=lost", "lunch", "call", message::kDidYouMean("launch")));
  EXPECT_EQ(refusal("launch:1=lots"),
            unknown("launch:1=lots", "lots", "effect", message::kDidYouMean("lost")));
  EXPECT_EQ(refusal("launch:1=xyzzy"),
            unknown("launch:1=xyzzy", "xyzzy", "effect",
                    message::kUseOneOf(
                        "lost, memory, timeout, fault, unsupported, compile, missing, io, internal")));
  EXPECT_EQ(refusal("launch:x=lost"), shown(message::kFaultNumber("launch:x=lost", "x")));
  EXPECT_EQ(refusal("launch:-1=lost"), shown(message::kFaultNumber("launch:-1=lost", "-1")));
  EXPECT_EQ(refusal("launch=lost"), shown(message::kFaultForm("launch=lost")));
  EXPECT_EQ(refusal("launch:1=lost,"), shown(message::kFaultForm("")));
  EXPECT_EQ(refusal("destroy:0=lost").substr(0, 61),
            message::kUnknownFaultWord("destroy:0=lost", "destroy", "call", "").text);
}

TEST(Faults, EachKindIsCountedForItself) {
  auto faults = plan("launch:1=memory, upload:0=timeout");
  EXPECT_TRUE(faults->pass(Call::kLaunch).ok());
  EXPECT_EQ(faults->pass(Call::kUpload).error().kind(), ErrorKind::timeout);
  auto second = faults->pass(Call::kLaunch);
  EXPECT_EQ(second.error().kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(second.error().message(), message::kInjectedFault("launch", "1").text);
  EXPECT_TRUE(faults->pass(Call::kLaunch).ok());
  EXPECT_TRUE(faults->pass(Call::kUpload).ok());
  EXPECT_EQ(faults->count(Call::kLaunch), 3u);
  EXPECT_EQ(faults->count(), 5u);
  EXPECT_EQ(faults->fired(), 2u);
  EXPECT_FALSE(faults->is_lost());
}

TEST(Faulty, EveryEffectHasItsKind) {
  const std::pair<const char*, ErrorKind> effects[] = {
      {"memory", ErrorKind::out_of_memory},    {"timeout", ErrorKind::timeout},
      {"fault", ErrorKind::kernel_fault},      {"lost", ErrorKind::device_lost},
      {"unsupported", ErrorKind::unsupported}, {"compile", ErrorKind::compile},
      {"missing", ErrorKind::not_found},       {"io", ErrorKind::io},
      {"internal", ErrorKind::internal}};
  for (const auto& [name, kind] : effects) {
    auto device = wrap(runtime::open_sim(), plan(std::string("create_event:0=") + name));
    EXPECT_EQ(device->create_event().error().kind(), kind) << name;
  }
}

TEST(Faulty, ALossLastsForEveryCall) {
  auto device = wrap(runtime::open_sim(), plan("create_event:1=lost"));
  auto stream = device->create_stream({});
  auto event = device->create_event();
  auto buffer = device->allocate(16, driver::MemoryKind::device);
  ASSERT_TRUE(stream.ok() && event.ok() && buffer.ok());
  char bytes[16] = {};
  EXPECT_FALSE(device->create_event().ok());
  const driver::Place place{buffer->get(), 0};
  const auto lost = [](const auto& result) {
    return !result.ok() && result.error().kind() == ErrorKind::device_lost;
  };
  EXPECT_TRUE(lost(device->allocate(16, driver::MemoryKind::device)));
  EXPECT_TRUE(lost(device->load({})));
  EXPECT_TRUE(lost(device->create_stream({})));
  EXPECT_TRUE(lost(device->upload(**stream, place, bytes, 16)));
  EXPECT_TRUE(lost(device->download(**stream, bytes, place, 16)));
  EXPECT_TRUE(lost(device->copy(**stream, place, place, 16)));
  EXPECT_TRUE(lost(device->fill(**stream, place, 0, 1, 16)));
  EXPECT_TRUE(lost(device->create_event()));
  EXPECT_TRUE(lost(device->record(**stream, **event)));
  EXPECT_TRUE(lost(device->wait(**stream, **event)));
  EXPECT_TRUE(lost(device->wait(**event)));
  EXPECT_TRUE(lost(device->reached(**event)));
  EXPECT_TRUE(lost(device->time(**event)));
  EXPECT_TRUE(lost(device->synchronize(**stream)));
  EXPECT_TRUE(lost(device->call(**stream, [] { FAIL(); })));
  device->destroy(std::move(*buffer));
  device->destroy(std::move(*event));
  device->destroy(std::move(*stream));
}

TEST(Faulty, TheDriverFailsToo) {
  for (const char* what : {"start", "devices", "open"}) {
    auto driver = wrap(sim::make_driver(), plan(std::string(what) + ":0=io"));
    EXPECT_EQ(driver->start().ok(), std::string_view(what) != "start");
    EXPECT_EQ(driver->devices().ok(), std::string_view(what) != "devices");
    EXPECT_EQ(driver->open(0, {}).ok(), std::string_view(what) != "open");
    EXPECT_TRUE(driver->open(0, {}).ok());
  }
}

// Every call of the scenario fails once. The runtime returns the error, and cleanup succeeds.
void walk(const char* effect, ErrorKind kind, bool is_checked) {
  uint64_t seen = 0;
  for (uint64_t n = 0;; ++n) {
    SCOPED_TRACE(std::string(effect) + " at call " + std::to_string(n));
    ASSERT_LT(n, 1000u);
    auto faults = plan("any:" + std::to_string(n) + "=" + effect);
    auto violations = std::make_shared<checked::Violations>();
    bool passed = false;
    {
      auto native = checked::wrap(wrap(runtime::open_sim(), faults), violations);
      auto device = runtime::Device::adopt(std::move(native));
      if (device.ok()) {
        auto result = runtime::run_scenario(*device);
        passed = result.ok();
        if (passed) {
          EXPECT_EQ(*result, runtime::scenario_result());
        } else {
          EXPECT_EQ(result.error().kind(), kind) << result.error().to_string();
          ++seen;
        }
      } else {
        EXPECT_EQ(device.error().kind(), kind);
      }
    }
    if (is_checked) {
      for (const std::string& sentence : violations->sentences()) ADD_FAILURE() << sentence;
    }
    if (faults->fired() == 0) {
      EXPECT_TRUE(passed);
      break;
    }
  }
  EXPECT_GT(seen, 30u);
}

TEST(Faulty, ADeviceMayBeLostAtAnyCall) { walk("lost", ErrorKind::device_lost, true); }
TEST(Faulty, MemoryMayEndAtAnyCall) { walk("memory", ErrorKind::out_of_memory, true); }
TEST(Faulty, AnyCallMayTimeOut) { walk("timeout", ErrorKind::timeout, true); }

}  // namespace
}  // namespace quern::faulty
