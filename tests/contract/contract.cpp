#include "contract/contract.hpp"

#include <algorithm>
#include <cstdio>

#include "api/inline_source.hpp"
#include "base/text.hpp"
#include "driver/null/driver.hpp"
#include "lang/compile.hpp"
#include "runtime/registry.hpp"
#include "target/needs.hpp"
#include "target/portable.hpp"

namespace quern::contract {

namespace {

using base::Error;

Result<driver::Code> compile(const driver::DeviceInfo& info, const runtime::Source& source) {
  lang::CompileOptions options;
  options.read_file = [&](const std::string& path) -> Result<std::string> {
    for (const auto& [name, text] : source.files) {
      if (path == name) return text;
    }
    return Error(ErrorKind::not_found, "no such file");
  };
  lang::Compilation compiled = lang::compile(source.name, source.text, options);
  if (!compiled.ok) return Error(ErrorKind::compile, compiled.rendered);
  auto program = std::make_shared<target::PortableProgram>();
  program->name = source.name;
  program->module = std::make_shared<const ir::Module>(std::move(compiled.module));
  program->host = source.host;
  for (const ir::Function* f : program->module->functions) {
    if (f->is_kernel) QUERN_TRY(target::check_needs(*program->module, *f, info));
  }
  return target::compile_for(info, std::move(program));
}

// The opened devices. Closed before main() returns: libraries of drivers have exit handlers.
std::map<std::string, OpenedDevice>& opened_devices() {
  static std::map<std::string, OpenedDevice> devices;
  return devices;
}

// The template for new drivers keeps the contract too, although it is not in the table of drivers.
[[maybe_unused]] const bool kHasTemplate = [] {
  runtime::Registry::instance().add(null::make_driver());
  return true;
}();

class Closing : public testing::Environment {
 public:
  // Lists the drivers that were not tested, after gtest's own output.
  ~Closing() override {
    for (const DeviceUnderTest& d : test::each_device()) {
      if (!d.missing.empty()) std::printf("SKIPPED: %s: %s\n", d.driver.c_str(), d.missing.c_str());
    }
  }
  void TearDown() override {
    for (auto& [id, opened] : opened_devices()) {
      const size_t before = opened.violations->count();
      for (auto& [name, loaded] : opened.kernels) {
        if (loaded.kernel != nullptr) opened.device->destroy(std::move(loaded.kernel));
        if (loaded.module != nullptr) opened.device->destroy(std::move(loaded.module));
      }
      opened.device.reset();
      for (size_t i = before; i < opened.violations->count(); ++i)
        ADD_FAILURE() << id << ": " << opened.violations->sentences()[i];
    }
    opened_devices().clear();
  }
};
[[maybe_unused]] const auto* const kClosing = testing::AddGlobalTestEnvironment(new Closing);

}  // namespace

Result<driver::Code> code_for(const driver::DeviceInfo& info, const detail::KernelText& kernel) {
  return compile(info, detail::inline_source(kernel));
}

Result<driver::Code> code_for(const driver::DeviceInfo& info, const std::string& text) {
  runtime::Source source;
  source.name = "contract.cu";
  source.text = text;
  return compile(info, source);
}

Result<std::unique_ptr<driver::Device>> open_device(const DeviceUnderTest& which) {
  QUERN_TRY_ASSIGN(driver::Driver* const driver, runtime::Registry::instance().start(which.driver));
  return driver->open(which.index, {});
}

void Contract::SetUp() {
  const DeviceUnderTest& which = GetParam();
  if (!which.missing.empty()) GTEST_SKIP() << which.driver << ": " << which.missing;
  OpenedDevice& opened = opened_devices()[which.id()];
  if (opened.device == nullptr) {
    auto device = open_device(which);
    ASSERT_OK(device);
    opened.violations = std::make_shared<checked::Violations>();
    opened.device = checked::wrap(std::move(*device), opened.violations);
  }
  opened_ = &opened;
  violations_ = opened.violations->count();
}

void Contract::TearDown() {
  if (opened_ == nullptr) return;
  const std::vector<std::string> sentences = opened_->violations->sentences();
  for (size_t i = violations_; i < sentences.size(); ++i) ADD_FAILURE() << sentences[i];
}

StreamPtr Contract::stream() {
  auto made = device().create_stream({});
  EXPECT_OK(made);
  return made.ok() ? std::move(*made) : nullptr;
}

EventPtr Contract::event() {
  auto made = device().create_event();
  EXPECT_OK(made);
  return made.ok() ? std::move(*made) : nullptr;
}

BufferPtr Contract::buffer(uint64_t bytes, MemoryKind kind) {
  auto made = device().allocate(bytes, kind);
  EXPECT_OK(made);
  return made.ok() ? std::move(*made) : nullptr;
}

// Why the device cannot run a kernel with these needs; empty: it can.
std::string Contract::missing(const Needs& needs) {
  if (info().code.empty()) return info().id() + " runs no kernels";
  const auto features = needs.features.missing_from(info().features).list();
  if (!features.empty()) return info().id() + " has no " + std::string(driver::meaning(features.front()));
  if (needs.shared_bytes > info().limits.shared_bytes)
    return base::format("%s has %llu bytes of shared memory, and the kernel needs %llu", info().id().c_str(),
                        static_cast<unsigned long long>(info().limits.shared_bytes),
                        static_cast<unsigned long long>(needs.shared_bytes));
  return {};
}

template <typename Text>
driver::Kernel* Contract::find_or_load(const std::string& name, const Text& text) {
  LoadedKernel& loaded = opened_->kernels[name];
  if (loaded.kernel == nullptr) {
    const auto load = [&]() -> Result<> {
      QUERN_TRY_ASSIGN(const driver::Code code, code_for(info(), text));
      QUERN_TRY_ASSIGN(loaded.module, device().load(code));
      QUERN_TRY_ASSIGN(loaded.kernel, device().kernel(*loaded.module, name));
      return {};
    };
    EXPECT_OK(load());
  }
  return loaded.kernel.get();
}

driver::Kernel* Contract::kernel(const detail::KernelText& text, const Needs& needs) {
  const auto skip = [](const std::string& why) { GTEST_SKIP() << why; };
  if (const std::string why = missing(needs); !why.empty()) return skip(why), nullptr;
  return find_or_load(text.name, text);
}

driver::Kernel* Contract::kernel(const TextKernel& text, const Needs& needs) {
  const auto skip = [](const std::string& why) { GTEST_SKIP() << why; };
  if (const std::string why = missing(needs); !why.empty()) return skip(why), nullptr;
  if (target::takes_only_host_functions(info()))
    return skip(info().id() + " runs inline kernels only"), nullptr;
  return find_or_load(text.name, std::string(text.text));
}

Result<> Contract::launch(driver::Stream& stream, driver::Kernel& kernel, Dim3 grid, Dim3 block,
                          const std::vector<Argument>& arguments, uint64_t shared_bytes) {
  driver::Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.arguments = arguments;
  return device().launch(stream, kernel, launch);
}

std::string contract_name(const testing::TestParamInfo<DeviceUnderTest>& info) {
  std::string name = info.param.id();
  for (char& c : name) {
    if (c == '.' || c == ':') c = '_';
  }
  return name;
}

}  // namespace quern::contract
