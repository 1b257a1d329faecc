// Buffer bindings by number (driver/support/bindings.hpp).
#include "driver/support/bindings.hpp"

#include <gtest/gtest.h>

#include "driver/interface/arguments.hpp"

namespace quern::driver {
namespace {

KernelInfo kernel_of(std::initializer_list<bool> pointers) {
  KernelInfo kernel;
  kernel.name = "k";
  for (const bool is_pointer : pointers) kernel.params.emplace_back().is_pointer = is_pointer;
  return kernel;
}

TEST(Bindings, PointersComeFirstAndOwnBuffersFollow) {
  Buffer variable, report;
  Bindings bound;
  bound.add_parameters(kernel_of({true, false, true}));
  bound.add_own(&variable);
  bound.add_own(&report, 1);
  bound.add({.set = 1, .number = 1});
  ASSERT_EQ(bound.size(), 5u);
  EXPECT_EQ(bound.sets(), 2u);
  EXPECT_EQ(bound.all()[1].parameter, 2);
  EXPECT_EQ(bound.all()[1].number, 1u);
  EXPECT_EQ(bound.all()[2].number, 2u);
  EXPECT_EQ(bound.all()[3].number, 0u);
  EXPECT_TRUE(bound.all()[4].is_block());
}

TEST(Bindings, OneBufferHasOneNumber) {
  Buffer a, b, variable;
  Bindings bound;
  bound.add_parameters(kernel_of({true, true, true, true}));
  bound.add_own(&variable);
  const Argument arguments[] = {{{&a, 0}}, {{&b, 8}}, {{&a, 4}}, {{&variable, 0}}};
  Launch launch;
  launch.arguments = arguments;
  EXPECT_EQ(bound.pointer(launch, {}), 0u);
  EXPECT_EQ(bound.pointer(launch, {&a, 4}), uint64_t{1} << kBufferShift | 4);
  EXPECT_EQ(bound.pointer(launch, {&b, 8}), uint64_t{2} << kBufferShift | 8);
  EXPECT_EQ(bound.pointer(launch, {&variable, 0}),
            uint64_t{5} << kBufferShift);  // its own, not the argument's
}

TEST(Bindings, TooManyAreRefusedWithTheNumbers) {
  Bindings bound;
  const KernelInfo kernel = kernel_of({true, true});
  bound.add_parameters(kernel);
  DeviceInfo device;
  device.name = "it";
  EXPECT_TRUE(bound.check(kernel, device, 2).ok());
  EXPECT_EQ(bound.check(kernel, device, 1).error().message(),
            "kernel 'k' needs 2 buffers including its variables, but it binds at most 1");
}

}  // namespace
}  // namespace quern::driver
