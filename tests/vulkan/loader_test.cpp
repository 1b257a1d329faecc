// Finding Vulkan, and the messages if there is none.
#include "driver/support/manifests.hpp"
#include "driver/vulkan/api/api.hpp"
#include "vulkan/shaders.hpp"
#include "vulkan/vulkan_device.hpp"

namespace quern::vulkan {
namespace {

using base::ErrorKind;

TEST(VulkanLoader, ALibraryThatIsMissingIsNamed) {
  const Environment asked("QUERN_VULKAN", "libquern_none.so");
  const auto started = make_driver()->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(started.error().message(), "'libquern_none.so' is not found");
  EXPECT_NE(started.error().hint().find("mesa-vulkan-drivers"), std::string::npos);
}

TEST(VulkanLoader, NoDriverIsOneSentence) {
  const Environment none("VK_DRIVER_FILES", "/nowhere/none.json"),
      old("VK_ICD_FILENAMES", "/nowhere/none.json");
  const auto started = make_driver()->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(started.error().message().find('\n'), std::string::npos);
  EXPECT_FALSE(started.error().hint().empty());
}

TEST(VulkanLoader, ADriverThatCannotBeLoadedIsNamed) {
  const std::string manifest = testing::TempDir() + "quern_broken.json";
  ASSERT_TRUE(base::write_file(manifest, R"({"ICD": {"library_path": "libquern_none.so"}})").ok());
  const Environment only("VK_DRIVER_FILES", manifest.c_str()), old("VK_ICD_FILENAMES", manifest.c_str());
  const auto started = make_driver()->start();
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message().find("a manifest names a library, and 'libquern_none.so' is not found"),
            std::string::npos)
      << started.error().message();
}

TEST(VulkanLoader, ManifestsMayHaveNothingButAName) {
  const std::string folder = testing::TempDir() + "quern_vendors";
  ASSERT_TRUE(base::make_folders(folder).ok());
  ASSERT_TRUE(base::write_file(folder + "/a.icd", "libquern_none.so\n").ok());
  EXPECT_EQ(driver::library_of(folder + "/a.icd"), "libquern_none.so");
  const Environment asked("OCL_ICD_VENDORS", folder.c_str());
  const char* const variables[] = {"OCL_ICD_VENDORS"};
  EXPECT_EQ(driver::libraries_of_manifests(variables, {}, {}), std::vector<std::string>{"libquern_none.so"});
}

TEST(VulkanLoader, DriversAnswerWithoutALoader) {
  const Environment asked("QUERN_VULKAN", "libvulkan_lvp.so");
  const auto driver = make_driver();
  auto started = driver->start();
  if (!started.ok()) GTEST_SKIP() << started.error().to_string();
  EXPECT_TRUE(started->starts_with("libvulkan_lvp.so, Vulkan 1.")) << *started;
  auto opened = driver->open(0, {});
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  driver::Device& device = **opened;
  const auto stream = std::move(*device.create_stream({}));
  const auto buffer = std::move(*device.allocate(256, driver::MemoryKind::device));
  std::vector<uint32_t> out(64);
  ASSERT_TRUE(device.fill(*stream, {buffer.get(), 0}, 7, 4, 256).ok());
  ASSERT_TRUE(device.download(*stream, out.data(), {buffer.get(), 0}, 256).ok());
  ASSERT_TRUE(device.synchronize(*stream).ok());
  EXPECT_EQ(out, std::vector<uint32_t>(64, 7));
  EXPECT_EQ(driver->open(9, {}).error().kind(), ErrorKind::not_found);
  EXPECT_EQ(driver->open(0, {{"seed", "1"}}).error().message(),
            "opening vulkan failed: it does not accept option 'seed'");
}

TEST(VulkanLoader, ManifestsNameDriversWhereThereIsNoLoader) {
  auto loader = find_instances();
  if (!loader.ok()) GTEST_SKIP() << loader.error().to_string();
  const Environment asked("QUERN_VULKAN", "libvulkan_lvp.so");
  if (!find_instances().ok()) GTEST_SKIP() << "lavapipe is not installed";
  const std::string manifest = testing::TempDir() + "quern_icd.json";
  ASSERT_TRUE(
      base::write_file(manifest, R"({"ICD": {"api_version": "1.3.0", "library_path": "libvulkan_lvp.so"}})")
          .ok());
  EXPECT_EQ(driver::library_of(manifest), "libvulkan_lvp.so");
  ASSERT_TRUE(base::write_file(manifest, R"({"library_path" : "..\/lib/some.so"})").ok());
  EXPECT_EQ(driver::library_of(manifest), testing::TempDir() + "../lib/some.so");
  ASSERT_TRUE(base::write_file(manifest, "{\"library_path\"").ok());
  EXPECT_EQ(driver::library_of(manifest), "");
  EXPECT_EQ(driver::library_of("/nowhere/none.json"), "");
}

// --- faulty drivers (fake_vulkan.cpp) ---

std::unique_ptr<driver::Driver> start_fake() {
  auto driver = make_driver();
  return driver->start().ok() ? std::move(driver) : nullptr;
}

TEST(VulkanDriver, ADeviceThatDoesNotServeSaysWhy) {
  const Environment library("QUERN_VULKAN", QUERN_FAKE_VULKAN);
  const std::pair<const char*, const char*> kinds[] = {
      {"old", "supports only Vulkan 1.0, but 1.1 is required"}, {"no-compute", "has no compute queue"}};
  for (const auto& [kind, why] : kinds) {
    const Environment asked("QUERN_FAKE_VULKAN", kind);
    const auto driver = start_fake();
    if (driver == nullptr) GTEST_SKIP() << "lavapipe is not installed";
    const auto devices = driver->devices();
    ASSERT_FALSE(devices.ok());
    EXPECT_EQ(devices.error().kind(), ErrorKind::unsupported);
    EXPECT_TRUE(devices.error().message().ends_with(why)) << devices.error().message();
    EXPECT_EQ(devices.error().hint(), "update your GPU's Vulkan driver");
  }
}

TEST(VulkanDriver, ALostDeviceStaysLostAndOthersWork) {
  const Environment library("QUERN_VULKAN", QUERN_FAKE_VULKAN);
  const auto driver = start_fake();
  if (driver == nullptr) GTEST_SKIP() << "lavapipe is not installed";
  auto lost = driver->open(0, {}), other = driver->open(0, {});
  ASSERT_TRUE(lost.ok() && other.ok());
  const auto fill = [](driver::Device& device, driver::Stream& stream, driver::Buffer& buffer) {
    return device.fill(stream, {&buffer, 0}, 7, 4, 256);
  };
  const auto stream = std::move(*(*lost)->create_stream({}));
  const auto buffer = std::move(*(*lost)->allocate(256, driver::MemoryKind::device));
  ASSERT_TRUE(fill(**lost, *stream, *buffer).ok());
  {
    const Environment now("QUERN_FAKE_VULKAN", "lost");
    const auto filled = fill(**lost, *stream, *buffer);
    EXPECT_EQ(filled.error().kind(), ErrorKind::device_lost);
    EXPECT_EQ(filled.error().message(), "vkQueueSubmit failed with VK_ERROR_DEVICE_LOST");
  }
  EXPECT_EQ(fill(**lost, *stream, *buffer).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ((*lost)->synchronize(*stream).error().kind(), ErrorKind::device_lost);
  EXPECT_EQ((*lost)->allocate(1, driver::MemoryKind::device).error().kind(), ErrorKind::device_lost);
  EXPECT_TRUE((*lost)->create_event().error().message().ends_with(
      " was lost: vkQueueSubmit failed with VK_ERROR_DEVICE_LOST"));

  const auto queue2 = std::move(*(*other)->create_stream({}));
  const auto buffer2 = std::move(*(*other)->allocate(256, driver::MemoryKind::device));
  EXPECT_TRUE(fill(**other, *queue2, *buffer2).ok());
  EXPECT_TRUE((*other)->synchronize(*queue2).ok());
}

// Copies on a transfer-only queue, in order with work on another.
TEST(VulkanDriver, AFamilyOfQueuesForCopies) {
  const Environment library("QUERN_VULKAN", QUERN_FAKE_VULKAN);
  const Environment asked("QUERN_FAKE_VULKAN", "copies");
  const auto driver = start_fake();
  if (driver == nullptr) GTEST_SKIP() << "lavapipe is not installed";
  auto opened = driver->open(0, {});
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  driver::Device& device = **opened;
  const auto stream = std::move(*device.create_stream({}));
  constexpr uint64_t kBytes = 4 << 20;
  const auto a = std::move(*device.allocate(kBytes, driver::MemoryKind::device)),
             b = std::move(*device.allocate(kBytes, driver::MemoryKind::device));
  std::vector<uint32_t> out(kBytes / 4), in(kBytes / 4, 5);
  ASSERT_TRUE(device.fill(*stream, {a.get(), 0}, 7, 4, kBytes).ok());
  ASSERT_TRUE(device.copy(*stream, {b.get(), 0}, {a.get(), 0}, kBytes).ok());
  ASSERT_TRUE(device.upload(*stream, {a.get(), 0}, in.data(), kBytes).ok());
  ASSERT_TRUE(device.fill(*stream, {b.get(), 0}, 9, 4, 256).ok());
  ASSERT_TRUE(device.copy(*stream, {b.get(), kBytes / 2}, {a.get(), kBytes / 2}, kBytes / 2).ok());
  ASSERT_TRUE(device.download(*stream, out.data(), {b.get(), 0}, kBytes).ok());
  const auto done = device.synchronize(*stream);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(out[0], 9u);
  EXPECT_EQ(out[64], 7u);
  EXPECT_EQ(out[kBytes / 8 - 1], 7u);
  EXPECT_EQ(out[kBytes / 8], 5u);
  EXPECT_EQ(out.back(), 5u);
}

TEST(VulkanLoader, TheValidationLayerIsReported) {
  const Environment asked("QUERN_VALIDATE", "1");
  const auto driver = make_driver();
  const auto started = driver->start();
  if (!started.ok()) GTEST_SKIP() << started.error().to_string();
  EXPECT_TRUE(started->ends_with(", validated")) << *started;
  const auto device = std::move(*driver->open(0, {}));
  driver::Code c;
  c.kind = driver::CodeKind::kSpirv;
  c.name = "bad.comp";
  c.bytes = compile(kRaw);
  if (c.bytes.empty()) GTEST_SKIP() << "there is no glslangValidator";
  const std::string number("\x15\0\4\0", 4);  // OpTypeInt; its width is two words further
  c.bytes[c.bytes.find(number) + 8] = 12;
  const auto loaded = device->load(c);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind(), ErrorKind::compile);
  EXPECT_TRUE(loaded.error().message().starts_with("loading bad.comp failed: it is not valid:\n"))
      << loaded.error().message();
  // The same for invalid work: an error of the next wait.
  const uint32_t most = device->info().limits.grid.x;
  if (most > 1 << 20) GTEST_SKIP() << "a grid that is too large would run too long";
  c.bytes = compile(kRaw);
  c.is_raw = true;
  const auto program = std::move(*device->load(c));
  const auto kernel = std::move(*device->kernel(*program, "main"));
  const auto stream = std::move(*device->create_stream({}));
  const auto buffer = std::move(*device->allocate(256, driver::MemoryKind::device));
  const uint64_t push = 0;
  const driver::Argument all{{buffer.get(), 0}, nullptr, 0};
  const std::vector<driver::Argument> arguments{all, all, {{}, &push, 8}};
  ASSERT_TRUE(device->launch(*stream, *kernel, {{most + 1, 1, 1}, {32, 1, 1}, 0, arguments, false}).ok());
  EXPECT_EQ(device->synchronize(*stream).error().kind(), ErrorKind::kernel_fault);
  const auto findings = device->take_findings(*stream);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "validation");
  EXPECT_TRUE(device->synchronize(*stream).ok());
}

}  // namespace
}  // namespace quern::vulkan
